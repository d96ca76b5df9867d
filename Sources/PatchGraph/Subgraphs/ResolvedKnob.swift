import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCore

/// The target of a knob: a parameter of a unit, or a setting of a callback that may change while it
/// plays.
struct KnobTarget {
  enum Kind {
    case parameter(ParameterInfo)
    case setting(LiveSetting)
  }

  var kind: Kind
  /// Its place in the document that sub-graphs have been put into.
  var place: JSONPointer

  /// Its name where it is set: `gain`; for a constant of an expression `constants/depth`.
  var key: String {
    switch kind {
    case .parameter(let info): info.path.last ?? info.key
    case .setting(let setting): setting.key
    }
  }

  var unit: ParameterUnit {
    switch kind {
    case .parameter(let info): info.unit
    case .setting(let setting): setting.info.unit
    }
  }

  /// The number of a value; `nil` for a value of another type.
  func number(_ json: JSONValue) -> Double? {
    switch kind {
    case .parameter(let info): return SettingReader.parameter(json, info).map(Double.init)
    case .setting(let setting):
      if setting.isBoolean { return json.bool.map { $0 ? 1 : 0 } }
      return json.number(in: SettingReader.measure(of: setting.info)).flatMap {
        $0.isFinite ? $0 : nil
      }
    }
  }

  /// Whether it may be set to a value.
  func accepts(_ value: Double) -> Bool {
    switch kind {
    case .parameter(let info):
      !info.isRangeEnforced || info.range.contains(Float(value))
    case .setting(let setting): setting.accepts(value)
    }
  }

  /// The values that it takes, in words.
  var expectation: String {
    switch kind {
    case .parameter(let info):
      guard info.isRangeEnforced, info.unit != .boolean, info.valueNames.isEmpty else {
        return SettingReader.valueDescription(info)
      }
      return KnobTarget.text(
        Double(info.range.lowerBound), Double(info.range.upperBound), info.unit)
    case .setting(let setting): return setting.expectation
    }
  }

  /// A range in words: `a number from 0 to 8`.
  static func text(_ low: Double?, _ high: Double?, _ unit: ParameterUnit) -> String {
    let symbol = unit.symbol.isEmpty ? "" : " \(unit.symbol)"
    return switch (low, high) {
    case (let low?, let high?):
      "a number from \(Quantity.text(low)) to \(Quantity.text(high))\(symbol)"
    case (let low?, nil): "a number of at least \(Quantity.text(low))\(symbol)"
    case (nil, let high?): "a number of at most \(Quantity.text(high))\(symbol)"
    case (nil, nil): "a number"
    }
  }
}

/// A knob of a sub-graph, with its targets.
struct ResolvedKnob {
  var name: Located<String>
  /// Empty where an error about it has been reported.
  var targets: [KnobTarget] = []
  /// The ends of its own range; `nil` for an end that it does not narrow.
  var low: Double?
  var high: Double?

  /// What is wrong with a value, in words that follow the name of the knob; `nil` for nothing.
  func problem(with json: JSONValue) -> String? {
    for target in targets {
      guard let value = target.number(json) else { return "takes \(target.expectation)" }
      if let low, value < low { return "takes \(range(of: target))" }
      if let high, value > high { return "takes \(range(of: target))" }
      if !target.accepts(value) { return "takes \(target.expectation)" }
    }
    return nil
  }

  private func range(of target: KnobTarget) -> String {
    var (low, high) = (low, high)
    if case .parameter(let info) = target.kind, info.isRangeEnforced {
      low = low ?? Double(info.range.lowerBound)
      high = high ?? Double(info.range.upperBound)
    }
    return KnobTarget.text(low, high, target.unit)
  }

  /// Its own range, clamped to those of its targets; `nil` where it does not narrow them.
  var narrowed: ClosedRange<Double>? {
    guard low != nil || high != nil else { return nil }
    let most = Double(Float.greatestFiniteMagnitude)
    var (from, to) = (low ?? -most, high ?? most)
    for target in targets {
      switch target.kind {
      case .parameter(let info) where info.isRangeEnforced:
        from = max(from, Double(info.range.lowerBound))
        to = min(to, Double(info.range.upperBound))
      case .setting(let setting):
        from = max(from, setting.range.lowerBound)
        to = min(to, setting.range.upperBound)
      default: break
      }
    }
    return from <= to ? from...to : nil
  }
}
