/// What a device is had to keep of what is played because it has run dry: more than it was asked for.
public struct RaisedLatency: Hashable, Sendable {
  /// What was asked for, in seconds.
  public var asked: Double
  /// What is granted now, in seconds.
  public var granted: Double
  /// Since when it is more than was asked for: nanoseconds of a clock that never goes back.
  public var since: UInt64
  /// When a slice of it is given back, where nothing runs dry until then: nanoseconds of the same clock. `nil`
  /// while nothing is played.
  public var lessAt: UInt64?

  public init(asked: Double, granted: Double, since: UInt64, lessAt: UInt64?) {
    self.asked = asked
    self.granted = granted
    self.since = since
    self.lessAt = lessAt
  }

  /// By how much it is more than was asked for, in seconds.
  public var surplus: Double { max(0, granted - asked) }

  /// For how long it has been so, in seconds.
  public func age(at now: UInt64 = monotonicNanoseconds()) -> Double {
    Double(now - min(now, since)) / 1e9
  }

  /// In how many seconds a slice is given back.
  public func timeUntilLess(at now: UInt64 = monotonicNanoseconds()) -> Double? {
    lessAt.map { Double($0 - min($0, now)) / 1e9 }
  }
}
