public import AudioTypes

/// The value of a setting of a callback or a tap, as written in a patch.
public enum SettingValue: Hashable, Sendable {
  case number(Double)
  case text(String)
  case boolean(Bool)
  /// Numbers by name.
  case numbers([String: Double])

  /// The type of the value in the words of a diagnostic: `a number`.
  public var kindName: String {
    switch self {
    case .number: "a number"
    case .text: "a string"
    case .boolean: "true or false"
    case .numbers: "an object"
    }
  }
}

extension SettingValue: CustomStringConvertible {
  /// The value as it would be written in a patch.
  public var description: String {
    switch self {
    case .number(let value): rateText(value)
    case .text(let text): "\"\(text)\""
    case .boolean(let value): "\(value)"
    case .numbers(let numbers):
      numbers.isEmpty
        ? "{}"
        : "{ "
          + numbers.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \(rateText($0.value))" }
          .joined(separator: ", ") + " }"
    }
  }
}

/// The description of a setting of a kind of callback or tap. Schema, listings and checks are made
/// from it.
public struct SettingInfo: Hashable, Sendable {
  /// The type and the range of the values.
  public enum Kind: Hashable, Sendable {
    /// A finite number. With `excludesLowerBound` it must be above the lower bound.
    case number(ClosedRange<Double>, excludesLowerBound: Bool = false)
    /// A whole number.
    case integer(ClosedRange<Int>)
    case boolean
    case choice([String])
    /// The path of a file.
    case path
    /// Any text without a NUL.
    case text
    /// The name of a function in C.
    case symbol
    /// A formula of an `expression` callback.
    case expression
    /// Finite numbers by name.
    case numbers
  }

  /// Whether the setting can change while a callback plays.
  public enum Change: String, Hashable, Sendable {
    /// It cannot: a callback with the new value replaces this one.
    case fixed
    /// It can be set, but not ramped.
    case live
    /// It can be set and ramped, as a unit's parameter can.
    case ramp
  }

  /// The name in a patch: `frequency`.
  public var key: String
  /// Its number among the settings of its kind. A member of an object of numbers has a number of
  /// its own: `LiveSetting.id`.
  public var id: UInt32
  /// Whether it can change while a callback plays.
  public var change: Change
  /// The type and the range of the values.
  public var kind: Kind
  /// The unit of a number; `.generic` for none.
  public var unit: ParameterUnit
  /// The value of a missing setting; `nil` where it depends on other things.
  public var defaultValue: SettingValue?
  /// Whether the setting must be given.
  public var isRequired: Bool
  /// A sentence for users.
  public var summary: String

  public init(
    _ key: String, _ kind: Kind, unit: ParameterUnit = .generic,
    defaultValue: SettingValue? = nil, isRequired: Bool = false, change: Change = .fixed,
    id: UInt32 = 0, summary: String
  ) {
    self.key = key
    self.id = id
    self.change = change
    self.kind = kind
    self.unit = unit
    self.defaultValue = defaultValue
    self.isRequired = isRequired
    self.summary = summary
  }

  /// The values that it accepts, as words that follow "must be": `a number from 0 to 8`.
  public var expectation: String {
    let symbol = unit.symbol.isEmpty ? "" : " \(unit.symbol)"
    switch kind {
    case .number(let range, let excludesLowerBound):
      let low = rateText(range.lowerBound)
      let high = range.upperBound.isFinite ? rateText(range.upperBound) : nil
      if excludesLowerBound {
        return "a number above \(low)" + (high.map { " and up to \($0)" } ?? "") + symbol
      }
      return high.map { "a number from \(low) to \($0)\(symbol)" }
        ?? "a number of at least \(low)\(symbol)"
    case .integer(let range):
      return "a whole number from \(range.lowerBound) to \(range.upperBound)\(symbol)"
    case .boolean: return "true or false"
    case .choice(let names):
      let quoted = names.map { "\"\($0)\"" }
      return quoted.count < 2
        ? quoted.joined()
        : quoted.dropLast().joined(separator: ", ") + " or " + quoted[quoted.count - 1]
    case .path: return "the path of a file"
    case .text: return "a text"
    case .symbol: return "the name of a function in C"
    case .expression: return "an expression"
    case .numbers: return "an object of numbers by name"
    }
  }

  /// Whether the setting accepts a value.
  public func accepts(_ value: SettingValue) -> Bool {
    switch (kind, value) {
    case (.number(let range, let excludesLowerBound), .number(let number)):
      number.isFinite && range.contains(number)
        && !(excludesLowerBound && number == range.lowerBound)
    case (.integer(let range), .number(let number)):
      Int(exactly: number).map(range.contains) ?? false
    case (.boolean, .boolean): true
    case (.choice(let names), .text(let name)): names.contains(name)
    case (.path, .text(let path)): !path.isEmpty && !path.utf8.contains(0)
    case (.text, .text(let text)): !text.utf8.contains(0)
    case (.symbol, .text(let name)): Self.isIdentifier(name)
    case (.expression, .text): true
    case (.numbers, .numbers(let numbers)): numbers.values.allSatisfy(\.isFinite)
    default: false
    }
  }

  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy {
      ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0) || $0 == 0x5F
    }
  }

  /// The problems of settings given to `kind`: values that are not accepted, missing settings,
  /// unknown names.
  public static func problems(
    with values: [String: SettingValue], settings: [SettingInfo], of kind: String
  ) -> [CallbackProblem] {
    var found: [CallbackProblem] = []
    for setting in settings {
      guard let value = values[setting.key] else {
        if setting.isRequired {
          found.append(
            CallbackProblem(
              .badSetting, status: .parameterError, "\(kind) needs '\(setting.key)'",
              help: "'\(setting.key)' is \(setting.expectation): \(setting.summary)",
              setting: setting.key))
        }
        continue
      }
      if !setting.accepts(value) {
        found.append(
          CallbackProblem(
            .badSetting, status: .parameterError,
            "'\(setting.key)' is \(value); it must be \(setting.expectation)",
            help: setting.summary, setting: setting.key))
      }
    }
    for key in values.keys.sorted() where !settings.contains(where: { $0.key == key }) {
      found.append(
        CallbackProblem(
          .badSetting, status: .parameterError, "\(kind) has no setting '\(key)'",
          help: settings.isEmpty
            ? "\(kind) has no settings"
            : "its settings are " + settings.map { "'\($0.key)'" }.joined(separator: ", "),
          setting: key))
    }
    return found
  }
}
