public import AudioTypes

/// A number with its unit in quotes, as a patch may have it: `"-6 dB"` for a gain, `"250 ms"` and
/// `"1.5 s"` for a time. The unit must be spelt exactly so, with or without a blank in front.
public enum WrittenQuantity: Hashable, Sendable {
  /// A gain in decibels.
  case decibels(Double)
  /// A time in seconds.
  case seconds(Double)

  /// - Returns: `nil` for every other text.
  public init?(_ text: String) {
    for unit in ["dB", "ms", "s"] where text.hasSuffix(unit) {
      var number = text.dropLast(unit.count)
      if number.last == " " { number.removeLast() }
      guard let value = Level.decimalNumber(in: number), value.isFinite else { return nil }
      self = unit == "dB" ? .decibels(value) : .seconds(unit == "ms" ? value / 1000 : value)
      return
    }
    return nil
  }

  /// The number in a measure; for `decibels` it is the factor. `nil` where the unit does not belong
  /// to the measure.
  public func number(in measure: Quantity.Measure) -> Double? {
    switch (self, measure) {
    case (.decibels(let decibels), .decibels): Quantity.exactFactor(ofDecibels: decibels)
    case (.decibels(let decibels), .level): decibels
    case (.seconds(let seconds), .seconds): seconds
    case (.seconds(let seconds), .milliseconds): seconds * 1000
    default: nil
    }
  }

  /// The regular expression for such texts; `nil` for measures that have none.
  public static func pattern(for measure: Quantity.Measure) -> String? {
    switch measure {
    case .decibels, .level: "^[+-]?[0-9]+(\\.[0-9]+)? ?dB$"
    case .seconds, .milliseconds: "^\\+?[0-9]+(\\.[0-9]+)? ?(ms|s)$"
    default: nil
    }
  }

  /// Words that offer such a text as an alternative, to follow "a number"; empty for measures that
  /// have none.
  public static func alternative(for measure: Quantity.Measure) -> String {
    switch measure {
    case .decibels, .level: ", or decibels as \"-6 dB\""
    case .seconds, .milliseconds: ", or a time as \"250 ms\" or \"1.5 s\""
    default: ""
    }
  }
}

extension Quantity.Measure {
  /// The measure of a parameter's unit. A linear gain may be given in decibels.
  public init(_ unit: ParameterUnit) {
    switch unit {
    case .linearGain: self = .decibels
    case .decibels: self = .level
    case .seconds: self = .seconds
    case .milliseconds: self = .milliseconds
    case .hertz: self = .hertz
    case .percent: self = .percent
    default: self = .number
    }
  }
}

extension JSONValue {
  /// The value in a measure, of a number as it is or of a text with a unit; `nil` for other values.
  public func number(in measure: Quantity.Measure) -> Double? {
    if kind == .number { return number }
    guard measure != .number, let text = string else { return nil }
    return WrittenQuantity(text)?.number(in: measure)
  }
}
