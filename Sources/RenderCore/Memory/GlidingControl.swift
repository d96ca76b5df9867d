/// A control, as a kernel follows it: each change is a linear ramp over the frames of its glide or,
/// without a glide, over a length that the kernel chooses.
///
/// The value of a frame is computed from its position in the ramp, so that it does not depend on
/// how a render is sliced. A change found in the first slice applies at once.
public struct GlidingControl: BitwiseCopyable {
  private let controls: ControlAccess
  private let index: Int
  /// The frames of a change without a glide.
  private let length: Int
  private var word: UInt32
  private var origin: Double
  private var target: Double
  private var value: Double
  private var position = 0
  private var frames = 0
  /// Whether `follow()` has been called, so that a later change ramps.
  public private(set) var hasBegun = false
  /// Whether the control has ever changed since this was made.
  public private(set) var hasChanged = false
  /// Whether the current or last change has a glide of its own.
  public private(set) var isRamping = false

  /// - Parameters:
  ///   - value: The current value; the control has the nearest float.
  ///   - length: The frames of a change without a glide, at least 1.
  public init(_ controls: ControlAccess, _ index: Int, value: Double, length: Int) {
    precondition(length > 0, "a change needs at least one frame")
    self.controls = controls
    self.index = index
    self.length = length
    word = controls[word: index]
    origin = value
    target = value
    self.value = value
  }

  /// Reads the control, and starts a ramp where it has changed. Called at the beginning of each
  /// slice. Returns whether it has changed.
  @_noLocks
  @discardableResult
  public mutating func follow() -> Bool {
    let now = controls[word: index]
    let isFirst = !hasBegun
    hasBegun = true
    if now == word { return false }
    word = now
    let next = Double(Float(bitPattern: now))
    // False for infinities and NaN.
    guard next - next == 0 else { return false }
    hasChanged = true
    let glide = controls.glide(index)
    isRamping = glide > 0
    origin = value
    target = next
    position = 0
    frames = glide > 0 ? glide : length
    if isFirst {
      value = next
      origin = next
      frames = 0
    }
    return true
  }

  /// Whether the ramp is over, so that `next()` is constant.
  public var isSettled: Bool { @_noLocks get { position >= frames } }

  /// The value of the last frame.
  public var current: Double { @_noLocks get { value } }

  /// The value that the ramp ends at.
  public var goal: Double { @_noLocks get { target } }

  /// The value of the next frame.
  @_noLocks
  public mutating func next() -> Double {
    if position >= frames { return value }
    position += 1
    value =
      position == frames
      ? target : origin + (target - origin) * (Double(position) / Double(frames))
    return value
  }

  /// Advances by frames whose values are not needed.
  @_noLocks
  public mutating func skip(_ frameCount: Int) {
    if position >= frames { return }
    position = frameCount < frames - position ? position + frameCount : frames
    value =
      position == frames
      ? target : origin + (target - origin) * (Double(position) / Double(frames))
  }

  /// Multiplies samples by the values of the next frames, as many as `sink` has, each rounded to a
  /// float. The two buffers may be the same.
  @_noLocks
  public mutating func multiply(_ source: ChannelBuffer, into sink: ChannelBuffer) {
    precondition(source.count >= sink.count, "there is a sample for each frame")
    // The last frame of a ramp has its target, and is not computed.
    let left = frames - position - 1
    let ramped = left < 0 ? 0 : left < sink.count ? left : sink.count
    if ramped > 0 {
      multiplyByRamp(
        source.prefix(ramped), from: origin, rise: target - origin, place: position,
        length: frames, into: sink.prefix(ramped))
      skip(ramped)
    }
    let rest = sink.count - ramped
    guard rest > 0 else { return }
    let gain = Float(next())
    VectorMath.multiply(
      source.dropping(ramped).prefix(rest), by: gain, into: sink.dropping(ramped))
  }
}
