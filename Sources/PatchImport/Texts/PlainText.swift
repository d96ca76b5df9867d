import Diagnostics

/// Decodes text files of several encodings.
enum PlainText {
  /// The text in UTF-8 without a byte-order mark. A text with the mark of UTF-16 is UTF-16; any
  /// other text that is not UTF-8 is Windows code page 1252.
  static func decoded(_ source: SourceText) -> SourceText {
    let bytes = source.bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      return decoded(SourceText(name: source.name, bytes: Array(bytes[3...])))
    }
    for (mark, isBig) in [([UInt8(0xFF), 0xFE], false), ([0xFE, 0xFF], true)]
    where bytes.starts(with: mark) {
      let units = stride(from: 2, to: bytes.count - 1, by: 2).map { (index: Int) -> UInt16 in
        let first = UInt16(bytes[index])
        let second = UInt16(bytes[index + 1])
        return isBig ? first << 8 | second : second << 8 | first
      }
      return SourceText(name: source.name, text: String(decoding: units, as: UTF16.self))
    }
    if String(validating: bytes, as: UTF8.self) != nil { return source }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(scalar(windows1252: byte)) }
    return SourceText(name: source.name, text: text)
  }

  private static func scalar(windows1252 byte: UInt8) -> Unicode.Scalar {
    guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
    return Unicode.Scalar(high[Int(byte) - 0x80]) ?? "\u{FFFD}"
  }

  /// The code points of bytes 0x80 to 0x9F; 0 for unassigned bytes.
  private static let high: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122,
    0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
  ]
}

/// A line of a text: its scalars, and the offset of each.
struct TextLine {
  var scalars: [Unicode.Scalar]
  /// The offset of each scalar in the text, followed by the offset of the end of the line.
  var offsets: [Int]

  /// - Parameter base: The offset of the source in the combined text that ranges point into.
  init(_ source: SourceText, line: Int, base: Int) {
    let range = source.range(ofLine: line)
    let text = source[range]
    scalars = Array(text.unicodeScalars)
    var offset = base + range.lowerBound
    offsets = []
    offsets.reserveCapacity(scalars.count + 1)
    for scalar in scalars {
      offsets.append(offset)
      offset += scalar.utf8.count
    }
    offsets.append(offset)
  }

  private init(_ scalars: [Unicode.Scalar], _ offsets: [Int]) {
    self.scalars = scalars
    self.offsets = offsets
  }

  var count: Int { scalars.count }
  var text: String { String(String.UnicodeScalarView(scalars)) }

  /// The range of the line, without the blanks around it.
  var range: SourceRange {
    let trimmed = trimmed
    return trimmed.offsets[0]..<(trimmed.offsets.last ?? trimmed.offsets[0])
  }

  /// The range in the text of the scalars with some indices.
  func range(_ part: Range<Int>) -> SourceRange {
    offsets[part.lowerBound]..<offsets[part.upperBound]
  }

  func part(_ part: Range<Int>) -> TextLine {
    TextLine(Array(scalars[part]), Array(offsets[part.lowerBound...part.upperBound]))
  }

  static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\u{A0}" || scalar == "\r"
  }

  var trimmed: TextLine {
    var low = 0
    var high = count
    while low < high, Self.isBlank(scalars[low]) { low += 1 }
    while high > low, Self.isBlank(scalars[high - 1]) { high -= 1 }
    return part(low..<high)
  }

  var isEmpty: Bool { trimmed.count == 0 }

  /// The parts between blanks.
  var words: [TextLine] {
    var words: [TextLine] = []
    var start: Int?
    for index in 0...count {
      let isEnd = index == count || Self.isBlank(scalars[index])
      if isEnd, let first = start {
        words.append(part(first..<index))
        start = nil
      } else if !isEnd, start == nil {
        start = index
      }
    }
    return words
  }

  /// The parts between separators.
  func split(_ separator: Unicode.Scalar) -> [TextLine] {
    var parts: [TextLine] = []
    var start = 0
    for index in 0...count where index == count || scalars[index] == separator {
      parts.append(part(start..<index))
      start = index + 1
    }
    return parts
  }

  /// The parts before and after the first colon, without blanks around them; `nil` where there is
  /// no colon.
  var command: (key: TextLine, rest: TextLine)? {
    guard let colon = scalars.firstIndex(of: ":") else { return nil }
    return (part(0..<colon).trimmed, part((colon + 1)..<count).trimmed)
  }

  /// The line with every comma replaced by a point.
  var withDecimalPoints: TextLine {
    TextLine(scalars.map { $0 == "," ? "." : $0 }, offsets)
  }

  /// The line without separators of thousands in numbers that also have a decimal separator, such
  /// as `1.250,5` and `1,250.5`.
  var withoutThousandsSeparators: TextLine {
    var kept: [Int] = []
    var index = 0
    while index < count {
      var end = index
      while end < count,
        NumberText.isDigit(scalars[end]) || ".,".unicodeScalars.contains(scalars[end])
      {
        end += 1
      }
      let number = scalars[index..<end]
      let last = number.last { $0 == "." || $0 == "," }
      let hasBoth = number.contains(".") && number.contains(",")
      kept += (index..<end).filter {
        !hasBoth || NumberText.isDigit(scalars[$0]) || scalars[$0] == last
      }
      if end == index {
        kept.append(index)
        end += 1
      }
      index = end
    }
    return TextLine(kept.map { scalars[$0] }, kept.map { offsets[$0] } + [offsets[count]])
  }

  /// The line with some scalars replaced by a text, which takes the offset of the first of them.
  func replacing(_ part: Range<Int>, with text: String) -> TextLine {
    let new = Array(text.unicodeScalars)
    return TextLine(
      Array(scalars[..<part.lowerBound]) + new + Array(scalars[part.upperBound...]),
      Array(offsets[..<part.lowerBound])
        + Array(repeating: offsets[part.lowerBound], count: new.count)
        + Array(offsets[part.upperBound...]))
  }
}

/// Reads numbers from text files.
enum NumberText {
  static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  /// The number at the beginning of a text, as `strtod` of the C library reads it; the rest of the
  /// text is ignored. `nil` where there is none, and for numbers that are not finite.
  static func prefix(of scalars: some Collection<Unicode.Scalar>) -> Double? {
    let all = Array(scalars)
    var index = 0
    if index < all.count, all[index] == "-" || all[index] == "+" { index += 1 }
    let digits = index
    while index < all.count, isDigit(all[index]) { index += 1 }
    var count = index - digits
    if index < all.count, all[index] == "." {
      index += 1
      let start = index
      while index < all.count, isDigit(all[index]) { index += 1 }
      count += index - start
    }
    guard count > 0 else { return nil }
    var end = index
    if index < all.count, all[index] == "e" || all[index] == "E" {
      index += 1
      if index < all.count, all[index] == "-" || all[index] == "+" { index += 1 }
      let start = index
      while index < all.count, isDigit(all[index]) { index += 1 }
      if index > start { end = index }
    }
    var text = String(String.UnicodeScalarView(all[..<end]))
    if text.hasSuffix(".") { text += "0" }
    text = text.replacing(".e", with: ".0e").replacing(".E", with: ".0e")
    for sign in ["", "-", "+"] where text.hasPrefix(sign + ".") {
      text = sign + "0" + text.dropFirst(sign.count)
    }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  /// The number that a text consists of; `nil` where the text has anything else.
  static func value(of text: String) -> Double? {
    let scalars = Array(text.unicodeScalars)
    guard let value = prefix(of: scalars),
      scalars.allSatisfy({ isDigit($0) || "+-.eE".unicodeScalars.contains($0) })
    else { return nil }
    return value
  }
}
