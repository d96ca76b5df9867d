import AudioTypes

/// Checks whether a property takes a value.
enum PropertyCheck {
  /// Checks a value, and returns the one to store: a factory preset gets both its number and its
  /// name.
  static func checked(
    _ value: PropertyValue, for info: PropertyInfo, of description: UnitDescription,
    at place: Violation.Place
  ) throws(Violation) -> PropertyValue {
    switch value {
    case .preset(let preset):
      return try .preset(factoryPreset(preset, info: info, of: description, at: place))
    case .startTime(let start):
      let isThere = start.timeStamp.sampleTime.isFinite && start.timeStamp.sampleTime >= 0
      if isThere && start.flags == 0 { return value }
      throw invalid(
        "'\(info.key)' has a sample time of at least 0, and no flags", place)
    default:
      // What has no written form are structures, which their receivers check.
      guard let written = info.kind.written(value), !info.setting.accepts(written) else {
        return value
      }
      throw invalid(info.setting.refusal(of: written), place)
    }
  }

  static func wrongKind(_ info: PropertyInfo, _ place: Violation.Place) -> Violation {
    invalid("'\(info.key)' takes \(info.setting.expectation)", place)
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
    guard case .preset(let all) = info.kind, !all.isEmpty else {
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

extension PropertyInfo {
  /// Whether a value is of the property's type. Core Audio checks its size instead.
  func admits(_ value: PropertyValue) -> Bool {
    switch (kind, value) {
    case (.structure(.streamFormat), .streamFormat), (.structure(.presets), .presets),
      (.structure(.doubles), .doubles), (.structure(.ids), .ids),
      (.structure(.channelCounts), .channelCounts),
      (.structure(.parameterInfo), .parameterInfo), (.structure(.status), .status),
      (.structure(.strings), .strings), (.structure(.parameterText), .parameterText),
      (.structure(.classInfo), .classInfo), (.structure(.clipping), .clipping),
      (.structure(.startTime), .startTime), (.structure(.object), .object),
      (.boolean, .uint32), (.integer, .uint32), (.choice, .uint32), (.number, .float64),
      (.text, .string), (.preset, .preset), (.list, .floats), (.integers, .integers),
      (.rows, .matrix):
      true
    default: false
    }
  }
}
