/// Numbers as pictures and tables show them.
public enum Decimal {
  /// A number with a count of digits after the point and, below 0, a typographic minus sign.
  public static func text(_ value: Double, _ digits: Int) -> String {
    plain(value, digits, minus: "\u{2212}")
  }

  /// The same with an ASCII minus sign.
  public static func plain(_ value: Double, _ digits: Int) -> String {
    plain(value, digits, minus: "-")
  }

  private static func plain(_ value: Double, _ digits: Int, minus: String) -> String {
    guard value.isFinite else { return value.isNaN ? "?" : (value < 0 ? minus : "") + "\u{221E}" }
    let factor = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    let scaled = (value.magnitude * factor).rounded()
    guard scaled < 9e15 else { return "\(value)" }
    let whole = Int(scaled)
    let sign = value < 0 && whole > 0 ? minus : ""
    guard digits > 0 else { return sign + String(whole) }
    let text = String(whole)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.utf8.count)) + text
    return sign + padded.dropLast(digits) + "." + padded.suffix(digits)
  }

  /// A number with as many digits as it takes, up to three.
  static func shortest(_ value: Double) -> String {
    for digits in 0..<3 {
      let factor = (0..<digits).reduce(1.0) { product, _ in product * 10 }
      if abs(value * factor - (value * factor).rounded()) < 1e-6 * factor {
        return text(value, digits)
      }
    }
    return text(value, 3)
  }
}
