/// What hardware does when its sink, its source or its server disappears, stays suspended or hangs.
public struct DeviceLossPolicy: Hashable, Sendable {
  /// Whether the hardware waits for a lost device. Otherwise the loss is a `failure`.
  public var isAwaited: Bool
  /// Whether the default device replaces the requested one while the latter is missing.
  public var takesDefault: Bool
  /// Whether the session is paused while there is no device. Otherwise a clock pulls it, and its
  /// output is discarded.
  public var holds: Bool

  /// The run fails.
  public static let fail = DeviceLossPolicy(isAwaited: false)

  public init(isAwaited: Bool, takesDefault: Bool = false, holds: Bool = false) {
    self.isAwaited = isAwaited
    self.takesDefault = takesDefault
    self.holds = holds
  }

  /// The policy in one byte, for an atomic.
  var bits: UInt8 { (isAwaited ? 1 : 0) | (takesDefault ? 2 : 0) | (holds ? 4 : 0) }

  init(bits: UInt8) {
    self.init(
      isAwaited: bits & 1 != 0, takesDefault: bits & 2 != 0, holds: bits & 4 != 0)
  }
}
