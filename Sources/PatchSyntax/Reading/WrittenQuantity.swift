public import AudioTypes

/// A number with its unit in quotes, as a patch may have it: `"-6 dB"` where a gain is, `"250 ms"` and `"1.5 s"`
/// where a time is. The unit is spelled so, with a blank in front of it or none.
public enum WrittenQuantity: Hashable, Sendable {
  /// A gain; no blank, letter or sign may be missing from `dB`.
  case decibels(Double)
  case seconds(Double)

  /// - Returns: `nil` for every other text.
  public init?(_ text: String) {
    for unit in ["dB", "ms", "s"] where text.hasSuffix(unit) {
      var number = text.dropLast(unit.count)
      if number.last == " " { number.removeLast() }
      guard let value = Level.decibels(in: number), value.isFinite else { return nil }
      self = unit == "dB" ? .decibels(value) : .seconds(unit == "ms" ? value / 1000 : value)
      return
    }
    return nil
  }

  /// The number that it is for what is measured: a factor of decibels, if that is what is wanted. `nil` where
  /// the unit measures something else.
  public func number(in measure: Quantity.Measure) -> Double? {
    switch (self, measure) {
    case (.decibels(let decibels), .decibels): Quantity.exactFactor(ofDecibels: decibels)
    case (.decibels(let decibels), .level): decibels
    case (.seconds(let seconds), .seconds): seconds
    case (.seconds(let seconds), .milliseconds): seconds * 1000
    default: nil
    }
  }

  /// What such texts look like as a regular expression, for the measures that have some.
  public static func pattern(for measure: Quantity.Measure) -> String? {
    switch measure {
    case .decibels, .level: "^[+-]?[0-9]+(\\.[0-9]+)? ?dB$"
    case .seconds, .milliseconds: "^\\+?[0-9]+(\\.[0-9]+)? ?(ms|s)$"
    default: nil
    }
  }

  /// Behind "a number": that it may be written so.
  public static func alternative(for measure: Quantity.Measure) -> String {
    switch measure {
    case .decibels, .level: ", or decibels as \"-6 dB\""
    case .seconds, .milliseconds: ", or a time as \"250 ms\" or \"1.5 s\""
    default: ""
    }
  }
}

extension Quantity.Measure {
  /// What a number of a unit measures: of a factor decibels may be meant.
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
  /// The number that stands here for what is measured: a number, or one with its unit in quotes.
  public func number(in measure: Quantity.Measure) -> Double? {
    if kind == .number { return number }
    guard measure != .number, let text = string else { return nil }
    return WrittenQuantity(text)?.number(in: measure)
  }
}
