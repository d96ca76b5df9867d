import RenderHost

extension RenderSession {
  /// How long a loop may wait that looks for the end of the sound, in milliseconds: 100, or from 20 to 100 where the
  /// end is near. Any thread.
  func pauseBeforeEnd(rate: Double) -> Int32 {
    guard let end = endFrame else { return 100 }
    let rest = Double(end - renderedFrames + waitedFrames) / rate
    return Int32(min(100, max(20, rest * 1000)))
  }
}
