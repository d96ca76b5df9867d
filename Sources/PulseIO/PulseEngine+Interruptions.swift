import CPulse
import RenderHost
import Synchronization

extension PulseEngine {
  /// Whether an interruption pauses the session.
  private var pauses: Bool { log.pausesWhenInterrupted.load(ordering: .relaxed) }

  /// Notes a device that has been suspended for some seconds. Returns whether the engine waits for
  /// its end.
  func noteSuspension(of link: PulseLink, _ side: AudioDevice.Direction, for seconds: Double)
    -> Bool
  {
    guard hasBegun.load(ordering: .relaxed) else { return false }
    if seconds > PulseInterruptions.shortestSuspension, !interruptions.isSuspended {
      interruptions.isSuspended = true
      log.post(.interrupted(.suspended(side)))
      if pauses {
        // The output can fade if only the microphone is suspended.
        pauseSession(atOnce: side == .sink)
        // Otherwise its unplayed frames would sound when the sink is back.
        if side == .sink, let playback = link.playback {
          unsafe release(pa_stream_flush(playback.handle, nil, nil))
        }
      }
    }
    return interruptions.isPaused && pauses
  }

  /// Notes that no device is suspended.
  func noteActivity() {
    guard interruptions.isSuspended else { return }
    interruptions.isSuspended = false
    resumeSession()
  }

  /// Handles an event of the server for a stream.
  func handle(event name: String, of link: PulseLink) {
    switch name {
    case PA_STREAM_EVENT_REQUEST_CORK:
      guard !interruptions.isAsked, hasBegun.load(ordering: .relaxed) else { return }
      log.post(.interrupted(.asked))
      guard pauses else { return }
      interruptions.isAsked = true
      askWhetherMuted(link)
      pauseSession(atOnce: false)
    case PA_STREAM_EVENT_REQUEST_UNCORK: endRequest(link)
    default: break
    }
  }

  /// Corks the stream once it plays only silence: the server tells only a corked stream when to
  /// continue.
  func corkIfSilent(_ link: PulseLink) {
    guard interruptions.isAsked, !interruptions.isCorked, let playback = link.playback,
      interruptions.silentFrames >= playback.bufferFrames
    else { return }
    interruptions.isCorked = true
    isPlaying = false
    playback.cork(true)
    // The server does not report an end that came before the corking.
    askWhetherMuted(link)
  }

  private func endRequest(_ link: PulseLink) {
    guard interruptions.isAsked else { return }
    interruptions.isAsked = false
    interruptions.isMuted = false
    if interruptions.isCorked {
      interruptions.isCorked = false
      isPlaying = true
      link.playback?.cork(false)
    }
    resumeSession()
  }

  private func pauseSession(atOnce: Bool) {
    if !interruptions.isPaused { interruptions.silentFrames = 0 }
    interruptions.isPaused = true
    session.pause(atOnce: atOnce)
  }

  private func resumeSession() {
    guard interruptions.isPaused, !interruptions.isAsked, !interruptions.isSuspended else { return }
    interruptions.isPaused = false
    session.resume()
    log.post(.resumed)
  }

  private func askWhetherMuted(_ link: PulseLink) {
    guard let playback = link.playback else { return }
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe release(
      pa_context_get_sink_input_info(
        link.connection.context, pa_stream_get_index(playback.handle),
        { _, info, _, user in
          guard let info = unsafe info else { return }
          let isMuted = unsafe info.pointee.mute != 0
          unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
            $0.noteMuting(isMuted)
          }
        }, user))
  }

  private func noteMuting(_ isMuted: Bool) {
    guard interruptions.isAsked, let link else { return }
    if interruptions.isMuted, !isMuted { return endRequest(link) }
    interruptions.isMuted = isMuted
  }

  func release(_ operation: OpaquePointer?) {
    if let operation = unsafe operation { unsafe pa_operation_unref(operation) }
  }
}
