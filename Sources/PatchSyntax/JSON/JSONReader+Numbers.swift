import AudioTypes
import Diagnostics

// MARK: Numbers and words

extension JSONReader {
  /// Reads a number or a word, or reports a text that is neither.
  mutating func readScalar() {
    let start = offset
    switch bytes[start] {
    case UInt8(ascii: "-"), 0x30...0x39:
      if let end = numberEnd(in: bytes, from: start), end == bytes.count || !isWordByte(bytes[end])
      {
        // Most numbers have no comma behind them, and the call copies the reader.
        if end < bytes.count, bytes[end] == UInt8(ascii: ","), let end = decimalCommaEnd(from: end)
        {
          offset = end
          report(.decimalComma(source[start..<end], at: start..<end))
          return add(.invalid, start..<end)
        }
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

  /// The end of a number with a decimal comma, in an object; `nil` for any other number. The digits
  /// after the comma cannot be a key, because a comma or the closing bracket follows them.
  private func decimalCommaEnd(from end: Int) -> Int? {
    guard open.last?.isObject == true, end + 1 < bytes.count, bytes[end] == UInt8(ascii: ","),
      let tail = bytes[(end + 1)...].firstIndex(where: { !(0x30...0x39).contains($0) }),
      tail > end + 1
    else { return nil }
    let next = bytes[tail...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return next == UInt8(ascii: "}") || next == UInt8(ascii: ",") ? tail : nil
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
    // Several words are taken for one string without quotes.
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

  func isWellFormed(_ range: SourceRange) -> Bool {
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

  /// Skips to where the document may continue: a comma, colon, bracket, quote or the end of the
  /// line.
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

/// The end of the number that begins at an offset, by JSON's grammar; `nil` where there is none.
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
