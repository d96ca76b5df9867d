import AudioTypes
import RenderHost
import Synchronization

/// The playback buffer of the server, beyond the requested one.
extension PulseEngine {
  /// Notes an underrun, and reports it unless it is expected: while nothing is played, at the end
  /// of a run.
  func noteUnderrun() {
    guard isPlaying, !interruptions.isPaused, lostSink == nil else { return }
    let frames = log.requestedFrames.load(ordering: .relaxed)
    log.note(watch.underrun(at: Double(frames) / session.configuration.sampleRate))
    addReserveSlice()
    followed?.noteUnderrun()
    guard let loss = SchedulingGrant.takeLoss() else { return }
    log.note(scheduling: "normal (\(loss))")
    log.post(.noted(loss))
  }

  /// Adds a slice to the server's buffer after an underrun.
  func addReserveSlice() {
    guard reserve.noteUnderrun(at: monotonicNanoseconds()), let playback = link?.playback else {
      return
    }
    playback.setReserve(slices: reserve.slices)
    publishReserve(of: playback)
    log.post(.noted("\(PulseMessages.keeps) \(slicesMore)"))
  }

  /// Publishes the raised latency where it has changed.
  private func publishReserve(of playback: PulseStream) {
    let rate = playback.format.sampleRate
    let raised = reserve.raisedSince.map { since in
      RaisedLatency(
        asked: Double(playback.askedFrames) / rate, granted: playback.grantedLatency,
        since: since, nextLoweringTime: reserve.nextLoweringTime)
    }
    guard raised != publishedReserve else { return }
    publishedReserve = raised
    log.note(raisedLatency: raised)
  }

  /// Removes a slice from the server's buffer after a time without underruns.
  ///
  /// This is inaudible: the server requests one slice less, once. With a microphone, one slice more
  /// then waits in its ring, and is discarded inaudibly slowly.
  func removeReserveSlice() {
    guard reserve.slices > 0 else { return }
    let now = monotonicNanoseconds()
    guard let playback = link?.playback else { return reserve.noteSilence(at: now) }
    defer { publishReserve(of: playback) }
    guard isPlaying, !interruptions.isPaused, lostSink == nil else {
      return reserve.noteSilence(at: now)
    }
    let wait = Int(reserve.wait.rounded())
    guard reserve.removeSlice(at: now) else { return }
    playback.setReserve(slices: reserve.slices)
    followed?.noteShorterBuffer(by: ioBufferFrames)
    log.post(.noted("nothing ran dry for \(wait) s: \(PulseMessages.keeps) \(slicesMore)"))
  }

  private var slicesMore: String {
    switch reserve.slices {
    case 0: "what it was asked for, and no more"
    case 1: "a slice of \(ioBufferFrames) frames more than it was asked for"
    case let count: "\(count) slices of \(ioBufferFrames) frames more than it was asked for"
    }
  }
}

private enum PulseMessages {
  static let keeps = "of what is played the sound server keeps"
}
