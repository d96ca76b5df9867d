/// What hardware does when its sink, its source or its server goes, stays suspended or hangs.
public struct DeviceLossPolicy: Hashable, Sendable {
  /// Whether the device is waited for. Otherwise its loss is a `failure`.
  public var isAwaited: Bool
  /// Whether the default device is taken as long as the one that was asked for is not there.
  public var takesDefault: Bool
  /// Whether the session is paused until there is a device. Otherwise it is pulled by the clock, and
  /// what it renders is not heard.
  public var holds: Bool

  /// The run fails.
  public static let fail = DeviceLossPolicy(isAwaited: false)

  public init(isAwaited: Bool, takesDefault: Bool = false, holds: Bool = false) {
    self.isAwaited = isAwaited
    self.takesDefault = takesDefault
    self.holds = holds
  }

  /// In one byte, so that it is read and written in one go.
  var bits: UInt8 { (isAwaited ? 1 : 0) | (takesDefault ? 2 : 0) | (holds ? 4 : 0) }

  init(bits: UInt8) {
    self.init(
      isAwaited: bits & 1 != 0, takesDefault: bits & 2 != 0, holds: bits & 4 != 0)
  }
}
