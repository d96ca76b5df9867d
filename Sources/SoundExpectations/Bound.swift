/// The range that a measured number may be in.
public struct Bound: Hashable, Sendable {
  /// The lower end, included; minus infinity for none.
  public var low = -Double.infinity
  /// The upper end, included; infinity for none.
  public var high = Double.infinity

  public static func atMost(_ high: Double) -> Bound { Bound(high: high) }
  public static func atLeast(_ low: Double) -> Bound { Bound(low: low) }

  /// How far a number is outside the bound, in its unit; 0 or less inside, infinite for NaN.
  public func excess(of value: Double) -> Double {
    if value.isNaN { return .infinity }
    if value == low || value == high { return 0 }
    return max(
      low == -.infinity ? -.infinity : low - value,
      high == .infinity ? -.infinity : value - high)
  }

  /// Whether a number is inside, the ends included. A millionth of a unit is allowed for rounding
  /// to float.
  public func holds(_ value: Double) -> Bool { excess(of: value) <= 1e-6 }
}

/// The unit of a measured number.
public struct BoundUnit: Hashable, Sendable {
  /// The text after a number, such as `dBTP`; empty for a number without a unit.
  public var symbol: String
  /// The form in which a test file writes the number: decides which texts with a unit are accepted.
  public var measure: Measure
  /// The digits shown after the decimal point.
  public var digits: Int

  public enum Measure: Hashable, Sendable { case decibels, seconds, number }

  public init(_ symbol: String, _ measure: Measure = .number, digits: Int = 2) {
    self.symbol = symbol
    self.measure = measure
    self.digits = digits
  }

  public static let dBFS = BoundUnit("dBFS", .decibels)
  public static let dBTP = BoundUnit("dBTP", .decibels)
  public static let decibels = BoundUnit("dB", .decibels)
  public static let lufs = BoundUnit("LUFS")
  public static let loudnessUnits = BoundUnit("LU")
  public static let seconds = BoundUnit("s", .seconds, digits: 3)
  public static let hertz = BoundUnit("Hz", digits: 3)
  public static let cents = BoundUnit("cents")
  public static let frames = BoundUnit("frames", digits: 0)
  public static let count = BoundUnit("", digits: 0)
  public static let plain = BoundUnit("", digits: 3)
  public static let percent = BoundUnit("%", digits: 1)

  /// A number with its unit: `-1.50 dBTP`.
  public func text(_ value: Double) -> String {
    let number = Self.number(value, digits)
    return symbol.isEmpty ? number : symbol == "%" ? number + symbol : "\(number) \(symbol)"
  }

  static func number(_ value: Double, _ digits: Int) -> String {
    if value.isNaN { return "not a number" }
    if value == -.infinity { return "-inf" }
    if value == .infinity { return "inf" }
    return fixed(value, digits)
  }

  /// A number with a fixed count of digits after the point.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    guard value.magnitude * scale < 1e15 else { return "\(value)" }
    let rounded = Int((value.magnitude * scale).rounded())
    let sign = value < 0 && rounded > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(rounded)" }
    let whole = rounded / Int(scale)
    let rest = String(rounded % Int(scale))
    return "\(sign)\(whole)." + String(repeating: "0", count: digits - rest.count) + rest
  }
}
