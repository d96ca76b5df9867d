/// A level as a patch writes it: a text such as `"-6 dB"`, or a number of which 1 is full scale.
public enum Level: Hashable, Sendable {
  case decibels(Double)
  case linear(Double)
  /// A text that is no level, as it is written.
  case unknown(String)

  /// Reads a number of decibels followed by `dB` or `dBFS`: `-6 dB`, `+3.5dB`. Any other text is
  /// `unknown`.
  public init(_ text: String) {
    var number = Substring(text)
    for unit in ["dBFS", "dB"] where number.hasSuffix(unit) {
      number = number.dropLast(unit.count)
      if number.last == " " { number.removeLast() }
      self = Self.decimalNumber(in: number).map(Level.decibels) ?? .unknown(text)
      return
    }
    self = .unknown(text)
  }

  /// The value of a decimal number with or without a sign; `nil` for any other text.
  public static func decimalNumber(in text: Substring) -> Double? {
    let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    let isNumber =
      (1...2).contains(parts.count)
      && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    return isNumber ? Double(String(text)) : nil
  }
}
