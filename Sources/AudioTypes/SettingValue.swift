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
