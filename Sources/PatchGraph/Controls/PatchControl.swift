public import AudioTypes
public import PatchSyntax
import RenderCore

/// A control of a patch that plays: a parameter, a property that may change meanwhile, or a live
/// setting of a callback. Meters, which are only read, names and lists of numbers are none.
public struct PatchControl: Hashable, Sendable {
  /// The kind of control that a person turns.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case gain, decibels, pan, angle, distance, frequency, `switch`, list, number
  }

  /// A value that has a name.
  public struct Choice: Hashable, Sendable {
    public var value: JSONText
    public var title: String
  }

  /// The pointer of its value in the document, whether the document has it or not.
  public var pointer: JSONPointer
  /// The name of the node or the callback; in a sub-graph `strip/fader`.
  public var node: String
  /// The name of the unit or the kind of the callback.
  public var component: String
  public var scope: Scope
  public var element: Int
  /// The name of the bus; `nil` for none.
  public var elementName: String?
  /// Whether something feeds the bus or takes from it; the global scope always is.
  public var isUsed: Bool
  /// The key, such as `volume`.
  public var key: String
  public var summary: String
  public var kind: Kind
  public var unit: ParameterUnit
  /// The range of the value; `nil` where it is no number, or has no bounds.
  public var range: ClosedRange<Double>?
  /// Whether a value outside the range is refused.
  public var isRangeEnforced: Bool
  public var defaultValue: JSONText
  /// The current value, as a document writes it.
  public var value: JSONText
  public var choices: [Choice]
  /// Whether it may be set: not where the document sets the same by a knob or by its place.
  public var isWritable: Bool
  /// Whether the document writes it.
  public var isInDocument: Bool
  public var isProperty: Bool
  /// Whether a step of the timeline that is not over moves it.
  public var isScheduled = false

  /// The name to show: `Bypass Effect`.
  public var title: String {
    let path = key.split(separator: "/").map(String.init)
    if path.count == 3 {
      return "Band \(path[1]) " + path[2].prefix(1).uppercased() + path[2].dropFirst()
    }
    return key.reduce(into: "") { title, character in
      if title.isEmpty {
        title += character.uppercased()
      } else {
        title += character.isUppercase ? " \(character)" : "\(character)"
      }
    }
  }
}

extension PatchControl {
  /// The control of a parameter. The caller fills in its place and its value.
  init(_ info: ParameterInfo) {
    let isSwitch = info.unit == .boolean
    pointer = JSONPointer()
    node = ""
    component = ""
    scope = info.scope
    element = 0
    isUsed = true
    key = info.key
    summary = info.summary
    unit = info.unit
    range = isSwitch ? nil : Self.written(info.range)
    isRangeEnforced = info.isRangeEnforced
    defaultValue = Self.written(info.defaultValue, info)
    value = defaultValue
    choices =
      isSwitch
      ? []
      : info.valueNames.enumerated().map {
        Choice(
          value: info.unit == .indexed
            ? .string($0.element) : .number(info.range.lowerBound + Float($0.offset)),
          title: $0.element)
      }
    isWritable = !info.isReadOnly
    isInDocument = false
    isProperty = false
    kind =
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
  }

  /// The control of a live setting of a callback. The caller fills in its place and its current
  /// value.
  init(_ setting: LiveSetting) {
    let info = setting.info
    pointer = JSONPointer()
    node = ""
    component = ""
    scope = .global
    element = 0
    isUsed = true
    key = setting.member ?? setting.key
    summary = info.summary
    unit = info.unit
    let most = Double(Float.greatestFiniteMagnitude)
    let limits = setting.range
    let isBounded = limits.upperBound < most && limits.lowerBound > -most
    range = setting.isBoolean || !isBounded ? nil : limits
    isRangeEnforced = true
    defaultValue = Self.written(setting.value, setting)
    if let value = info.defaultValue {
      switch value {
      case .number(let number): defaultValue = Self.written(number, setting)
      case .boolean(let flag): defaultValue = .boolean(flag)
      case .text, .numbers: break
      }
    }
    value = Self.written(setting.value, setting)
    choices = []
    isWritable = true
    isInDocument = false
    isProperty = false
    kind =
      switch info.unit {
      case .boolean: .switch
      case .linearGain where limits.lowerBound >= 0: .gain
      case .hertz: .frequency
      default: .number
      }
  }

  /// A value of a live setting as a document writes it.
  static func written(_ value: Double, _ setting: LiveSetting) -> JSONText {
    setting.isBoolean ? .boolean(value != 0) : .number(value)
  }

  /// The control of a property; `nil` for one that cannot change while the unit renders, that
  /// affects neither the sound nor what is measured, or that is a text or a list of numbers.
  init?(_ info: PropertyInfo, presets: [Preset]) {
    guard info.isPatchProperty, info.isWritableWhileInitialized, info.isState || info.isLive
    else { return nil }
    pointer = JSONPointer()
    node = ""
    component = ""
    scope = .global
    element = 0
    isUsed = true
    key = info.key
    summary = info.summary
    unit = info.unit
    isRangeEnforced = true
    choices = []
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
    defaultValue = Self.written(info.defaultValue, info.kind)
    value = defaultValue
    isWritable = true
    isInDocument = false
    isProperty = true
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
