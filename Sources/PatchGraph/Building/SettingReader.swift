import AudioTypes
import Diagnostics
import PatchSyntax

/// Turns JSON into the values of properties and parameters.
enum SettingReader {
  /// The value of a property; `nil` where the JSON is of another type. A preset that is named and not
  /// among `presets` has the number -1.
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
    case .streamFormat, .presets, .ids, .channelCounts, .parameterInfo, .status, .strings,
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
    return json.number.flatMap { number in
      let value = Float(number)
      return value.isFinite ? value : nil
    }
  }

  /// What a text with a number in it should have been for a parameter, where that can be told.
  static func plainForm(
    of json: JSONValue, _ info: ParameterInfo
  ) -> (help: String, fix: Diagnostic.Fix)? {
    json.plainForm(for: info.unit == .boolean ? .bool : .number, of: measure(info.unit))
      ?? (info.unit == .boolean ? json.plainForm(for: .number, of: .number) : nil)
  }

  /// What a number of a unit measures: of a factor decibels may have been meant.
  static func measure(_ unit: ParameterUnit) -> Quantity.Measure {
    switch unit {
    case .linearGain: .decibels
    case .seconds: .seconds
    case .hertz: .hertz
    case .percent: .percent
    default: .number
    }
  }

  /// What a negative number means where a factor is wanted: decibels, most likely.
  ///
  /// - Returns: A line of help, and the edit.
  static func factor(
    insteadOf decibels: Double, at json: JSONValue
  ) -> (help: String, fix: Diagnostic.Fix)? {
    guard decibels < 0, decibels >= -120, json.kind == .number else { return nil }
    let factor = Quantity.text(Quantity.factor(ofDecibels: decibels))
    return (
      "this is a factor, not decibels: \(Quantity.text(decibels)) dB is \(factor)",
      Diagnostic.Fix(
        "write \(factor)", edits: [.init(json.range, factor)], isSafe: false)
    )
  }

  /// What a property takes, in words.
  static func noun(_ kind: PropertyInfo.Kind) -> String {
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
    case .streamFormat, .presets, .ids, .channelCounts, .parameterInfo, .status, .strings,
      .parameterText, .classInfo, .clipping, .startTime, .object:
      "another value"
    }
  }

  /// What a parameter takes, in words.
  static func noun(_ info: ParameterInfo) -> String {
    info.unit == .boolean ? "true or false" : "a finite number"
  }
}
