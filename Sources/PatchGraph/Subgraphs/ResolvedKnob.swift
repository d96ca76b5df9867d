import AudioTypes
import PatchSyntax

/// The target of a knob: a parameter of a unit, or a setting of a callback that may change while it
/// plays.
struct KnobTarget {
  /// Its description; of a constant of an expression, that of any number.
  var setting: SettingInfo
  /// Its name where it is set: `gain`; for a constant of an expression `constants/depth`.
  var key: String
  /// Its place in the document that sub-graphs have been put into.
  var place: JSONPointer

  /// The number of a value; `nil` for a value of another type.
  func number(_ json: JSONValue) -> Double? { json.number(for: setting) }

  /// Whether it may be set to a value.
  func accepts(_ value: Double) -> Bool { setting.accepts(setting.kind.value(of: value)) }

  /// The ends of its range; `nil` for an end that it does not have.
  var ends: (low: Double?, high: Double?) {
    guard setting.isRangeEnforced, let range = setting.range else { return (nil, nil) }
    return (
      range.lowerBound.isFinite ? range.lowerBound : nil,
      range.upperBound.isFinite ? range.upperBound : nil
    )
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
      guard let value = target.number(json) else {
        return "takes \(target.setting.writtenExpectation)"
      }
      if let low, value < low { return "takes \(range(of: target))" }
      if let high, value > high { return "takes \(range(of: target))" }
      if !target.accepts(value) { return "takes \(target.setting.writtenExpectation)" }
    }
    return nil
  }

  private func range(of target: KnobTarget) -> String {
    let (least, most) = target.ends
    return KnobTarget.text(low ?? least, high ?? most, target.setting.unit)
  }

  /// Its own range, clamped to those of its targets; `nil` where it does not narrow them.
  var narrowed: ClosedRange<Double>? {
    guard low != nil || high != nil else { return nil }
    let most = Double(Float.greatestFiniteMagnitude)
    var (from, to) = (low ?? -most, high ?? most)
    for target in targets {
      from = max(from, target.ends.low ?? from)
      to = min(to, target.ends.high ?? to)
    }
    return from <= to ? from...to : nil
  }
}
