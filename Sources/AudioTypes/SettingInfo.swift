/// The description of what a user can set: a parameter or a property of a unit, or a setting of a
/// callback, a tap or an expectation. Schema, tables, manual, controls, completion, checks and
/// their messages are made from it, the same for all of them.
public struct SettingInfo: Hashable, Sendable {
  /// When a value can change.
  public enum Change: String, Hashable, Sendable {
    /// It is only read: a meter.
    case readOnly
    /// Of a callback that plays it cannot: one with the new value replaces it.
    case fixed
    /// Until the unit is initialized.
    case untilInitialized
    /// It can be set while the patch plays, but not ramped.
    case live
    /// It can be set and ramped while the patch plays.
    case ramp
  }

  private struct Fields: Hashable, Sendable {
    var key: String
    var constant: String
    var id: UInt32
    var change: Change
    var kind: Kind
    var unit: ParameterUnit
    var defaultValue: SettingValue?
    var isRequired: Bool
    var isRangeEnforced: Bool
    var summary: String
    var proposed: String
  }

  private var storage: SharedFields<Fields>

  /// The name in a patch: `volume`.
  public var key: String {
    get { storage.fields.key }
    set { storage.fields.key = newValue }
  }
  /// The name in Core Audio's headers: `kMultiChannelMixerParam_Volume`; empty for none.
  public var constant: String { storage.fields.constant }
  /// Its number: of a parameter or a property in Core Audio, of a callback's setting among the
  /// settings of its kind. A member of an object of numbers has a number of its own:
  /// `LiveSetting.id`.
  public var id: UInt32 {
    get { storage.fields.id }
    set { storage.fields.id = newValue }
  }
  /// When it can change.
  public var change: Change { storage.fields.change }
  /// The type and the range of the values.
  public var kind: Kind {
    get { storage.fields.kind }
    set { storage.fields.kind = newValue }
  }
  /// The unit of a number; `.generic` for none.
  public var unit: ParameterUnit { storage.fields.unit }
  /// The value of a missing setting; `nil` where it depends on other things.
  public var defaultValue: SettingValue? {
    get { storage.fields.defaultValue }
    set { storage.fields.defaultValue = newValue }
  }
  /// Whether the setting must be given.
  public var isRequired: Bool { storage.fields.isRequired }
  /// Whether a number outside the range is an error. Otherwise it is a warning.
  public var isRangeEnforced: Bool { storage.fields.isRangeEnforced }
  /// A sentence for users.
  public var summary: String { storage.fields.summary }
  /// What patchrun decided about it where Core Audio documents nothing; empty for none.
  public var proposed: String { storage.fields.proposed }

  public init(
    _ key: String, _ kind: Kind, unit: ParameterUnit = .generic,
    defaultValue: SettingValue? = nil, isRequired: Bool = false, change: Change = .fixed,
    isRangeEnforced: Bool = true, id: UInt32 = 0, constant: String = "", summary: String,
    proposed: String = ""
  ) {
    storage = SharedFields(
      Fields(
        key: key, constant: constant, id: id, change: change, kind: kind, unit: unit,
        defaultValue: defaultValue, isRequired: isRequired, isRangeEnforced: isRangeEnforced,
        summary: summary, proposed: proposed))
  }

  /// Whether it can change while the patch plays.
  public var isLive: Bool { change == .live || change == .ramp }

  // MARK: Values

  /// The range of a number, of a boolean and of the numbers of a choice; `nil` for values of any
  /// other kind.
  public var range: ClosedRange<Double>? {
    switch kind {
    case .number(let range, _): range
    case .integer(let range): Double(range.lowerBound)...Double(range.upperBound)
    case .boolean: 0...1
    case .choice(let choices):
      choices.compactMap(\.value).reduce(nil) { range, value in
        let value = Double(value)
        return min(range?.lowerBound ?? value, value)...max(range?.upperBound ?? value, value)
      }
    default: nil
    }
  }

  /// Whether the setting accepts a value. One outside a range that is not enforced is accepted.
  public func accepts(_ value: SettingValue) -> Bool {
    switch (kind, value) {
    case (.number(let range, let excludesLowerBound), .number(let number)):
      number.isFinite
        && (!isRangeEnforced
          || range.contains(number) && !(excludesLowerBound && number == range.lowerBound))
    case (.integer(let range), .number(let number)):
      Int(exactly: number).map(range.contains) ?? false
    case (.boolean, .boolean): true
    case (.choice(let choices), .text(let name)): choices.contains { $0.isCalled(name) }
    case (.choice(let choices), .number(let number)):
      choices.contains { $0.value.map(Double.init) == number }
    case (.path, .text(let path)): !path.isEmpty && !path.utf8.contains(0)
    case (.text, .text(let text)): !text.utf8.contains(0)
    case (.symbol, .text(let name)): Self.isIdentifier(name)
    case (.expression, .text): true
    case (.numbers, .numbers(let numbers)): numbers.values.allSatisfy(\.isFinite)
    case (.list(let most), .list(let list)):
      list.count <= most ?? list.count && list.allSatisfy(\.isFinite)
    case (.integers(let range), .list(let list)):
      list.allSatisfy { Int(exactly: $0).map(range.contains) ?? false }
    case (.rows(let most), .rows(let rows)):
      (1...most + 1).contains(rows.count) && (1...most + 1).contains(rows[0].count)
        && rows.allSatisfy { $0.count == rows[0].count && $0.allSatisfy(\.isFinite) }
    case (.preset(let presets), .text(let name)): presets.contains { $0.name == name }
    case (.preset(let presets), .number(let number)):
      presets.contains { Double($0.number) == number }
    case (.preset, .preset(let preset)): preset.number < 0 && !preset.name.isEmpty
    default: false
    }
  }

  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy {
      ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0) || $0 == 0x5F
    }
  }

  // MARK: Words

  private var symbol: String { unit.symbol.isEmpty ? "" : " \(unit.symbol)" }

  /// The values that it accepts, as words that follow "is" or "takes": `a number from 0 to 8`.
  public var expectation: String {
    switch kind {
    case .number(let range, let excludesLowerBound):
      guard range.lowerBound.isFinite else { return "a finite number" }
      let low = rateText(range.lowerBound)
      let high = range.upperBound.isFinite ? rateText(range.upperBound) : nil
      if !isRangeEnforced {
        return "a number, usually from \(low) to \(rateText(range.upperBound))\(symbol)"
      }
      if excludesLowerBound {
        return "a number above \(low)" + (high.map { " and up to \($0)" } ?? "") + symbol
      }
      return high.map { "a number from \(low) to \($0)\(symbol)" }
        ?? "a number of at least \(low)\(symbol)"
    case .integer(let range):
      return "a whole number from \(range.lowerBound) to \(range.upperBound)\(symbol)"
    case .boolean: return "true or false"
    case .choice(let choices):
      let quoted = choices.map { "\"\($0.name)\"" }
      return quoted.count < 2
        ? quoted.joined()
        : quoted.dropLast().joined(separator: ", ") + " or " + quoted[quoted.count - 1]
    case .path: return "the path of a file"
    case .text: return "a text"
    case .symbol: return "the name of a function in C"
    case .expression: return "an expression"
    case .numbers: return "an object of numbers by name"
    case .list(let most):
      return "an array of " + (most.map { "up to \($0) " } ?? "") + "finite numbers"
    case .integers(let range):
      return "an array of whole numbers from \(range.lowerBound) to \(range.upperBound)"
    case .rows:
      return "an array of rows of one length, each an array of finite numbers, or of decibels such "
        + "as \"-6 dB\": [[1, 0], [0, 1]]"
    case .preset:
      return "the name of a preset or its number, or for one of your own "
        + "{ \"number\": -1, \"name\": \"…\" }"
    case .structure(let structure): return structure.noun
    }
  }

  /// A sentence about a value that is not accepted: `'pan' is a number from -1 to 1, not 7`.
  ///
  /// - Parameter key: What the value is called; `nil` for the setting's own key.
  public func refusal(of value: SettingValue, as key: String? = nil) -> String {
    "'\(key ?? self.key)' is \(expectation), not \(wrongPart(of: value))"
  }

  /// The first element of a list that is not accepted, or how many there are; a value that is no
  /// list as a whole, a text cut after 80 scalars.
  private func wrongPart(of value: SettingValue) -> String {
    switch (kind, value) {
    case (.integers(let range), .list(let list)):
      list.first { !(Int(exactly: $0).map(range.contains) ?? false) }.map(rateText) ?? "\(value)"
    case (.list, .list(let list)):
      list.first { !$0.isFinite }.map(rateText) ?? "\(list.count) numbers"
    case (.rows(let most), .rows(let rows)):
      rows.lazy.joined().first { !$0.isFinite }.map(rateText)
        ?? (rows.contains { $0.count != rows[0].count || $0.isEmpty } || rows.isEmpty
          ? "\(value)" : "more than \(most + 1) rows or columns")
    case (_, .text(let text)) where text.unicodeScalars.count > 80:
      "\"\(String(text.unicodeScalars.prefix(80)))...\""
    default: "\(value)"
    }
  }
}
