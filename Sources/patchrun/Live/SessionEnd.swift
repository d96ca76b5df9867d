import RenderHost

extension RenderSession {
  /// How long a loop that watches for the end of the sound may wait, in milliseconds: 100, or 20 to
  /// 100 if the end is near. Any thread.
  func pauseBeforeEnd(rate: Double) -> Int32 {
    guard let end = endFrame else { return 100 }
    let rest = Double(end - renderedFrames + waitedFrames) / rate
    return Int32(min(100, max(20, rest * 1000)))
  }
}
