/// A playback latency that a device had to raise above the requested one because it ran dry.
public struct RaisedLatency: Hashable, Sendable {
  /// The requested latency, in seconds.
  public var asked: Double
  /// The latency granted now, in seconds.
  public var granted: Double
  /// When it went above the requested one: nanoseconds of the monotonic clock.
  public var since: UInt64
  /// When it is lowered by a slice, unless the device runs dry before: nanoseconds of the monotonic
  /// clock. `nil` while nothing is played.
  public var lessAt: UInt64?

  public init(asked: Double, granted: Double, since: UInt64, lessAt: UInt64?) {
    self.asked = asked
    self.granted = granted
    self.since = since
    self.lessAt = lessAt
  }

  /// The latency above the requested one, in seconds.
  public var surplus: Double { max(0, granted - asked) }

  /// The seconds since it was raised.
  public func age(at now: UInt64 = monotonicNanoseconds()) -> Double {
    Double(now - min(now, since)) / 1e9
  }

  /// The seconds until it is lowered by a slice; `nil` while nothing is played.
  public func timeUntilLess(at now: UInt64 = monotonicNanoseconds()) -> Double? {
    lessAt.map { Double($0 - min($0, now)) / 1e9 }
  }
}
