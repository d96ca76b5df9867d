import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCore

/// Turns JSON into the values of properties and parameters.
enum SettingReader {
  /// The value of a property; `nil` where the JSON is of another type. A preset name that is not in
  /// `presets` gives the number -1.
  static func value(
    of json: JSONValue, for kind: PropertyInfo.Kind, presets: [Preset] = []
  ) -> PropertyValue? {
    switch kind {
    case .boolean:
      return json.bool.map { .uint32($0 ? 1 : 0) }
    case .uint32:
      return json.integer.flatMap { UInt32(exactly: $0) }.map { .uint32($0) }
    case .float64:
      return json.number.flatMap { $0.isFinite ? .float64($0) : nil }
    case .string:
      return json.string.map { .string($0) }
    case .preset:
      if let name = json.string {
        return .preset(presets.first { $0.name == name } ?? Preset(number: -1, name: name))
      }
      if json.kind == .object { return ownPreset(json).map { .preset($0) } }
      return json.integer.flatMap { Int32(exactly: $0) }
        .flatMap { $0 < 0 ? nil : .preset(Preset(number: $0, name: "")) }
    case .choice(let choices):
      if let text = json.string {
        return choices.first { $0.isCalled(text) }.map { .uint32($0.value) }
      }
      return json.integer.flatMap { UInt32(exactly: $0) }.map { .uint32($0) }
    case .integers:
      guard json.kind == .array else { return nil }
      let items = Array(json.elements)
      let numbers = items.compactMap { $0.integer.flatMap { Int32(exactly: $0) } }
      return numbers.count == items.count ? .integers(numbers) : nil
    case .floats:
      guard json.kind == .array else { return nil }
      let items = Array(json.elements)
      let numbers = items.compactMap { $0.number.map { Float($0) } }.filter(\.isFinite)
      return numbers.count == items.count ? .floats(numbers) : nil
    case .matrix:
      guard json.kind == .array else { return nil }
      var rows: [[Float]] = []
      for row in json.elements {
        guard row.kind == .array else { return nil }
        let items = Array(row.elements)
        let numbers = items.compactMap { $0.number(in: .decibels).map { Float($0) } }.filter(
          \.isFinite)
        guard numbers.count == items.count, numbers.count == rows.first?.count ?? numbers.count,
          !numbers.isEmpty
        else { return nil }
        rows.append(numbers)
      }
      return rows.isEmpty ? nil : .matrix(rows)
    case .streamFormat, .presets, .doubles, .ids, .channelCounts, .parameterInfo, .status, .strings,
      .parameterText, .classInfo, .clipping, .startTime, .object:
      return nil
    }
  }

  /// A preset of the user's own: a number below 0 and a name.
  private static func ownPreset(_ json: JSONValue) -> Preset? {
    let keys = json.members.compactMap { $0.key.string }
    guard keys.allSatisfy({ ["number", "name", "comment"].contains($0) }),
      let number = json["number"]?.integer.flatMap({ Int32(exactly: $0) }), number < 0,
      let name = json["name"]?.string, !name.isEmpty
    else { return nil }
    return Preset(number: number, name: name)
  }

  /// The value of a parameter; `nil` where the JSON is of another type.
  static func parameter(_ json: JSONValue, _ info: ParameterInfo) -> Float? {
    if info.unit == .boolean, let flag = json.bool { return flag ? 1 : 0 }
    if info.unit == .indexed, let text = json.string {
      return info.valueNames.firstIndex(of: text).map { info.range.lowerBound + Float($0) }
    }
    return json.number(in: Quantity.Measure(info.unit)).flatMap { number in
      let value = Float(number)
      return value.isFinite ? value : nil
    }
  }

  /// Help and a fix for a parameter whose value is a text that contains a number; `nil` where the
  /// number is unclear.
  static func plainForm(
    of json: JSONValue, _ info: ParameterInfo
  ) -> (help: String, fix: Diagnostic.Fix)? {
    json.plainForm(for: info.unit == .boolean ? .bool : .number, of: Quantity.Measure(info.unit))
      ?? (info.unit == .boolean ? json.plainForm(for: .number, of: .number) : nil)
  }

  /// The measure of a setting that is a number; `number` for any other setting.
  static func measure(of info: SettingInfo) -> Quantity.Measure {
    switch info.kind {
    case .number, .integer: Quantity.Measure(info.unit)
    default: .number
    }
  }

  /// Help and a fix for a negative number in place of a factor, which most likely means decibels;
  /// `nil` for a number that is not from -120 to 0.
  static func decibelForm(
    of decibels: Double, at json: JSONValue
  ) -> (help: String, fix: Diagnostic.Fix)? {
    guard decibels < 0, decibels >= -120, json.kind == .number else { return nil }
    let written = "\"\(Quantity.text(decibels)) dB\""
    return (
      "this is a factor: decibels are written \(written)",
      Diagnostic.Fix(
        "write \(written)", edits: [.init(json.range, written)], isSafe: false)
    )
  }

  /// The words for the values of a property.
  static func valueDescription(_ kind: PropertyInfo.Kind) -> String {
    switch kind {
    case .boolean: "true or false"
    case .uint32(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .float64: "a finite number"
    case .string: "a text"
    case .preset:
      "the name of a preset or its number, or for one of your own "
        + "{ \"number\": -1, \"name\": \"…\" }"
    case .choice(let choices):
      choices.enumerated().map { index, choice in
        (index == 0 ? "" : index == choices.count - 1 ? " or " : ", ") + quoted(choice.name)
      }.joined()
    case .integers(let range):
      "an array of whole numbers from \(range.lowerBound) to \(range.upperBound)"
    case .floats: "an array of finite numbers"
    case .matrix:
      "an array of rows of one length, each an array of finite numbers, or of decibels such as "
        + "\"-6 dB\": [[1, 0], [0, 1]]"
    case .streamFormat, .presets, .doubles, .ids, .channelCounts, .parameterInfo, .status, .strings,
      .parameterText, .classInfo, .clipping, .startTime, .object:
      "another value"
    }
  }

  /// The words for the values of a parameter.
  static func valueDescription(_ info: ParameterInfo) -> String {
    if info.unit == .indexed, !info.valueNames.isEmpty {
      return info.valueNames.map(quoted).joined(separator: ", ") + ", or its number"
    }
    return info.unit == .boolean
      ? "true or false"
      : "a finite number" + WrittenQuantity.alternative(for: Quantity.Measure(info.unit))
  }
}
