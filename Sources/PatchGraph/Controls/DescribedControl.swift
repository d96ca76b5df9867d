import AudioTypes
import PatchSyntax
import RenderCore

extension PatchControl {
  /// The control of a parameter. The caller fills in its place and its value.
  init(_ info: ParameterInfo) {
    let isSwitch = info.unit == .boolean
    let kind: Kind =
      switch info.unit {
      case .boolean: .switch
      case _ where !info.valueNames.isEmpty: .list
      case .linearGain: .gain
      case .decibels: .decibels
      case .pan: .pan
      case .degrees: .angle
      case .meters: .distance
      case .hertz: .frequency
      default: .number
      }
    self.init(
      info.key, kind, scope: info.scope, unit: info.unit,
      range: isSwitch ? nil : Self.written(info.range), isRangeEnforced: info.isRangeEnforced,
      defaultValue: Self.written(info.defaultValue, info),
      choices: isSwitch
        ? []
        : info.valueNames.enumerated().map {
          Choice(
            value: info.unit == .indexed
              ? .string($0.element) : .number(info.range.lowerBound + Float($0.offset)),
            title: $0.element)
        },
      isWritable: !info.isReadOnly, summary: info.summary)
  }

  /// The control of a live setting of a callback. The caller fills in its place and its current
  /// value.
  init(_ setting: LiveSetting) {
    let info = setting.info
    let most = Double(Float.greatestFiniteMagnitude)
    let limits = setting.range
    let isBounded = limits.upperBound < most && limits.lowerBound > -most
    let value = Self.written(setting.value, setting)
    let defaultValue: JSONText =
      switch info.defaultValue {
      case .number(let number)?: Self.written(number, setting)
      case .boolean(let flag)?: .boolean(flag)
      case .text?, .numbers?, nil: value
      }
    let kind: Kind =
      switch info.unit {
      case .boolean: .switch
      case .linearGain where limits.lowerBound >= 0: .gain
      case .hertz: .frequency
      default: .number
      }
    self.init(
      setting.member ?? setting.key, kind, unit: info.unit,
      range: setting.isBoolean || !isBounded ? nil : limits, defaultValue: defaultValue,
      value: value, summary: info.summary)
  }

  /// A value of a live setting as a document writes it.
  static func written(_ value: Double, _ setting: LiveSetting) -> JSONText {
    setting.isBoolean ? .boolean(value != 0) : .number(value)
  }

  /// The control of a property. `nil` for a property that cannot change while the unit renders,
  /// that does not affect the sound or the measurements, or that is a text or a list of numbers.
  init?(_ info: PropertyInfo, presets: [Preset]) {
    guard info.isPatchProperty, info.isWritableWhileInitialized, info.isState || info.isLive
    else { return nil }
    var range: ClosedRange<Double>?
    var choices: [Choice] = []
    let kind: Kind
    switch info.kind {
    case .boolean: kind = .switch
    case .uint32(let limits):
      kind = .number
      range = Double(limits.lowerBound)...Double(limits.upperBound)
    case .float64: kind = info.unit == .hertz ? .frequency : .number
    case .choice(let some):
      kind = .list
      choices = some.map { Choice(value: .string($0.name), title: $0.name) }
    case .preset where !presets.isEmpty:
      kind = .list
      choices = presets.map { Choice(value: .string($0.name), title: $0.name) }
    default: return nil
    }
    self.init(
      info.key, kind, unit: info.unit, range: range,
      defaultValue: Self.written(info.defaultValue, info.kind), choices: choices, isProperty: true,
      summary: info.summary)
  }

  /// A value of a parameter as a document writes it.
  static func written(_ value: Float, _ info: ParameterInfo) -> JSONText {
    if info.unit == .indexed, !info.valueNames.isEmpty,
      let index = Int(exactly: value - info.range.lowerBound),
      info.valueNames.indices.contains(index)
    {
      return .string(info.valueNames[index])
    }
    return info.unit == .boolean ? .boolean(value != 0) : .number(value)
  }

  /// A value of a property as a document writes it.
  static func written(_ value: PropertyValue?, _ kind: PropertyInfo.Kind) -> JSONText {
    switch (value, kind) {
    case (.uint32(let word)?, .boolean): return .boolean(word != 0)
    case (.uint32(let word)?, .choice(let choices)):
      return choices.first { $0.value == word }.map { .string($0.name) } ?? .number(word)
    case (.uint32(let word)?, _): return .number(word)
    case (.float64(let number)?, _): return .number(number)
    case (.preset(let preset)?, _):
      guard preset.number < 0 else { return .string(preset.name) }
      return ["number": .number(preset.number), "name": .string(preset.name)]
    default: return .null
    }
  }

  /// Converts through the text of the floats, so that 0.1 stays 0.1.
  private static func written(_ range: ClosedRange<Float>) -> ClosedRange<Double> {
    let (low, high) = ("\(range.lowerBound)", "\(range.upperBound)")
    return (Double(low) ?? Double(range.lowerBound))...(Double(high) ?? Double(range.upperBound))
  }
}
