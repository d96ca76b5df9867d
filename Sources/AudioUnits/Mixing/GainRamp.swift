internal import RenderCore

/// A linear ramp of the gains of two channels.
///
/// Each frame's gain is computed from its position in the ramp and not from the frame before, so
/// that it does not depend on slices, and loops over frames vectorize. The last frame of the ramp
/// may differ from the end by rounding; the frames after it have the exact end.
struct GainRamp: BitwiseCopyable {
  // In 32 bits, as a glide has them: a mixer has two ramps for each bus.
  private var storedLength: UInt32
  private var storedPosition: UInt32
  private(set) var startLeft: Float
  private(set) var startRight: Float
  private(set) var left: Float
  private(set) var right: Float

  @_noLocks
  init(
    length: Int, startLeft: Float, startRight: Float, left: Float, right: Float, position: Int
  ) {
    storedLength = UInt32(truncatingIfNeeded: length)
    self.startLeft = startLeft
    self.startRight = startRight
    self.left = left
    self.right = right
    storedPosition = UInt32(truncatingIfNeeded: position)
  }

  /// In frames.
  var length: Int { @_noLocks get { Int(storedLength) } }

  /// Frames of the ramp that have been rendered; `length` once it has ended.
  var position: Int { @_noLocks get { Int(storedPosition) } }

  /// Frames until the gains are `left` and `right`.
  var remaining: Int { @_noLocks get { length - position } }

  var isSettled: Bool { @_noLocks get { storedPosition == storedLength } }

  /// Whether the ramp has ended, and both gains are 0.
  var isClosed: Bool { @_noLocks get { isSettled && left == 0 && right == 0 } }

  /// Starts a ramp of `frameCount` frames from the present gains to new ones; with 0 frames they
  /// apply at once.
  @_noLocks
  mutating func go(left newLeft: Float, right newRight: Float, in frameCount: Int) {
    guard frameCount > 0 else { return jump(left: newLeft, right: newRight) }
    guard newLeft != left || newRight != right else { return }
    startLeft = gain(from: startLeft, to: left, at: position)
    startRight = gain(from: startRight, to: right, at: position)
    left = newLeft
    right = newRight
    storedLength = UInt32(truncatingIfNeeded: frameCount)
    storedPosition = 0
  }

  @_noLocks
  mutating func jump(left newLeft: Float, right newRight: Float) {
    startLeft = newLeft
    startRight = newRight
    left = newLeft
    right = newRight
    storedPosition = storedLength
  }

  @_noLocks
  mutating func advance(_ frameCount: Int) {
    storedPosition =
      frameCount < remaining
      ? storedPosition &+ UInt32(truncatingIfNeeded: frameCount) : storedLength
  }

  /// The gain after `place` frames of a ramp; `end` once it has ended.
  @_noLocks
  private func gain(from start: Float, to end: Float, at place: Int) -> Float {
    guard place < length else { return end }
    return start + (end - start) / Float(length) * Float(Int32(truncatingIfNeeded: place))
  }

  /// The left gain of the next frames, up to `remaining` of them.
  var leftSlope: GainSlope { @_noLocks get { GainSlope(from: startLeft, to: left, ramp: self) } }

  /// The right gain of the next frames, up to `remaining` of them.
  var rightSlope: GainSlope {
    @_noLocks get { GainSlope(from: startRight, to: right, ramp: self) }
  }

  /// The left gain of the next frames; after the end of the ramp for any number of them.
  var leftGain: GainSlope { @_noLocks get { isSettled ? GainSlope(steady: left) : leftSlope } }

  /// The right gain of the next frames; after the end of the ramp for any number of them.
  var rightGain: GainSlope { @_noLocks get { isSettled ? GainSlope(steady: right) : rightSlope } }

  /// Multiplies the next frames of a channel by their left gains.
  @_noLocks
  func scaleLeft(_ buffer: ChannelBuffer) {
    let moving = Swift.min(buffer.count, remaining)
    let slope = leftSlope
    for frame in 0..<moving { buffer[frame] *= slope.gain(frame) }
    guard left != 1 else { return }
    let rest = buffer.dropping(moving)
    if left == 0 {
      rest.clear()
    } else {
      VectorMath.scale(rest, by: left)
    }
  }
}

/// One channel's gain over the next frames of a ramp: `gain(0)` is the next frame's.
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

  /// A constant gain.
  @_noLocks
  init(steady gain: Float) {
    start = gain
    rise = 0
    next = 0
  }

  @_noLocks
  @inline(__always)
  func gain(_ frame: Int) -> Float {
    // In 32 bits, which vectors can convert.
    start + rise * Float(next &+ Int32(truncatingIfNeeded: frame))
  }
}
