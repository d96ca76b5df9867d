/// A value that ramps linearly to its target, always in the same number of frames.
///
/// The length is in frames and not in slices, so that a render does not depend on how it is sliced.
public struct LinearRamp: BitwiseCopyable, Sendable {
  private let length: Int
  private var remaining = 0
  private var increment: Float = 0
  private var target: Float
  private var value: Float

  /// - Parameters:
  ///   - value: The value until the first `aim(at:)`.
  ///   - length: The frames of each ramp, at least 1.
  public init(_ value: Float, length: Int) {
    precondition(length > 0, "a ramp needs at least one frame")
    self.length = length
    self.target = value
    self.value = value
  }

  /// Starts a ramp to `target` from the current value.
  @_noLocks
  public mutating func aim(at target: Float) {
    guard target != self.target else { return }
    self.target = target
    increment = (target - value) / Float(length)
    remaining = length
  }

  /// Whether the target is reached, so that `next()` is constant.
  public var isSettled: Bool { @_noLocks get { remaining == 0 } }

  /// The last value of `next()`.
  public var current: Float { @_noLocks get { value } }

  /// Sets the value without a ramp.
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
