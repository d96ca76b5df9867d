import AudioTypes
import PatchGraph

/// The cells of a parameter or a property in the listings.
struct SettingRow {
  var setting: SettingInfo
  /// The scopes: `input, output`; `input 1, output 0` where it exists on one element only; `all`.
  var scopes: String
  /// `scopes` in short: `in 1, out 0`.
  var shortScopes: String
  var access: String
  /// The value of a fresh unit, of several scopes with slashes between; `-` where the buses differ.
  var defaultValue: String
  /// Whether it is a property that a patch may set.
  var isPatchProperty = false

  /// - Parameter scopes: Those of the parameters that differ in nothing else.
  init(_ info: ParameterInfo, in scopes: [Scope]? = nil) {
    setting = info.setting
    self.scopes = (scopes ?? [info.scope]).map { "\($0)" }.joined(separator: ", ")
    shortScopes = self.scopes
    access = Self.access(info.setting)
    defaultValue = plain(info.defaultValue)
  }

  /// - Parameter unit: The unit of the property; `nil` in a table about every unit.
  init(_ info: PropertyInfo, of unit: UnitDescription?) {
    setting = info.setting
    let scopes = Scope.allCases.filter(info.scopes.contains)
    self.scopes =
      scopes.count == Scope.allCases.count && info.elements.isEmpty
      ? "all"
      : scopes.map { scope in info.elements[scope].map { "\(scope) \($0)" } ?? "\(scope)" }
        .joined(separator: ", ")
    shortScopes =
      info.elements.isEmpty
      ? self.scopes
      : self.scopes.replacing("input", with: "in").replacing("output", with: "out")
    access = info.isReadable ? Self.access(info.setting) : "write"
    isPatchProperty = info.isPatchProperty
    let values = Scope.allCases.compactMap { info.scopeDefaults[$0].map(info.text) }
    if info.id == .elementCount, let unit {
      defaultValue = "\(unit.inputs.count)/\(unit.outputs.count)"
    } else {
      defaultValue =
        values.isEmpty ? info.text(of: info.defaultValue) : values.joined(separator: "/")
    }
  }

  private static func access(_ setting: SettingInfo) -> String {
    switch setting.change {
    case .readOnly: "read"
    case .fixed, .live: "read, write"
    case .untilInitialized: "read, write until initialized"
    case .ramp: "read, write, ramp"
    }
  }

  /// A short form of `access`. A line above the table explains `until init`.
  var shortAccess: String {
    setting.change == .untilInitialized ? "until init" : access
  }

  /// The number, or the four-character code of an AudioConverter's property, as Core Audio prints
  /// them; of a parameter of a band, the sum that gives it.
  var id: String {
    let code = setting.id < 0x1_0000 ? nil : FourCharCode(rawValue: setting.id).text
    return (code.map { "'\($0)'" } ?? "\(setting.id)") + (setting.key.contains("/") ? " + N" : "")
  }

  /// The key; with a star, that of a property which a patch may set.
  func key(_ star: String) -> String { setting.key + (isPatchProperty ? star : "") }

  var unit: String {
    let symbol = setting.unit.symbol
    return setting.unit.name + (symbol.isEmpty ? "" : " (\(symbol))")
  }

  /// The range; called "usual" where a value outside it only gives a warning.
  var range: String {
    let range = setting.range ?? 0...0
    return (setting.isRangeEnforced ? "" : "usually ")
      + "\(rateText(range.lowerBound)) to \(rateText(range.upperBound))"
  }

  /// The type, with the unit of a number: `number (s)`.
  var type: String {
    kind + (setting.unit.symbol.isEmpty ? "" : " (\(setting.unit.symbol))")
  }

  private var kind: String {
    switch setting.kind {
    case .boolean: "boolean"
    case .integer(let range) where range.upperBound == Int(UInt32.max): "whole number"
    case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .number: "number"
    case .choice: setting.kind.names.joined(separator: ", ")
    case .preset: "preset"
    case .list, .numbers: "numbers"
    case .rows: "rows of numbers"
    case .integers(let range) where range.upperBound == Int(Int32.max):
      "numbers from \(range.lowerBound)"
    case .integers(let range): "numbers \(range.lowerBound) to \(range.upperBound)"
    case .structure(.object): "object"
    case .structure(.parameterInfo): "parameter info"
    case .structure(let structure): String(structure.noun.trimmingPrefix("a "))
    case .text, .path, .symbol, .expression: "text"
    }
  }

  /// A short form of `type`, and a note with what it leaves out.
  var shortType: (text: String, note: String?) {
    guard case .choice = setting.kind else { return (type, nil) }
    return ("a choice", "One of \(type).")
  }

  // MARK: Sentences

  /// What is said below a row of a table in a terminal.
  var notes: [String] { [setting.constant, setting.summary] }

  /// What is ours, as a note; `nil` where all is Core Audio's.
  var ours: String? {
    setting.proposed.isEmpty ? nil : "Ours, not Core Audio's: \(setting.proposed)."
  }

  /// The last cell of a row in Markdown.
  var markdown: String {
    "\(setting.summary) `\(setting.constant)`" + (ours.map { ". *\($0)*" } ?? "")
  }

  /// An entry of a manual page.
  ///
  /// - Parameters:
  ///   - facts: What there is to know, in phrases; empty ones are left out.
  ///   - more: A sentence after them.
  func entry(_ facts: [String], more: String = "") -> ManualPage.Entry {
    let facts = facts.filter { !$0.isEmpty }.joined(separator: "; ")
    return ManualPage.Entry(
      key(" *"),
      "\(setting.summary) \(sentence(facts)) `\(setting.constant)`.\(more)"
        + (ours.map { " \($0)" } ?? ""))
  }
}

extension SettingInfo {
  /// The cells of a setting of a callback, a tap or an expectation: what it takes, and its default.
  var cells: [String] {
    ["", "`\(key)`", expectation, defaultValue.map { "`\($0)`" } ?? (isRequired ? "required" : "")]
  }

  /// What can be done to it while the patch plays: `turned`, `ramped`.
  var turns: [String] {
    switch change {
    case .readOnly, .fixed, .untilInitialized: []
    case .live: ["turned"]
    case .ramp: ["turned", "ramped"]
    }
  }
}

extension UnitDescription.Buses {
  /// The number of buses: `1`, or `8 (1 to 1024)` where it may be set.
  var text: String {
    "\(count)" + (settable.map { " (\($0.lowerBound) to \($0.upperBound))" } ?? "")
  }
}

extension UnitDescription {
  /// The listed parameters. Those that differ only in their scope share a row.
  var parameterRows: [SettingRow] {
    let all = listedParameters
    return all.enumerated().compactMap { index, info in
      let isAlike = { (other: ParameterInfo) in other.setting == info.setting }
      return all[..<index].contains(where: isAlike)
        ? nil : SettingRow(info, in: all.filter(isAlike).map(\.scope))
    }
  }

  /// The names of the factory presets, by number; empty for a unit without.
  var presets: [Preset] {
    if case .presets(let presets)? = property(.factoryPresets)?.defaultValue { presets } else { [] }
  }
}
