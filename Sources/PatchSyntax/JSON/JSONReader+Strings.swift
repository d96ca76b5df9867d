import AudioTypes
import Diagnostics

// MARK: Strings

extension JSONReader {
  /// The end of a run of ASCII without quotes, escapes and control characters. Most strings are one
  /// such run.
  ///
  /// Not a method, for which the reader would be copied.
  private static func plainEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      // One comparison for both ends of the range.
      let isPlain =
        byte &- 0x20 < 0x60 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      guard isPlain else { break }
      end += 1
    }
    return end
  }

  /// Reads a string that begins with a double quote, and adds it to the table.
  mutating func readString(isKey: Bool) {
    let start = offset
    offset = Self.plainEnd(bytes.span, from: offset + 1)
    if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
      offset += 1
      let quotes = JSONTree.Node.quotes(1, 1) | JSONTree.Node.plain
      return addString(start, isKey: isKey, isEscaped: false, quotes: quotes)
    }
    var isEscaped = false
    var hasReportedEncoding = false
    let known = diagnostics.count
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\"") {
        offset += 1
        addString(start, isKey: isKey, isEscaped: isEscaped, quotes: JSONTree.Node.quotes(1, 1))
        // Its text is unknown: no name or file is looked up by it.
        let unclear = [SyntaxRules.escape.code, SyntaxRules.encoding.code]
        let isUnclear = diagnostics[known...].contains {
          $0.severity == .error && unclear.contains($0.code)
        }
        if isUnclear { nodes[nodes.count - 1].kind = .invalid }
        return
      }
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        // In a path with backslashes each of them is wrong for the same reason.
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

  /// Ends a string that is not closed, at the end of its line or of the text. Trailing commas and
  /// brackets probably belong to the document, not to the string, so they are read again.
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
    nodes.append(
      JSONTree.Node(
        start: UInt32(start), end: UInt32(offset), next: UInt32(nodes.count + 1), kind: .string,
        flags: quotes, isEscaped: isEscaped, isKey: isKey))
    if isKey { noteKey() }
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
      // The string ends with its line, which is reported there.
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
  mutating func readForeignString(isKey: Bool) {
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

  func isCurlyQuote(at offset: Int) -> Bool {
    // U+2018 to U+201F.
    offset + 2 < bytes.count && bytes[offset] == 0xE2 && bytes[offset + 1] == 0x80
      && 0x98...0x9F ~= bytes[offset + 2]
  }

  /// Reads a key that is not in double quotes, and reports it.
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

func isStructural(_ byte: UInt8) -> Bool {
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

/// The number that a malformed one most likely means; `nil` where that is unclear.
func corrected(_ text: String) -> String? {
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

/// A text cut to the length of a line of help.
func shortened(_ text: String) -> String { String(quoted(text).dropFirst().dropLast()) }
