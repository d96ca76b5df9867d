import AudioTypes

/// Checks whether a property takes a value.
enum PropertyCheck {
  /// Checks a value, and returns the one to store: a factory preset gets both its number and its
  /// name.
  static func checked(
    _ value: PropertyValue, for info: PropertyInfo, of description: UnitDescription,
    at place: Violation.Place
  ) throws(Violation) -> PropertyValue {
    switch (info.kind, value) {
    case (.boolean, .uint32(let word)) where word <= 1: return value
    case (.boolean, .uint32(let word)):
      throw invalid("'\(info.key)' is 0 or 1, not \(word)", place)
    case (.uint32(let range), .uint32(let word)):
      if range.contains(word) { return value }
      throw invalid(
        "'\(info.key)' is \(range.lowerBound) to \(range.upperBound), not \(word)", place)
    case (.float64, .float64(let number)):
      if number.isFinite && (number >= 0 || info.id != .presentationLatency) { return value }
      throw invalid(
        info.id == .presentationLatency
          ? "'\(info.key)' is a number of seconds of at least 0"
          : "'\(info.key)' is a finite number",
        place)
    case (.string, .string): return value
    case (.preset, .preset(let preset)):
      return try .preset(factoryPreset(preset, info: info, of: description, at: place))
    case (.floats, .floats(let numbers)):
      if let wrong = numbers.first(where: { !$0.isFinite }) {
        throw invalid("'\(info.key)' holds finite numbers, not \(wrong)", place)
      }
      if info.isLive && numbers.count >= info.liveWords {
        throw invalid("'\(info.key)' holds at most \(info.liveWords - 1) numbers", place)
      }
      return value
    case (.matrix(let most), .matrix(let rows)):
      guard let first = rows.first, !first.isEmpty, rows.allSatisfy({ $0.count == first.count }),
        rows.count <= most + 1, first.count <= most + 1
      else {
        throw invalid(
          "'\(info.key)' has rows of one length, up to \(most + 1) of \(most + 1) numbers", place)
      }
      if let wrong = rows.lazy.joined().first(where: { !$0.isFinite }) {
        throw invalid("'\(info.key)' holds finite numbers, not \(wrong)", place)
      }
      return value
    case (.startTime, .startTime(let start)):
      let isThere = start.timeStamp.sampleTime.isFinite && start.timeStamp.sampleTime >= 0
      if isThere && start.flags == 0 { return value }
      throw invalid(
        "'\(info.key)' has a sample time of at least 0, and no flags", place)
    case (.ids, .ids), (.object, .object): return value
    case (.choice(let choices), .uint32(let word)):
      if choices.contains(where: { $0.value == word }) { return value }
      throw invalid(
        "'\(info.key)' is \(list(choices.map { "\($0.name) (\(self.word($0.value)))" })), "
          + "not \(self.word(word))", place)
    case (.integers(let range), .integers(let numbers)):
      guard let wrong = numbers.first(where: { !range.contains($0) }) else { return value }
      throw invalid(
        "'\(info.key)' holds numbers from \(range.lowerBound) to \(range.upperBound), not \(wrong)",
        place)
    default: throw wrongKind(info, place)
    }
  }

  /// A number for a message: as a four-char code where it is one.
  private static func word(_ value: UInt32) -> String {
    PropertyInfo.Choice(value, "").code.map { "'\($0)'" } ?? "\(value)"
  }

  static func wrongKind(_ info: PropertyInfo, _ place: Violation.Place) -> Violation {
    invalid("'\(info.key)' takes \(info.kind.noun)", place)
  }

  /// The factory preset with the number of `preset`; a user's own preset has a negative number and
  /// a name.
  private static func factoryPreset(
    _ preset: Preset, info: PropertyInfo, of description: UnitDescription,
    at place: Violation.Place
  ) throws(Violation) -> Preset {
    guard preset.number >= 0 else {
      if !preset.name.isEmpty { return preset }
      throw invalid("a preset of one's own, below 0, has a name", place)
    }
    guard case .presets(let all)? = description.property(.factoryPresets)?.defaultValue else {
      throw Violation(
        UnitRules.propertyValue, status: .invalidProperty,
        "\(description.name) has no presets but a user's own, below 0", at: place)
    }
    if let found = all.first(where: { $0.number == preset.number }) { return found }
    throw Violation(
      UnitRules.propertyValue, status: .invalidPropertyValue,
      "\(description.name) has the presets 0 to \(all.last?.number ?? 0), not \(preset.number)",
      at: place, help: ["the presets are: " + all.map(\.name).joined(separator: ", ")])
  }

  private static func invalid(_ message: String, _ place: Violation.Place) -> Violation {
    Violation(UnitRules.propertyValue, status: .invalidPropertyValue, message, at: place)
  }
}

extension PropertyInfo.Kind {
  /// Whether a value is of this kind. Core Audio checks its size instead.
  func admits(_ value: PropertyValue) -> Bool {
    switch (self, value) {
    case (.boolean, .uint32), (.uint32, .uint32), (.float64, .float64), (.string, .string),
      (.streamFormat, .streamFormat), (.preset, .preset), (.presets, .presets),
      (.floats, .floats), (.matrix, .matrix), (.doubles, .doubles), (.ids, .ids),
      (.integers, .integers),
      (.choice, .uint32),
      (.channelCounts, .channelCounts),
      (.parameterInfo, .parameterInfo), (.status, .status), (.strings, .strings),
      (.parameterText, .parameterText), (.classInfo, .classInfo), (.clipping, .clipping),
      (.startTime, .startTime), (.object, .object):
      true
    default: false
    }
  }

  /// A value of this kind in a message: `true or false`.
  var noun: String {
    switch self {
    case .boolean: "true or false"
    case .uint32: "a whole number"
    case .float64: "a number"
    case .streamFormat: "a stream format"
    case .string: "a text"
    case .preset: "a preset"
    case .presets: "presets"
    case .floats, .doubles: "numbers"
    case .matrix: "rows of numbers"
    case .ids, .integers: "whole numbers"
    case .choice(let choices): list(choices.map(\.name))
    case .channelCounts: "channel counts"
    case .parameterInfo: "a parameter's description"
    case .status: "a status"
    case .strings: "texts"
    case .parameterText: "a parameter's text"
    case .classInfo: "the state of a unit"
    case .clipping: "what is clipped"
    case .startTime: "a time stamp"
    case .object(let noun, _): noun
    }
  }
}

/// `linear, normal or mastering`.
private func list(_ names: [String]) -> String {
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return names.dropLast().joined(separator: ", ") + " or " + last
}
