/// A playback latency that a device had to raise above the requested one because it ran dry.
public struct RaisedLatency: Hashable, Sendable {
  /// The requested latency, in seconds.
  public var asked: Double
  /// The latency granted now, in seconds.
  public var granted: Double
  /// When the latency was first raised, in nanoseconds of the monotonic clock.
  public var since: UInt64
  /// When the latency will be lowered by a slice, unless there is an underrun before, in
  /// nanoseconds of the monotonic clock; `nil` while nothing is played.
  public var nextLoweringTime: UInt64?

  public init(asked: Double, granted: Double, since: UInt64, nextLoweringTime: UInt64?) {
    self.asked = asked
    self.granted = granted
    self.since = since
    self.nextLoweringTime = nextLoweringTime
  }

  /// The latency above the requested one, in seconds.
  public var surplus: Double { max(0, granted - asked) }

  /// The seconds since the latency was raised.
  public func age(at now: UInt64 = monotonicNanoseconds()) -> Double {
    Double(now - min(now, since)) / 1e9
  }

  /// The seconds until the latency is lowered by a slice; `nil` while nothing is played.
  public func timeUntilLess(at now: UInt64 = monotonicNanoseconds()) -> Double? {
    nextLoweringTime.map { Double($0 - min($0, now)) / 1e9 }
  }
}
