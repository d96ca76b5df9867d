import Diagnostics
import Glibc

/// The arithmetic in the braces of a repetition: `{i}`, `{i + 1}`, `{2 * i / 7 - 1}`, `{100 * 2 ^
/// i}`.
///
/// Numbers, the numbers of copies `i`, `j` and `k`, constants as `$name`, parentheses, and `+ - * /
/// ^` with their usual precedence; `^` is a power, and groups from the right.
struct CopyFormula {
  /// Why a formula has no value.
  struct Failure: Error, Hashable {
    var message: String
    /// The range in the formula, in bytes.
    var range: Range<Int>
    var help: String
  }

  /// The names that a formula may use.
  struct Names {
    /// The values of `i`, and in repetitions inside others of `j` and `k`.
    var copies: [Int]
    /// The value of each constant; `nil` for one that is not a number.
    var constants: [String: Double?]
  }

  static let letters = ["i", "j", "k"]
  /// The greatest depth of nested parentheses, signs and powers.
  private static let maximumDepth = 32

  private let bytes: [UInt8]
  private let names: Names
  private var position = 0
  private var depth = 0

  /// The value of a formula, which is finite.
  ///
  /// - Throws: ``Failure`` where it has none.
  static func value(of text: String, _ names: Names) throws(Failure) -> Double {
    var formula = CopyFormula(bytes: Array(text.utf8), names: names)
    let value = try formula.sum()
    formula.skipBlanks()
    guard formula.position == formula.bytes.count else {
      throw formula.unexpected("an operator such as + is missing here")
    }
    guard value.isFinite else {
      throw Failure(
        message: "this is no number", range: 0..<formula.bytes.count,
        help: "it divides by zero, or is too large")
    }
    return value
  }

  private init(bytes: [UInt8], names: Names) {
    self.bytes = bytes
    self.names = names
  }

  // MARK: Parsing

  private mutating func sum() throws(Failure) -> Double {
    var value = try product()
    while let sign = take(anyOf: "+-") {
      let other = try product()
      value = sign == UInt8(ascii: "+") ? value + other : value - other
    }
    return value
  }

  private mutating func product() throws(Failure) -> Double {
    var value = try factor()
    while let sign = take(anyOf: "*/") {
      let other = try factor()
      value = sign == UInt8(ascii: "*") ? value * other : value / other
    }
    return value
  }

  private mutating func factor() throws(Failure) -> Double {
    if let sign = take(anyOf: "+-") {
      try enter()
      defer { depth -= 1 }
      let value = try factor()
      return sign == UInt8(ascii: "-") ? -value : value
    }
    let base = try operand()
    guard take(anyOf: "^") != nil else { return base }
    try enter()
    defer { depth -= 1 }
    return Self.power(base, try factor())
  }

  private mutating func enter() throws(Failure) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw Failure(
        message: "this formula is nested too deep", range: 0..<bytes.count,
        help: "at most \(Self.maximumDepth) deep")
    }
  }

  private mutating func operand() throws(Failure) -> Double {
    skipBlanks()
    guard position < bytes.count else {
      throw Failure(
        message: "a number is missing here", range: position..<position,
        help: "write i, or i + 1, for example")
    }
    let start = position
    switch bytes[position] {
    case UInt8(ascii: "("):
      position += 1
      try enter()
      defer { depth -= 1 }
      let value = try sum()
      guard take(anyOf: ")") != nil else {
        throw Failure(
          message: "this parenthesis is not closed", range: start..<start + 1, help: "add a )")
      }
      return value
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
      while position < bytes.count, Self.isDigit(bytes[position]) { position += 1 }
      let text = String(decoding: bytes[start..<position], as: UTF8.self)
      guard let number = Double(text), text.last != "." else {
        throw Failure(
          message: "\(quoted(text)) is no number", range: start..<position,
          help: "write 0.5, for example")
      }
      return number
    case UInt8(ascii: "$"):
      position += 1
      while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
      return try constant(start)
    case let byte where Self.isName(byte):
      while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
      return try copy(start)
    default: throw unexpected("a number, i, or ( is wanted here")
    }
  }

  private func copy(_ start: Int) throws(Failure) -> Double {
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    let known = Self.letters.prefix(names.copies.count)
    guard let place = known.firstIndex(of: name) else {
      let all = known.joined(separator: " and ")
      throw Failure(
        message: "there is no \(quoted(name)) here", range: start..<position,
        help: known.count < 2
          ? "the number of a copy is \(all), from 0; in a repetition inside of another that one's is j"
          : "the numbers of a copy are \(all), from 0, the outer one first")
    }
    return Double(names.copies[place])
  }

  private func constant(_ start: Int) throws(Failure) -> Double {
    let name = String(decoding: bytes[(start + 1)..<position], as: UTF8.self)
    guard let found = names.constants[name] else {
      let all = names.constants.keys.sorted()
      throw Failure(
        message: "there is no constant \(quoted(name))", range: start..<position,
        help: didYouMean(name, among: all)
          ?? (all.isEmpty
            ? "the patch has none" : "the constants are \(all.map(quoted).joined(separator: ", "))")
      )
    }
    guard let number = found else {
      throw Failure(
        message: "the constant \(quoted(name)) is no number", range: start..<position,
        help: "a formula takes numbers alone")
    }
    return number
  }

  private func unexpected(_ help: String) -> Failure {
    var end = position + 1
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    let text = String(decoding: bytes[position..<end], as: UTF8.self)
    return Failure(message: "\(quoted(text)) cannot stand here", range: position..<end, help: help)
  }

  private mutating func take(anyOf characters: StaticString) -> UInt8? {
    skipBlanks()
    guard position < bytes.count, "\(characters)".utf8.contains(bytes[position]) else { return nil }
    position += 1
    return bytes[position - 1]
  }

  private mutating func skipBlanks() {
    while position < bytes.count, bytes[position] == 0x20 { position += 1 }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".")
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
      || (0x30...0x39).contains(byte)
  }

  /// Whole powers are products, so that 2 to the third is exactly 8 everywhere.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    guard abs(exponent) <= 64, exponent == exponent.rounded() else { return pow(base, exponent) }
    var value = 1.0
    for _ in 0..<Int(abs(exponent)) { value *= base }
    return exponent < 0 ? 1 / value : value
  }
}
