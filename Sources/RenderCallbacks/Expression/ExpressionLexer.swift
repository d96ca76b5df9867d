/// A mistake in an expression, and its place.
struct ExpressionError: Error, Hashable {
  /// A sentence that starts in lower case.
  var message: String
  /// Empty for none.
  var help: String
  /// In bytes of UTF-8. Empty at the end of the text.
  var range: Range<Int>
  /// The unknown name, where that is the mistake.
  var unknownName: UnknownName?

  struct UnknownName: Hashable {
    var name: String
    var isFunction: Bool
  }

  init(
    _ message: String, at range: Range<Int>, help: String = "", unknownName: UnknownName? = nil
  ) {
    self.message = message
    self.help = help
    self.range = range
    self.unknownName = unknownName
  }
}

/// A token of an expression.
struct ExpressionToken: Hashable {
  enum Kind: Hashable {
    case number(Double)
    case name(String)
    /// An operator, a bracket, a comma, `?` or `:`.
    case symbol(String)
    case end
  }

  var kind: Kind
  /// In bytes of UTF-8.
  var range: Range<Int>

  func isSymbol(_ text: String) -> Bool { kind == .symbol(text) }
}

/// Splits an expression into tokens.
enum ExpressionLexer {
  private static let twoByteSymbols: Set<String> = ["<=", ">=", "==", "!=", "&&", "||"]
  private static let symbols: Set<UInt8> = Set("+-*/%^()<>!?:,".utf8)

  /// All tokens, `end` last, and the errors. An error is replaced by the token that was probably
  /// meant.
  static func tokens(of text: String) -> (tokens: [ExpressionToken], errors: [ExpressionError]) {
    let bytes = Array(text.utf8)
    var tokens: [ExpressionToken] = []
    var errors: [ExpressionError] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let start = index
      if byte == 0x20 || (0x09...0x0D).contains(byte) {
        index += 1
      } else if isDigit(byte) || byte == UInt8(ascii: ".") {
        do throws(ExpressionError) {
          let number = try number(bytes, &index)
          tokens.append(ExpressionToken(kind: .number(number), range: start..<index))
        } catch {
          errors.append(error)
          index = error.range.upperBound
          tokens.append(ExpressionToken(kind: .number(0), range: error.range))
        }
      } else if isLetter(byte) {
        while index < bytes.count, isLetter(bytes[index]) || isDigit(bytes[index]) { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        tokens.append(ExpressionToken(kind: .name(name), range: start..<index))
      } else {
        let pair = String(decoding: bytes[start..<min(start + 2, bytes.count)], as: UTF8.self)
        if pair == "**" {
          errors.append(
            ExpressionError(
              "'**' is no operator", at: start..<start + 2, help: "a power is written x ^ y"))
          index += 2
          tokens.append(ExpressionToken(kind: .symbol("^"), range: start..<index))
        } else if twoByteSymbols.contains(pair) {
          index += 2
          tokens.append(ExpressionToken(kind: .symbol(pair), range: start..<index))
        } else if symbols.contains(byte) {
          index += 1
          tokens.append(
            ExpressionToken(
              kind: .symbol(String(decoding: [byte], as: UTF8.self)), range: start..<index))
        } else {
          let (error, meant) = unknownCharacter(bytes, start)
          errors.append(error)
          index = error.range.upperBound
          if let meant { tokens.append(ExpressionToken(kind: meant, range: error.range)) }
        }
      }
    }
    tokens.append(ExpressionToken(kind: .end, range: bytes.count..<bytes.count))
    return (tokens, errors)
  }

  private static func number(_ bytes: [UInt8], _ index: inout Int) throws(ExpressionError) -> Double
  {
    let start = index
    func skipDigits() {
      while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    }
    skipDigits()
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      skipDigits()
    }
    let mantissaEnd = index
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      var ahead = index + 1
      if ahead < bytes.count, bytes[ahead] == UInt8(ascii: "+") || bytes[ahead] == UInt8(ascii: "-")
      {
        ahead += 1
      }
      if ahead < bytes.count, isDigit(bytes[ahead]) {
        index = ahead
        skipDigits()
      }
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    guard mantissaEnd - start > 1 || isDigit(bytes[start]) else {
      throw ExpressionError("'.' is no number", at: start..<index, help: "write 0.5, for example")
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      throw ExpressionError(
        "a number has one decimal point", at: start..<index + 1, help: "write 1.5, for example")
    }
    if index < bytes.count, isLetter(bytes[index]) {
      let first = index
      var end = index
      while end < bytes.count, isLetter(bytes[end]) || isDigit(bytes[end]) { end += 1 }
      let name = String(decoding: bytes[first..<end], as: UTF8.self)
      throw ExpressionError(
        "'\(text)\(name)' is neither a number nor a name", at: start..<end,
        help: "to multiply, write \(text) * \(name)")
    }
    guard let value = Double(text), value.isFinite else {
      throw ExpressionError("the number '\(text)' is too great", at: start..<index)
    }
    return value
  }

  /// The error for a character that begins no token, and the token that was probably meant.
  private static func unknownCharacter(
    _ bytes: [UInt8], _ start: Int
  ) -> (error: ExpressionError, meant: ExpressionToken.Kind?) {
    var end = start + 1
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    let text = String(decoding: bytes[start..<end], as: UTF8.self)
    let help =
      switch text {
      case "=": "to compare, write =="
      case "&", "|": "write \(text)\(text)"
      case "×", "·", "∙", "⋅": "to multiply, write *"
      case "÷": "to divide, write /"
      case "−", "–", "—": "write - for a minus"
      case "π": "write pi"
      case "[", "]", "{", "}": "write ( and )"
      case "\"", "'": "an expression has numbers and no texts"
      case ";": "an expression is one value: there are no statements"
      default: ""
      }
    let meant: ExpressionToken.Kind? =
      switch text {
      case "=": .symbol("==")
      case "&": .symbol("&&")
      case "|": .symbol("||")
      case "×", "·", "∙", "⋅": .symbol("*")
      case "÷": .symbol("/")
      case "−", "–", "—": .symbol("-")
      case "π": .name("pi")
      case "[", "{": .symbol("(")
      case "]", "}": .symbol(")")
      default: nil
      }
    return (
      ExpressionError(
        "'\(text)' does not belong in an expression", at: start..<end, help: help), meant
    )
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  static func isLetter(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return (lower >= 0x61 && lower <= 0x7A) || byte == UInt8(ascii: "_")
  }

  /// Whether a text may be the name of a constant.
  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { isLetter($0) || isDigit($0) }
  }
}
