public import AudioTypes

/// A callback with settings that can be set, ramped, scheduled and observed while it plays, as a
/// unit's parameters can.
///
/// It lists these settings with their initial values, and makes a kernel that follows their
/// controls.
public protocol LiveCallback: RenderCallback {
  /// The live settings with their initial values. A callback always returns the same settings in
  /// the same order.
  var liveSettings: [LiveSetting] { get }

  /// The same callback with other values, by the keys of live settings. Settings that are not named
  /// stay.
  func setting(_ values: [String: Double]) -> Self

  /// Makes the kernel and the service for a bus; the kernel follows the controls of an instance.
  ///
  /// - Parameters:
  ///   - instance: The instance that the source belongs to. This callback has its current values.
  ///   - before: The source to replace and continue; `nil` to start at the beginning.
  /// - Throws: The first of `problems(for:)`.
  func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource
}

extension LiveCallback {
  public var live: (any LiveCallback)? { self }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    try makeSource(
      for: format, maximumFramesPerSlice: maximumFramesPerSlice,
      following: CallbackInstance(self), after: nil)
  }
}

/// A source that another one replaces and continues.
public struct SourceContinuation: Sendable {
  /// The position of the source that is replaced.
  public var clock: SourceClock
  /// Seconds until the new source is first heard, approximately; 0 for as soon as possible.
  public var delay: Double

  public init(_ clock: SourceClock, delay: Double = 0) {
    self.clock = clock
    self.delay = delay
  }
}

/// A setting of a callback that can be changed while it plays, as a unit's parameter can.
public struct LiveSetting: Hashable, Sendable {
  /// Its number among the settings of its callback.
  public var id: UInt32
  /// The description of the setting; of one number of an object of numbers, that of any number.
  public var info: SettingInfo
  /// The name of the member, for one number of a setting that is an object of numbers; `nil` for
  /// any other setting.
  public var member: String?
  /// The initial value; 0 or 1 for false and true.
  public var value: Double

  public init(_ info: SettingInfo, member: String? = nil, id: UInt32? = nil, value: Double) {
    self.id = id ?? info.id
    self.info = info
    if member != nil {
      self.info.kind = .anyNumber
      self.info.defaultValue = nil
    }
    self.member = member
    self.value = value
  }

  /// Its name in the callback: `gain`, or `constants/depth`.
  public var key: String { member.map { "\(info.key)/\($0)" } ?? info.key }

  /// Its path in the callback's object in a patch.
  public var path: [String] { [info.key] + (member.map { [$0] } ?? []) }

  /// Whether the value can ramp.
  public var canRamp: Bool { info.change == .ramp }

  /// Whether the value is in range.
  public func accepts(_ value: Double) -> Bool { info.accepts(info.kind.value(of: value)) }

  /// The range of values; the finite floats where the setting has no bounds.
  public var range: ClosedRange<Double> {
    let most = Double(Float.greatestFiniteMagnitude)
    return (info.range ?? -most...most).clamped(to: -most...most)
  }
}
