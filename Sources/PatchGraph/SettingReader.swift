import AudioTypes
import Diagnostics
import PatchSyntax

/// Turns JSON into the values of properties and parameters.
enum SettingReader {
  /// The value of a property; `nil` where the JSON is of another type.
  static func value(of json: JSONValue, for kind: PropertyInfo.Kind) -> PropertyValue? {
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
      if let name = json.string { return .preset(Preset(number: -1, name: name)) }
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
      let numbers = items.compactMap { $0.number.map { Float($0) } }
      return numbers.count == items.count ? .floats(numbers) : nil
    case .streamFormat, .presets, .ids, .channelCounts, .parameterInfo, .status:
      return nil
    }
  }

  /// The value of a parameter; `nil` where the JSON is of another type.
  static func parameter(_ json: JSONValue, _ info: ParameterInfo) -> Float? {
    if info.unit == .boolean, let flag = json.bool { return flag ? 1 : 0 }
    return json.number.flatMap { number in
      let value = Float(number)
      return value.isFinite ? value : nil
    }
  }

  /// What a property takes, in words.
  static func noun(_ kind: PropertyInfo.Kind) -> String {
    switch kind {
    case .boolean: "true or false"
    case .uint32(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .float64: "a finite number"
    case .string: "a text"
    case .preset: "the name of a preset, or its number"
    case .choice(let choices):
      choices.map { quoted($0.name) }.joined(separator: ", ")
    case .integers(let range):
      "an array of whole numbers from \(range.lowerBound) to \(range.upperBound)"
    case .floats: "an array of numbers"
    case .streamFormat, .presets, .ids, .channelCounts, .parameterInfo, .status:
      "another value"
    }
  }

  /// What a parameter takes, in words.
  static func noun(_ info: ParameterInfo) -> String {
    info.unit == .boolean ? "true or false" : "a finite number"
  }
}
