/// A value on its way to a target, a fixed number of frames at a time.
///
/// The length is in frames and not in slices, so that a render sounds the same however it is cut.
public struct LinearRamp: BitwiseCopyable, Sendable {
  private let length: Int
  private var remaining = 0
  private var increment: Float = 0
  private var target: Float
  private var value: Float

  public init(_ value: Float, length: Int) {
    precondition(length > 0, "a ramp needs at least one frame")
    self.length = length
    self.target = value
    self.value = value
  }

  /// Sets out for `target`, from wherever the value is now.
  @_noLocks
  public mutating func aim(at target: Float) {
    guard target != self.target else { return }
    self.target = target
    increment = (target - value) / Float(length)
    remaining = length
  }

  /// Whether the target has been reached, so that `next()` stays what it is.
  public var isSettled: Bool { @_noLocks get { remaining == 0 } }

  /// The value that `next()` gave last.
  public var current: Float { @_noLocks get { value } }

  /// Jumps to a value, with no ramp.
  @_noLocks
  public mutating func jump(to value: Float) {
    target = value
    self.value = value
    remaining = 0
  }

  /// The value for the next frame.
  @_noLocks
  public mutating func next() -> Float {
    guard remaining > 0 else { return value }
    remaining -= 1
    value = remaining == 0 ? target : value + increment
    return value
  }
}
