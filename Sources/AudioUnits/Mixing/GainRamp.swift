/// A gain for each of two channels, on its way in a straight line from one pair of values to
/// another.
///
/// Each frame's gain is worked out from its place in the ramp and not from the frame before, so
/// that it is the same however a render is cut, and loops over frames vectorize. The last frame of
/// the ramp may be a rounding away from the end; those after it have the end to the bit.
struct GainRamp: BitwiseCopyable {
  /// In frames.
  private(set) var length: Int
  private(set) var startLeft: Float
  private(set) var startRight: Float
  private(set) var left: Float
  private(set) var right: Float
  /// Frames of the ramp that have been rendered; `length` once it is over.
  private(set) var position: Int

  @_noLocks
  init(
    length: Int, startLeft: Float, startRight: Float, left: Float, right: Float, position: Int
  ) {
    self.length = length
    self.startLeft = startLeft
    self.startRight = startRight
    self.left = left
    self.right = right
    self.position = position
  }

  /// Frames that are still to come before the gains are `left` and `right`.
  var remaining: Int { @_noLocks get { length - position } }

  var isSettled: Bool { @_noLocks get { position == length } }

  /// Whether nothing gets through any more.
  var isClosed: Bool { @_noLocks get { isSettled && left == 0 && right == 0 } }

  /// Sets out for new gains from wherever the ramp is, to be there in `frameCount` frames; in 0 frames they
  /// hold at once.
  @_noLocks
  mutating func go(left newLeft: Float, right newRight: Float, in frameCount: Int) {
    guard frameCount > 0 else { return jump(left: newLeft, right: newRight) }
    guard newLeft != left || newRight != right else { return }
    startLeft = gain(from: startLeft, to: left, at: position)
    startRight = gain(from: startRight, to: right, at: position)
    left = newLeft
    right = newRight
    length = frameCount
    position = 0
  }

  @_noLocks
  mutating func jump(left newLeft: Float, right newRight: Float) {
    startLeft = newLeft
    startRight = newRight
    left = newLeft
    right = newRight
    position = length
  }

  @_noLocks
  mutating func advance(_ frameCount: Int) {
    position = frameCount < remaining ? position + frameCount : length
  }

  /// The gain of the frame that makes `place` frames of a ramp; `end` after its end.
  @_noLocks
  private func gain(from start: Float, to end: Float, at place: Int) -> Float {
    guard place < length else { return end }
    return start + (end - start) / Float(length) * Float(Int32(truncatingIfNeeded: place))
  }

  /// The left gain for the frames that come next, up to `remaining` of them.
  var leftSlope: GainSlope { @_noLocks get { GainSlope(from: startLeft, to: left, ramp: self) } }

  /// The right gain for the frames that come next, up to `remaining` of them.
  var rightSlope: GainSlope {
    @_noLocks get { GainSlope(from: startRight, to: right, ramp: self) }
  }

  /// The same once the ramp is over too, for as many frames as one likes.
  var leftGain: GainSlope { @_noLocks get { isSettled ? GainSlope(steady: left) : leftSlope } }

  /// The same once the ramp is over too, for as many frames as one likes.
  var rightGain: GainSlope { @_noLocks get { isSettled ? GainSlope(steady: right) : rightSlope } }
}

/// One channel's gain over the frames of a ramp that come next: `gain(0)` is the next frame's.
struct GainSlope: BitwiseCopyable {
  private let start: Float
  private let rise: Float
  private let next: Int32

  @_noLocks
  init(from start: Float, to end: Float, ramp: GainRamp) {
    self.start = start
    rise = (end - start) / Float(ramp.length)
    next = Int32(truncatingIfNeeded: ramp.position + 1)
  }

  /// A gain that stays as it is.
  @_noLocks
  init(steady gain: Float) {
    start = gain
    rise = 0
    next = 0
  }

  @_noLocks
  @inline(__always)
  func gain(_ frame: Int) -> Float {
    // In 32 bits, which vectors convert.
    start + rise * Float(next &+ Int32(truncatingIfNeeded: frame))
  }
}
