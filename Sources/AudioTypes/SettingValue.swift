/// The value of a setting, as written in a patch.
public enum SettingValue: Hashable, Sendable {
  case number(Double)
  case text(String)
  case boolean(Bool)
  /// Numbers by name.
  case numbers([String: Double])
  /// Numbers in an order.
  case list([Double])
  /// Numbers in rows.
  case rows([[Double]])
  /// A preset of the user's own: a number below 0 and a name.
  case preset(Preset)
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
    case .list(let list): "[\(list.map(rateText).joined(separator: ", "))]"
    case .rows(let rows):
      "[\(rows.map { SettingValue.list($0).description }.joined(separator: ", "))]"
    case .preset(let preset): "{ \"number\": \(preset.number), \"name\": \"\(preset.name)\" }"
    }
  }

  /// The value in a word or two, without what JSON puts around it: `none`, `1, 0; 0, 1`.
  public var words: String {
    switch self {
    case .text(let text): text
    case .list(let list): list.map(rateText).joined(separator: ", ")
    case .rows(let rows): rows.map { SettingValue.list($0).words }.joined(separator: "; ")
    case .preset(let preset): preset.name
    case .number, .boolean, .numbers: description
    }
  }
}

// MARK: - Types that values are read into

/// A type that the value of a setting is read into.
package protocol SettingPart: Sendable {
  /// - Returns: `nil` for a value of another type.
  init?(setting: SettingValue)
}

extension Double: SettingPart {
  package init?(setting: SettingValue) {
    guard case .number(let number) = setting else { return nil }
    self = number
  }
}

extension Int: SettingPart {
  package init?(setting: SettingValue) {
    guard case .number(let number) = setting else { return nil }
    self.init(exactly: number)
  }
}

extension Bool: SettingPart {
  package init?(setting: SettingValue) {
    guard case .boolean(let flag) = setting else { return nil }
    self = flag
  }
}

/// The words that a setting is one of: `SettingInfo.Kind.choice(of:)`.
package protocol SettingWord: SettingPart, CaseIterable, RawRepresentable<String> {
  /// What the word means, in a sentence.
  var summary: String { get }
}

extension SettingWord {
  package init?(setting: SettingValue) {
    guard case .text(let word) = setting else { return nil }
    self.init(rawValue: word)
  }
}

// MARK: - Presets

/// Core Audio's `AUPreset`.
public struct Preset: Hashable, Sendable {
  /// From 0 up for a factory preset, negative for a user's own.
  public var number: Int32
  /// The name for users.
  public var name: String

  public init(number: Int32, name: String) {
    self.number = number
    self.name = name
  }
}
