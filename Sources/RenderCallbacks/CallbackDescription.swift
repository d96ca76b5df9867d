public import AudioTypes
public import FileAccess
public import RenderCore

/// The description of a kind of callback. The schema, the listings and the patch reader are made
/// from it.
public struct CallbackDescription: Sendable {
  /// The name in a patch: `tone`.
  public var kind: String
  public var summary: String
  /// Whether a callback of this kind pulls something upstream; with `.optional`, its settings
  /// decide.
  public var input: CallbackInput
  /// The settings, in the order of the reference.
  public var settings: [SettingInfo]
  /// Whether its sound can restart from a beginning; for an expression, only where it pulls
  /// nothing.
  public var hasBeginning: Bool
  /// The settings that decide where in its sound it is: with the same values of these, a callback
  /// that replaces another goes on at its place. `nil` where every change begins anew.
  public var placeSettings: Set<String>?
  private let check: (@Sendable (SettingValues) -> [CallbackProblem])?
  private let make: @Sendable (SettingValues) -> any RenderCallback

  /// - Parameters:
  ///   - placeSettings: Given by a kind whose source takes a `SourceContinuation`.
  ///   - check: Finds problems of settings that are valid one by one.
  init(
    kind: String, summary: String, input: CallbackInput = .none, hasBeginning: Bool = false,
    placeSettings: Set<String>? = nil, settings: [SettingInfo],
    check: (@Sendable (SettingValues) -> [CallbackProblem])? = nil,
    make: @escaping @Sendable (SettingValues) -> any RenderCallback
  ) {
    self.kind = kind
    self.summary = summary
    self.input = input
    self.hasBeginning = hasBeginning
    self.placeSettings = placeSettings
    self.settings = settings.enumerated().map { index, setting in
      var setting = setting
      setting.id = UInt32(index)
      return setting
    }
    self.check = check
    self.make = make
  }

  /// The problems of the settings that do not depend on the bus. `RenderCallback.problems(for:)`
  /// finds those that depend on the bus and on files.
  public func problems(with values: [String: SettingValue]) -> [CallbackProblem] {
    let found = SettingInfo.problems(
      with: values, settings: settings, of: "\(article(for: kind)) '\(kind)' callback")
    guard found.isEmpty, let check else { return found }
    return check(SettingValues(values, defaults: settings))
  }

  /// Makes the callback. Missing settings have their defaults.
  ///
  /// - Parameter files: The policy for files that it opens.
  /// - Throws: The first of `problems(with:)`.
  public func makeCallback(
    _ values: [String: SettingValue], files: FilePolicy = .user
  ) throws(CallbackProblem) -> any RenderCallback {
    if let problem = problems(with: values).first { throw problem }
    return make(SettingValues(values, defaults: settings, files: files))
  }
}

/// Checked settings, defaults included.
struct SettingValues {
  private var values: [String: SettingValue]
  /// The policy for files that are opened.
  let files: FilePolicy

  init(
    _ values: [String: SettingValue], defaults: [SettingInfo], files: FilePolicy = .user
  ) {
    self.files = files
    self.values = values
    for setting in defaults where values[setting.key] == nil {
      self.values[setting.key] = setting.defaultValue
    }
  }

  func number(_ key: String) -> Double? {
    if case .number(let value) = values[key] { value } else { nil }
  }

  func text(_ key: String) -> String? {
    if case .text(let text) = values[key] { text } else { nil }
  }

  func numbers(_ key: String) -> [String: Double] {
    if case .numbers(let numbers) = values[key] { numbers } else { [:] }
  }

  func boolean(_ key: String) -> Bool {
    if case .boolean(let value) = values[key] { value } else { false }
  }
}

/// Why a callback that generates samples cannot feed a bus of `format`; empty where it can.
func busProblems(_ format: StreamFormat) -> [CallbackProblem] {
  guard format.sampleType != nil, format.channelCount > 0 else {
    return [
      CallbackProblem(
        .formatNotSupported, status: .formatNotSupported,
        "a callback cannot fill a bus of \(format.summary)",
        help: "the samples of a bus are "
          + SampleType.allCases.map(\.rawValue).joined(separator: ", "))
    ]
  }
  guard format.sampleRate > 0 && format.sampleRate.isFinite else {
    return [
      CallbackProblem(
        .formatNotSupported, status: .formatNotSupported,
        "the bus that the callback feeds has no sample rate")
    ]
  }
  return []
}

/// The frames of a change of a live setting: 10 ms.
func glideLength(_ format: StreamFormat) -> Int {
  max(1, Int((format.sampleRate / 100).rounded()))
}

/// The problem of a frequency that a bus of `format` cannot carry.
func frequencyProblem(
  _ frequency: Double, _ key: String, _ format: StreamFormat
) -> CallbackProblem? {
  guard frequency > format.sampleRate / 2 else { return nil }
  return CallbackProblem(
    .badSetting, status: .parameterError,
    "'\(key)' is \(rateText(frequency)) Hz; a bus of \(rateText(format.sampleRate)) Hz carries "
      + "up to \(rateText(format.sampleRate / 2)) Hz",
    help: hertzHelp(format.sampleRate)
      ?? "lower the frequency, or raise the sample rate of the bus", setting: key)
}

extension SettingInfo {
  /// A setting for the peak of a wave, where 1 is full scale.
  static func amplitude(_ defaultValue: Double, _ summary: String) -> SettingInfo {
    SettingInfo(
      "amplitude", .number(0...8), unit: .linearGain, defaultValue: .number(defaultValue),
      change: .ramp, summary: summary)
  }

  /// A setting for the share of the processed sound in the mix with the pulled one.
  static func mix(_ defaultValue: Double, _ summary: String) -> SettingInfo {
    SettingInfo(
      "mix", .number(0...1), unit: .ratio, defaultValue: .number(defaultValue),
      change: .ramp, summary: summary)
  }
}
