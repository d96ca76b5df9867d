public import AudioTypes

/// A callback some of whose settings can be turned, ramped, scheduled and listened to while it plays, as
/// a unit's parameters can.
///
/// It says which, with the values that it begins with, and makes a kernel that follows their controls.
public protocol LiveCallback: RenderCallback {
  /// What can be turned, with the values that it begins with: always the same settings in the same order
  /// for the same callback.
  var liveSettings: [LiveSetting] { get }

  /// The same callback with other values, by the keys of live settings. What is not named stays.
  func setting(_ values: [String: Double]) -> Self

  /// Makes the callback's two halves, whose kernel follows the controls of an instance.
  ///
  /// - Parameters:
  ///   - instance: That of this callback: what its settings are now is what this callback says.
  ///   - before: What the source takes the place of, where it goes on; `nil` for a beginning.
  func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource
}

extension LiveCallback {
  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    try makeSource(
      for: format, maximumFramesPerSlice: maximumFramesPerSlice,
      following: CallbackInstance(self), after: nil)
  }
}

/// A source that another one takes the place of.
public struct SourceContinuation: Sendable {
  /// Where the one that goes is.
  public var clock: SourceClock
  /// In how many seconds the other one is heard first, about; 0 for as soon as can be.
  public var delay: Double

  public init(_ clock: SourceClock, delay: Double = 0) {
    self.clock = clock
    self.delay = delay
  }
}

/// A setting of one callback that can be turned while it plays, as a unit has a parameter.
public struct LiveSetting: Hashable, Sendable {
  /// Its number among those of its callback.
  public var id: UInt32
  /// What is known of the setting.
  public var info: SettingInfo
  /// Of an object of numbers the one that this is.
  public var member: String?
  /// What the callback begins with; 0 or 1 for false and true.
  public var value: Double

  public init(_ info: SettingInfo, member: String? = nil, id: UInt32? = nil, value: Double) {
    self.id = id ?? info.id
    self.info = info
    self.member = member
    self.value = value
  }

  /// Its name in the callback: `gain`, or `constants/depth`.
  public var key: String { member.map { "\(info.key)/\($0)" } ?? info.key }

  /// Where it is in the callback's object in a patch.
  public var path: [String] { [info.key] + (member.map { [$0] } ?? []) }

  /// Whether it can go from one value to another in time.
  public var canRamp: Bool { info.change == .ramp }

  /// Whether it is a switch.
  public var isBoolean: Bool { info.kind == .boolean }

  /// Whether it may have a value.
  public func accepts(_ value: Double) -> Bool {
    switch info.kind {
    case .boolean: value == 0 || value == 1
    case .numbers: value.isFinite
    default: info.accepts(.number(value))
    }
  }

  /// What it may be, to follow "must be".
  public var expectation: String {
    if case .numbers = info.kind { "a finite number" } else { info.expectation }
  }

  /// The values that it may have; a bound of floats where there is none.
  public var range: ClosedRange<Double> {
    let most = Double(Float.greatestFiniteMagnitude)
    switch info.kind {
    case .number(let range, _): return max(-most, range.lowerBound)...min(most, range.upperBound)
    case .integer(let range): return Double(range.lowerBound)...Double(range.upperBound)
    case .boolean: return 0...1
    default: return -most...most
    }
  }
}
