import TerminalScreen

/// A part of one line as a terminal shows it: every scalar with its columns.
struct SourceLine {
  /// One scalar of the text on the screen.
  private struct Cell {
    var offset: Int
    var column: Int
  }

  /// The text to print: a tab is four blanks, what cannot be printed is U+FFFD, and "..." marks a
  /// cut.
  private(set) var text = ""
  private var cells: [Cell] = []
  private var endOffset: Int
  private var endColumn = 0
  private var isCut = false

  private static let ellipsis = "..."

  /// Shows a line, or as much of it around a place as fits.
  ///
  /// - Parameters:
  ///   - line: The bytes of the line, without its end.
  ///   - focus: The offset that has to be visible.
  ///   - width: The number of columns available.
  init(_ source: SourceText, line: SourceRange, focus: Int, width: Int) {
    var start = line.lowerBound
    if !Self.fits(source, line, width: width) {
      // A quarter of the width before the focus, the rest after it.
      start = min(max(focus, line.lowerBound), line.upperBound)
      var columns = 0
      while start > line.lowerBound {
        let previous = source.scalarStart(before: start, notBefore: line.lowerBound)
        columns += source.glyph(at: previous).width
        if columns > width / 4 || focus - previous > 4 * width { break }
        start = previous
      }
      if start > line.lowerBound {
        text = Self.ellipsis
        endColumn = Self.ellipsis.utf8.count
      }
    }
    let limit = width - Self.ellipsis.utf8.count
    endOffset = start
    while endOffset < line.upperBound {
      let glyph = source.glyph(at: endOffset)
      // Scalars without a width could otherwise go on for ever.
      if endColumn + glyph.width > limit || cells.count > 4 * width,
        !Self.fits(source, endOffset..<line.upperBound, width: width - endColumn)
      {
        text += Self.ellipsis
        isCut = true
        break
      }
      cells.append(Cell(offset: endOffset, column: endColumn))
      text += glyph.text
      endColumn += glyph.width
      endOffset += glyph.length
    }
  }

  /// Whether an offset is visible; the end of the line may be one.
  func shows(_ offset: Int) -> Bool {
    (cells.first?.offset ?? endOffset) <= offset
      && (isCut ? offset < endOffset : offset <= endOffset)
  }

  /// The columns of a range, counted from 0: at least one.
  func columns(of range: SourceRange) -> Range<Int> {
    let start = column(of: range.lowerBound)
    var end = column(of: range.upperBound)
    // An end inside a scalar includes the scalar.
    if end == start { end = start + 1 }
    return start..<max(end, start + 1)
  }

  private func column(of offset: Int) -> Int {
    guard offset < endOffset else { return endColumn }
    var low = 0
    var high = cells.count
    while low < high {
      let middle = (low + high) / 2
      if cells[middle].offset > offset { high = middle } else { low = middle + 1 }
    }
    return low == 0 ? (cells.first?.column ?? 0) : cells[low - 1].column
  }

  private static func fits(_ source: SourceText, _ range: SourceRange, width: Int) -> Bool {
    // No scalar that takes a column is longer than four bytes; those that take none are few.
    guard range.count <= 8 * max(width, 0) else { return false }
    var columns = 0
    var offset = range.lowerBound
    while offset < range.upperBound {
      let glyph = source.glyph(at: offset)
      columns += glyph.width
      offset += glyph.length
    }
    return columns <= width
  }
}

extension SourceText {
  /// How one scalar of a text is shown.
  fileprivate struct Glyph {
    var text: String
    /// Columns on a terminal: 0, 1, 2, or 4 for a tab.
    var width: Int
    /// Bytes in the text.
    var length: Int
  }

  fileprivate func glyph(at offset: Int) -> Glyph {
    let byte = bytes[offset]
    if byte >= 0x20, byte < 0x7F {
      return Glyph(text: String(Unicode.Scalar(byte)), width: 1, length: 1)
    }
    if byte == 0x09 { return Glyph(text: "    ", width: 4, length: 1) }
    guard let (scalar, length) = scalar(at: offset), let width = terminalWidth(of: scalar) else {
      let length = scalar(at: offset)?.length ?? 1
      return Glyph(text: "\u{FFFD}", width: 1, length: length)
    }
    return Glyph(text: String(scalar), width: width, length: length)
  }

  fileprivate func scalarStart(before offset: Int, notBefore limit: Int) -> Int {
    for length in 1...4 where offset - length >= limit {
      if let scalar = scalar(at: offset - length), scalar.length == length {
        return offset - length
      }
    }
    return offset - 1
  }

  /// The scalar that begins at an offset, or `nil` where no well-formed one does.
  private func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    let first = bytes[offset]
    let length: Int
    switch first {
    case 0x00..<0x80: return (Unicode.Scalar(first), 1)
    case 0xC2..<0xE0: length = 2
    case 0xE0..<0xF0: length = 3
    case 0xF0..<0xF5: length = 4
    default: return nil
    }
    guard offset + length <= bytes.count else { return nil }
    var value = UInt32(first) & (0xFF >> UInt32(length + 1))
    for byte in bytes[(offset + 1)..<(offset + length)] {
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    // Shorter forms are the only ones allowed, and surrogates are no scalars.
    let smallest: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
    guard value >= smallest, let scalar = Unicode.Scalar(value) else { return nil }
    return (scalar, length)
  }
}

/// A text of several lines, each of them made `printable`.
public func printableLines(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
    .joined(separator: "\n")
}

/// A text in which every character that must not reach a terminal is escaped.
public func printable(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if terminalWidth(of: scalar) != nil {
      result.unicodeScalars.append(scalar)
    } else {
      result += scalar.escaped(asASCII: true)
    }
  }
  return result
}
