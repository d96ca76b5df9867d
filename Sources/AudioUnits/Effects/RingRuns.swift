import RenderCore

// A buffer as a ring: a run of frames that reaches beyond its end goes on at its beginning.
extension ChannelBuffer {
  // MARK: Render thread

  /// Writes a run of frames, at most as many as the ring has, from `place` on.
  @_noLocks
  func write(aroundFrom place: Int, _ frames: ChannelBuffer) {
    dropping(place).copy(from: frames)
    let rest = count - place
    if rest < frames.count { copy(from: frames.dropping(rest)) }
  }

  /// Reads a run of frames, at most as many as the ring has, from `place` on.
  @_noLocks
  func read(aroundFrom place: Int, into frames: ChannelBuffer) {
    frames.copy(from: dropping(place))
    let rest = count - place
    if rest < frames.count { frames.dropping(rest).copy(from: self) }
  }
}
