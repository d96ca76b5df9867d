import AudioTypes
import RenderHost
import Synchronization

/// What the server keeps of what is played, more than it was asked for.
extension PulseEngine {
  /// The device wanted what was not there. At the end, when nothing follows, it may.
  func ranDry() {
    guard isPlaying, !interruptions.isPaused, lostSink == nil else { return }
    let frames = log.requestedFrames.load(ordering: .relaxed)
    log.note(watch.underrun(at: Double(frames) / session.configuration.sampleRate))
    keepMore()
    followed?.noteUnderrun()
    guard let loss = SchedulingGrant.takeLoss() else { return }
    log.note(scheduling: "normal (\(loss))")
    log.post(.noted(loss))
  }

  /// The device ran dry: there is a slice more.
  func keepMore() {
    guard reserve.noteUnderrun(at: monotonicNanoseconds()), let playback = link?.playback else {
      return
    }
    playback.keep(slicesMore: reserve.slices)
    tellReserve(of: playback)
    log.post(.noted("\(PulseMessages.keeps) \(slicesMore)"))
  }

  /// Lets others see what is kept more than was asked for, where that is something else than the last time.
  private func tellReserve(of playback: PulseStream) {
    let rate = playback.format.sampleRate
    let raised = reserve.raisedSince.map { since in
      RaisedLatency(
        asked: Double(playback.askedFrames) / rate, granted: playback.grantedLatency,
        since: since, lessAt: reserve.lessAt)
    }
    guard raised != toldReserve else { return }
    toldReserve = raised
    log.note(raisedLatency: raised)
  }

  /// Takes a slice back where nothing has run dry for a time.
  ///
  /// Nothing is heard of it: the server asks for a slice less, once. Of a microphone that is heard a slice more
  /// waits in front of the graph then, and is given up too slowly to be heard.
  func keepLess() {
    guard reserve.slices > 0 else { return }
    let now = monotonicNanoseconds()
    guard let playback = link?.playback else { return reserve.noteSilence(at: now) }
    defer { tellReserve(of: playback) }
    guard isPlaying, !interruptions.isPaused, lostSink == nil else {
      return reserve.noteSilence(at: now)
    }
    let wait = Int(reserve.wait.rounded())
    guard reserve.takeBack(at: now) else { return }
    playback.keep(slicesMore: reserve.slices)
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
