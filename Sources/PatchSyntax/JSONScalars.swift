import AudioTypes
import Diagnostics

// MARK: Strings

extension JSONReader {
  /// Reads a string that begins with a double quote, and adds it to the table.
  mutating func readString(isKey: Bool) {
    let start = offset
    offset += 1
    var isEscaped = false
    var hasReportedEncoding = false
    let known = diagnostics.count
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\"") {
        offset += 1
        addString(start, isKey: isKey, isEscaped: isEscaped, quotes: JSONTree.Node.quotes(1, 1))
        // What it was to say is not known: nobody is to look for a file of that name.
        let unclear = [SyntaxRules.escape.code, SyntaxRules.encoding.code]
        let isUnclear = diagnostics[known...].contains {
          $0.severity == .error && unclear.contains($0.code)
        }
        if isUnclear { nodes[nodes.count - 1].kind = .invalid }
        return
      }
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        // In a path with backslashes every one of them is wrong, for one reason.
        let hasReported = diagnostics[known...].contains {
          $0.code == SyntaxRules.escape.code && $0.severity == .error
        }
        readEscape(isReported: hasReported)
      } else if byte >= 0x20, byte < 0x80 {
        offset += 1
      } else if byte < 0x20 {
        if byte == 0x0A || byte == 0x0D { break }
        report(.controlCharacter(byte, at: offset..<(offset + 1)))
        offset += 1
      } else {
        let length = wellFormedLength(at: offset)
        if length == 0 {
          let first = offset
          while offset < bytes.count, bytes[offset] >= 0x80, wellFormedLength(at: offset) == 0 {
            offset += 1
          }
          if !hasReportedEncoding {
            report(.malformed(name(ofScalarAt: first), at: first..<offset))
          }
          hasReportedEncoding = true
        } else {
          offset += length
        }
      }
      if hasGivenUp { break }
    }
    endUnterminatedString(start, isKey: isKey, isEscaped: isEscaped)
  }

  /// The line or the text ended inside a string. What looks like the document going on behind a
  /// forgotten quote is given back.
  private mutating func endUnterminatedString(_ start: Int, isKey: Bool, isEscaped: Bool) {
    isStructureIntact = false
    var end = offset
    while end > start + 1 {
      switch bytes[end - 1] {
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x09:
        end -= 1
        continue
      default: break
      }
      break
    }
    if isKey, let colon = bytes[(start + 1)..<end].firstIndex(of: UInt8(ascii: ":")) { end = colon }
    if !hasGivenUp { report(.unterminated(at: start..<end)) }
    offset = end
    addString(start, isKey: isKey, isEscaped: isEscaped, quotes: JSONTree.Node.quotes(1, 0))
  }

  private mutating func addString(_ start: Int, isKey: Bool, isEscaped: Bool, quotes: UInt8) {
    add(.string, start..<offset)
    let last = nodes.count - 1
    nodes[last].isKey = isKey
    nodes[last].isEscaped = isEscaped
    nodes[last].quotes = quotes
  }

  /// Reads an escape inside a string, from its backslash on.
  private mutating func readEscape(isReported: Bool) {
    let start = offset
    guard start + 1 < bytes.count else {
      offset += 1
      return
    }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      offset += 2
    case UInt8(ascii: "u"):
      readUnicodeEscape()
    case 0x0A, 0x0D:
      // The string ends with its line, and says so.
      offset += 1
    default:
      let length = max(wellFormedLength(at: start + 1), 1)
      offset += 1 + length
      if !isReported { report(.badEscape(source[start..<offset], at: start..<offset)) }
    }
  }

  private mutating func readUnicodeEscape() {
    let start = offset
    guard let unit = hexUnit(bytes[...], at: start + 2) else {
      offset += 2
      while offset < min(start + 6, bytes.count), isHexDigit(bytes[offset]) { offset += 1 }
      return report(.shortUnicodeEscape(at: start..<offset))
    }
    offset += 6
    guard 0xD800...0xDFFF ~= unit else { return }
    if lowSurrogate(bytes[...], at: offset, after: unit) != nil {
      offset += 6
    } else {
      report(.loneSurrogate(source[start..<offset], isHigh: unit < 0xDC00, at: start..<offset))
    }
  }

  /// Reads a string in quotes other than JSON's, and reports it. It ends on its line.
  private mutating func readForeignString(isKey: Bool) {
    let start = offset
    let isCurly = bytes[start] != UInt8(ascii: "'")
    let length = UInt8(isCurly ? 3 : 1)
    offset += Int(length)
    var isEscaped = false
    while offset < bytes.count, bytes[offset] >= 0x20 {
      if isCurly ? isCurlyQuote(at: offset) : bytes[offset] == UInt8(ascii: "'") {
        let content = (start + Int(length))..<offset
        offset += Int(length)
        report(.foreignQuotes(at: start..<offset, content: isEscaped ? nil : source[content]))
        addString(
          start, isKey: isKey, isEscaped: isEscaped,
          quotes: JSONTree.Node.quotes(length, length))
        return
      }
      if bytes[offset] == UInt8(ascii: "\\") {
        isEscaped = true
        offset += 1
        if offset >= bytes.count || bytes[offset] < 0x20 { break }
      }
      offset += max(wellFormedLength(at: offset), 1)
    }
    // No end on this line: the quote alone is reported.
    isStructureIntact = false
    offset = start + Int(length)
    skipGarbage()
    report(.foreignQuotes(at: start..<offset, content: nil))
    if isKey { addKey(start..<offset) } else { add(.invalid, start..<offset) }
  }

  private func isCurlyQuote(at offset: Int) -> Bool {
    // U+2018 to U+201F.
    offset + 2 < bytes.count && bytes[offset] == 0xE2 && bytes[offset + 1] == 0x80
      && 0x98...0x9F ~= bytes[offset + 2]
  }

  /// Reads what stands for a key and is no string.
  mutating func readIrregularKey() {
    let start = offset
    if bytes[start] == UInt8(ascii: "'") || isCurlyQuote(at: start) {
      return readForeignString(isKey: true)
    }
    while offset < bytes.count, isWordByte(bytes[offset]) { offset += 1 }
    guard offset > start, isWellFormed(start..<offset) else {
      offset = start
      isStructureIntact = false
      let range = skipGarbage()
      report(.strayInKey(name(ofScalarAt: start), at: range))
      return addKey(range)
    }
    report(.unquotedKey(source[start..<offset], at: start..<offset))
    addKey(start..<offset)
  }
}

// MARK: Numbers and words

extension JSONReader {
  /// Reads a number, a word, or what is neither.
  mutating func readScalar() {
    let start = offset
    switch bytes[start] {
    case UInt8(ascii: "-"), 0x30...0x39:
      if let end = numberEnd(in: bytes, from: start), end == bytes.count || !isWordByte(bytes[end])
      {
        offset = end
        return add(.number, start..<end)
      }
      return readIrregularNumber()
    case UInt8(ascii: "+"), UInt8(ascii: "."):
      return readIrregularNumber()
    case UInt8(ascii: "t") where hasWord("true"): return addWord(.yes, length: 4)
    case UInt8(ascii: "f") where hasWord("false"): return addWord(.no, length: 5)
    case UInt8(ascii: "n") where hasWord("null"): return addWord(.null, length: 4)
    case UInt8(ascii: "'"): return readForeignString(isKey: false)
    case _ where isCurlyQuote(at: start): return readForeignString(isKey: false)
    case _ where isWordByte(bytes[start]) && wellFormedLength(at: start) > 0:
      return readIrregularWord()
    default:
      isStructureIntact = false
      let range = skipGarbage()
      report(.strayInValue(name(ofScalarAt: start), at: range))
      add(.invalid, range)
    }
  }

  private func hasWord(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    let end = offset + length
    guard end <= bytes.count, end == bytes.count || !isWordByte(bytes[end]) else { return false }
    return bytes[offset..<end].elementsEqual(word.description.utf8)
  }

  private mutating func addWord(_ kind: JSONTree.Node.Kind, length: Int) {
    add(kind, offset..<(offset + length))
    offset += length
  }

  private mutating func readIrregularNumber() {
    let start = offset
    while offset < bytes.count, isWordByte(bytes[offset]) { offset += 1 }
    let range = start..<offset
    let text = source[range]
    report(isWellFormed(range) ? .irregularNumber(text, at: range) : .malformedNumber(at: range))
    add(.invalid, range)
  }

  private mutating func readIrregularWord() {
    let start = offset
    var range = skipGarbage()
    // Several words are one string whose quotes were forgotten.
    if range.isEmpty {
      offset = start + 1
      range = start..<offset
    }
    if isWellFormed(range) {
      report(.irregularWord(source[range], at: range))
    } else {
      isStructureIntact = false
      report(.malformed(firstMalformed(in: range), at: range))
    }
    add(.invalid, range)
  }

  private func isWellFormed(_ range: SourceRange) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      let length = wellFormedLength(at: index)
      if length == 0 { return false }
      index += length
    }
    return true
  }

  private func firstMalformed(in range: SourceRange) -> String {
    name(ofScalarAt: range.first { bytes[$0] >= 0x80 && wellFormedLength(at: $0) == 0 } ?? 0)
  }

  /// Skips to where the document may go on: a comma, colon, bracket, quote or the end of the line.
  @discardableResult
  mutating func skipGarbage() -> SourceRange {
    let start = offset
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == 0x0A || byte == 0x0D { break }
      if offset > start, isStructural(byte) { break }
      if offset > start, byte == UInt8(ascii: "/"), offset + 1 < bytes.count,
        bytes[offset + 1] == UInt8(ascii: "/") || bytes[offset + 1] == UInt8(ascii: "*")
      {
        break
      }
      offset += 1
    }
    while offset > start + 1, bytes[offset - 1] == 0x20 || bytes[offset - 1] == 0x09 { offset -= 1 }
    return start..<offset
  }
}

/// Where the number that begins at an offset ends by JSON's grammar, or `nil` if none does.
func numberEnd(in bytes: [UInt8], from start: Int) -> Int? {
  var index = start
  func digits() -> Int {
    var end = index
    while end < bytes.count, 0x30...0x39 ~= bytes[end] { end += 1 }
    return end
  }
  if index < bytes.count, bytes[index] == UInt8(ascii: "-") { index += 1 }
  var end = digits()
  guard end > index, bytes[index] != 0x30 || end == index + 1 else { return nil }
  index = end
  if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
    index += 1
    end = digits()
    guard end > index else { return nil }
    index = end
  }
  if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
    index += 1
    if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
      index += 1
    }
    end = digits()
    guard end > index else { return nil }
    index = end
  }
  return index
}

/// Whether a byte can be part of a number or word, right or wrong.
func isWordByte(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
  case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
    UInt8(ascii: "$"):
    true
  default: false
  }
}

private func isStructural(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"),
    UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\""):
    true
  default: false
  }
}

private func isHexDigit(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
  default: false
  }
}

/// What a number that is none was meant to be, if that can be told.
private func corrected(_ text: String) -> String? {
  var rest = text[...]
  var sign = ""
  if rest.hasPrefix("-") { sign = "-" }
  if rest.hasPrefix("-") || rest.hasPrefix("+") { rest = rest.dropFirst() }
  let lower = rest.lowercased()
  if lower.hasPrefix("0x"), let value = UInt32(lower.dropFirst(2), radix: 16) {
    return sign + String(value)
  }
  rest = rest.drop { $0 == "0" }
  var digits = String(rest).filter { $0 != "_" }
  if digits.first.map({ !("0"..."9" ~= $0) }) ?? true { digits = "0" + digits }
  if let point = digits.firstIndex(of: ".") {
    let next = digits.index(after: point)
    if next == digits.endIndex || digits[next] == "e" || digits[next] == "E" {
      digits.remove(at: point)
    }
  }
  let candidate = sign + digits
  let bytes = Array(candidate.utf8)
  return numberEnd(in: bytes, from: 0) == bytes.count ? candidate : nil
}

// MARK: Wording

extension Diagnostic {
  fileprivate static func controlCharacter(_ byte: UInt8, at range: SourceRange) -> Diagnostic {
    let escape =
      switch byte {
      case 0x08: "\\b"
      case 0x09: "\\t"
      case 0x0C: "\\f"
      default: "\\u\(hexadecimal(UInt32(byte), digits: 4))"
      }
    let name =
      byte == 0x09 ? "a tab" : "the control character U+\(hexadecimal(UInt32(byte), digits: 4))"
    return SyntaxRules.controlCharacter.diagnostic(
      "\(Message(name)) stands in a string", at: range, label: "write \(Message(escape))",
      help: ["control characters in strings are escaped: write \(escape)"],
      fixes: [Fix("write \(escape)", edits: [Edit(range, escape)])])
  }

  fileprivate static func malformed(_ name: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.encoding.diagnostic(
      "\(Message(name.hasSuffix(",") ? String(name.dropLast()) : name)) stands in the text",
      at: range, label: "not UTF-8", help: ["save the file as UTF-8"])
  }

  fileprivate static func unterminated(at range: SourceRange) -> Diagnostic {
    SyntaxRules.unterminatedString.diagnostic(
      "a string is not closed", at: range, label: "it has no closing '\"' on this line",
      help: ["add '\"' where it ends; a line end inside a string is written \\n"])
  }

  fileprivate static func badEscape(_ text: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.escape.diagnostic(
      "\(Message(quoted(text))) is not an escape", at: range, label: "JSON does not know it",
      help: [
        "escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits; write \\\\ for a backslash"
      ],
      fixes: [
        Fix(
          "write a backslash as \\\\",
          edits: [Edit(range.lowerBound..<(range.lowerBound + 1), "\\\\")])
      ])
  }

  fileprivate static func shortUnicodeEscape(at range: SourceRange) -> Diagnostic {
    SyntaxRules.escape.diagnostic(
      "'\\u' needs four hexadecimal digits", at: range, label: "too few",
      help: ["write for example \\u00e9 for é, or é itself"])
  }

  fileprivate static func loneSurrogate(
    _ text: String, isHigh: Bool, at range: SourceRange
  ) -> Diagnostic {
    SyntaxRules.surrogate.diagnostic(
      "\(Message(quoted(text))) is half of a character", at: range,
      label: isHigh
        ? "a low surrogate, \\udc00 to \\udfff, should follow"
        : "a high surrogate, \\ud800 to \\udbff, should precede",
      help: ["write the character itself: the document is UTF-8"])
  }

  fileprivate static func foreignQuotes(at range: SourceRange, content: String?) -> Diagnostic {
    let canFix = content.map { !$0.contains("\"") } ?? false
    return SyntaxRules.quotes.diagnostic(
      "strings stand in straight double quotes", at: range, label: "these are others",
      help: [canFix ? "write \"\(shortened(content ?? ""))\"" : "write \"...\""],
      fixes: canFix
        ? [Fix("use double quotes", edits: [Edit(range, "\"\(content ?? "")\"")])] : [])
  }

  fileprivate static func unquotedKey(_ text: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.key.diagnostic(
      "the key \(Message(quoted(text))) stands without quotes", at: range,
      label: "keys stand in double quotes", help: ["write \"\(shortened(text))\""],
      fixes: [Fix("put the key in double quotes", edits: [Edit(range, "\"\(text)\"")])])
  }

  fileprivate static func strayInKey(_ name: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.key.diagnostic(
      "\(Message(name)) has no place here", at: range, label: "a key should stand here",
      help: ["a member is written \"key\": value"])
  }

  fileprivate static func strayInValue(_ name: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.unexpected.diagnostic(
      "\(Message(name)) has no place here", at: range, label: "a value should stand here",
      help: ["a value is a string, a number, true, false, null, an object or an array"])
  }

  fileprivate static func irregularNumber(_ text: String, at range: SourceRange) -> Diagnostic {
    let bare = text.drop { $0 == "-" || $0 == "+" }.lowercased()
    let correction = corrected(text)
    let label: Message =
      if ["nan", "inf", "infinity"].contains(bare) {
        "JSON has no such number"
      } else if bare.hasPrefix("0x") {
        "hexadecimal"
      } else if text.hasPrefix("+") {
        "it begins with '+'"
      } else if bare.hasPrefix(".") {
        "no digit before the point"
      } else if bare.hasPrefix("0"), bare.dropFirst().first.map({ "0"..."9" ~= $0 }) ?? false {
        "it begins with 0"
      } else if bare.hasSuffix(".") || bare.contains(".e") {
        "no digit behind the point"
      } else if bare.hasSuffix("e") || bare.hasSuffix("e+") || bare.hasSuffix("e-") {
        "no digit in the exponent"
      } else {
        "not as JSON writes numbers"
      }
    return SyntaxRules.number.diagnostic(
      "\(Message(quoted(text))) is not a number in JSON", at: range, label: label,
      help: [
        correction.map { "write \(shortened($0))" } ?? "numbers look like 12, -0.5 and 1.5e-3"
      ],
      fixes: correction.map { [Fix("write \(shortened($0))", edits: [Edit(range, $0)])] } ?? [])
  }

  fileprivate static func malformedNumber(at range: SourceRange) -> Diagnostic {
    SyntaxRules.encoding.diagnostic(
      "a number has bytes that are not UTF-8", at: range, label: "not UTF-8",
      help: ["numbers look like 12, -0.5 and 1.5e-3"])
  }

  fileprivate static func irregularWord(_ text: String, at range: SourceRange) -> Diagnostic {
    let lower = text.lowercased()
    if ["nan", "inf", "infinity"].contains(lower) { return irregularNumber(text, at: range) }
    let meant: String? =
      switch lower {
      case "true", "yes", "on": "true"
      case "false", "no", "off": "false"
      case "null", "none", "nil", "undefined": "null"
      default: nearMisses(to: lower, among: ["true", "false", "null"]).first
      }
    if let meant {
      return SyntaxRules.literal.diagnostic(
        "\(Message(quoted(text))) is not a value in JSON", at: range,
        label: "did you mean \(Message(meant))?",
        help: ["write \(meant), or \"\(shortened(text))\" for a string"],
        fixes: ["true", "false", "null"].contains(lower)
          ? [Fix("write \(meant)", edits: [Edit(range, meant)])] : [])
    }
    let canFix = !text.contains { $0 == "\"" || $0 == "\\" }
    return SyntaxRules.literal.diagnostic(
      "\(Message(quoted(text))) stands without quotes", at: range,
      label: "strings stand in double quotes", help: ["write \"\(shortened(text))\""],
      fixes: canFix ? [Fix("put it in double quotes", edits: [Edit(range, "\"\(text)\"")])] : [])
  }
}

/// A text for a help line: not longer than one can read.
private func shortened(_ text: String) -> String { String(quoted(text).dropFirst().dropLast()) }
