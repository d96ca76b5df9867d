/// A span of a document, in UTF-8 offsets from its first byte.
public typealias SourceRange = Range<Int>

/// A line and a column, both counted from 1. The column counts Unicode scalars, as compilers and
/// most editors show it; a tab is one, and so is each byte that is not part of well-formed UTF-8.
public struct SourcePosition: Hashable, Sendable, Comparable, CustomStringConvertible {
  public var line: Int
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Such as `12:20`.
  public var description: String { "\(line):\(column)" }

  public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A document as it was read. Its lines are found once.
///
/// The bytes need not be well-formed UTF-8. A line ends at LF, CRLF or a lone CR, as in editors.
///
/// A text may also be *spliced*: made of pieces of others, as when the command line replaces a
/// value. Offsets then count in the whole, and `origin(of:)` gives where a range was written.
public struct SourceText: Sendable {
  /// The file's name as the user gave it.
  public let name: String
  public let bytes: [UInt8]

  private let lineStarts: [Int]
  /// How many scalars begin before each block of `blockLength` bytes, so that a column on a line of
  /// many megabytes is found without walking the line.
  private let scalarsBeforeBlock: [Int]
  private var pieces: [Piece]

  private static let blockLength = 4096

  private struct Piece: Sendable {
    var range: SourceRange
    var origin: SourceText
    var originStart: Int
    /// The range that every part of it leads to, where its bytes are not written in the origin as
    /// they are.
    var whole: SourceRange?

    func place(of offset: Int) -> Int {
      min(max(originStart + offset - range.lowerBound, 0), origin.bytes.count)
    }
  }

  public init(name: String, bytes: [UInt8]) {
    self.init(name: name, bytes: bytes, pieces: [])
  }

  public init(name: String, text: String) {
    self.init(name: name, bytes: Array(text.utf8))
  }

  private init(name: String, bytes: [UInt8], pieces: [Piece]) {
    self.name = name
    self.bytes = bytes
    self.pieces = pieces
    var lineStarts = [0]
    var scalarsBeforeBlock: [Int] = []
    scalarsBeforeBlock.reserveCapacity(bytes.count / Self.blockLength + 1)
    var scalars = 0
    var blockStart = 0
    repeat {
      scalarsBeforeBlock.append(scalars)
      let blockEnd = min(blockStart + Self.blockLength, bytes.count)
      for offset in blockStart..<blockEnd {
        let byte = bytes[offset]
        if byte & 0xC0 != 0x80 { scalars += 1 }
        if byte <= 0x0D {
          if byte == 0x0A {
            lineStarts.append(offset + 1)
          } else if byte == 0x0D, offset + 1 == bytes.count || bytes[offset + 1] != 0x0A {
            lineStarts.append(offset + 1)
          }
        }
      }
      blockStart = blockEnd
    } while blockStart < bytes.count
    self.lineStarts = lineStarts
    self.scalarsBeforeBlock = scalarsBeforeBlock
  }

  /// The number of lines. A text that ends in a line end has an empty last line.
  public var lineCount: Int { lineStarts.count }

  /// The place of an offset, found in logarithmic time. An offset past the end is the end.
  public func position(of offset: Int) -> SourcePosition {
    let offset = min(max(offset, 0), bytes.count)
    let line = line(of: offset)
    return SourcePosition(
      line: line, column: scalars(before: offset) - scalars(before: lineStarts[line - 1]) + 1)
  }

  /// The number of the line that an offset is on, found in logarithmic time. Lines count from 1.
  public func line(of offset: Int) -> Int {
    lineStarts.firstIndex(sortedWhere: { $0 > min(max(offset, 0), bytes.count) })
  }

  /// The bytes of a line without its line end. Lines count from 1.
  public func range(ofLine number: Int) -> SourceRange {
    precondition(number >= 1 && number <= lineCount, "the text has no such line")
    let start = lineStarts[number - 1]
    guard number < lineStarts.count else { return start..<bytes.count }
    var end = lineStarts[number] - 1
    if end > start, bytes[end] == 0x0A, bytes[end - 1] == 0x0D { end -= 1 }
    return start..<end
  }

  /// The text of a range, with U+FFFD for bytes that are not UTF-8. Offsets past the end are left
  /// out.
  public subscript(range: SourceRange) -> String {
    String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
  }

  private func scalars(before offset: Int) -> Int {
    let block = min(offset / Self.blockLength, scalarsBeforeBlock.count - 1)
    var count = scalarsBeforeBlock[block]
    for index in (block * Self.blockLength)..<offset where bytes[index] & 0xC0 != 0x80 {
      count += 1
    }
    return count
  }
}

// MARK: Splicing

extension SourceText {
  /// This text with a range of it replaced by a part of another text. The name stays.
  ///
  /// - Parameters:
  ///   - range: The range to replace, in this text's offsets.
  ///   - prefix: Bytes that belong to neither text, such as a comma; their place is just before
  ///     `part`.
  ///   - text: The text in which the replacement is written.
  ///   - part: The part of `text` that replaces the range.
  public func replacing(
    _ range: SourceRange, prefix: String = "", with part: SourceRange, of text: SourceText
  ) -> SourceText {
    precondition(range.upperBound <= bytes.count, "the replaced range lies in the text")
    precondition(part.upperBound <= text.bytes.count, "the replacement lies in its text")
    var bytes = Array(self.bytes[..<range.lowerBound])
    var newPieces = slice(0..<range.lowerBound, at: 0)
    let prefixStart = bytes.count
    bytes += Array(prefix.utf8)
    newPieces.append(
      Piece(
        range: prefixStart..<bytes.count, origin: text.withoutPieces,
        originStart: part.lowerBound - prefix.utf8.count))
    let partStart = bytes.count
    bytes += text.bytes[part]
    newPieces += text.slice(part, at: partStart)
    let restStart = bytes.count
    bytes += self.bytes[range.upperBound...]
    newPieces += slice(range.upperBound..<self.bytes.count, at: restStart)
    return SourceText(name: name, bytes: bytes, pieces: newPieces.filter { !$0.range.isEmpty })
  }

  /// This text followed by others, each with a line feed behind it that belongs to its end. The
  /// name stays, and so does every offset; `others[0]` begins at `bytes.count + 1`.
  public func appending(_ others: [SourceText]) -> SourceText {
    guard !others.isEmpty else { return self }
    var bytes: [UInt8] = []
    var newPieces: [Piece] = []
    bytes.reserveCapacity(others.reduce(self.bytes.count + 1) { $0 + $1.bytes.count + 1 })
    for text in [self] + others {
      let start = bytes.count
      newPieces += text.slice(0..<text.bytes.count, at: start).filter { !$0.range.isEmpty }
      bytes += text.bytes
      if text.bytes.isEmpty {
        newPieces.append(
          Piece(range: start..<start, origin: text.withoutPieces, originStart: 0, whole: nil))
      }
      let last = newPieces[newPieces.count - 1].range
      newPieces[newPieces.count - 1].range = last.lowerBound..<(last.upperBound + 1)
      bytes.append(0x0A)
    }
    return SourceText(name: name, bytes: bytes, pieces: newPieces)
  }

  /// The first bytes of this text. The name stays, and so does every offset.
  public func prefix(_ length: Int) -> SourceText {
    let length = min(max(length, 0), bytes.count)
    let parts = slice(0..<length, at: 0)
    // One piece that is all of a text of this name is that text.
    if parts.count == 1, parts[0].originStart == 0, parts[0].origin.bytes.count == length,
      parts[0].origin.name == name
    {
      return parts[0].origin
    }
    return SourceText(name: name, bytes: Array(bytes[..<length]), pieces: parts)
  }

  /// The text that a range was written in, and where in it.
  ///
  /// A range over several pieces belongs to the text of its first byte, up to its last piece of
  /// that text. A text that was not spliced is its own origin.
  public func origin(of range: SourceRange) -> (text: SourceText, range: SourceRange) {
    guard !pieces.isEmpty else { return (self, range) }
    let low = min(range.lowerBound, bytes.count)
    let high = min(max(range.upperBound, low), bytes.count)
    let first = pieces[piece(holding: low)]
    let start = first.whole?.lowerBound ?? first.place(of: low)
    // The last piece in the range that is of the same text.
    var index = piece(holding: max(high - 1, low))
    while !pieces[index].origin.isSame(as: first.origin) { index -= 1 }
    let last = pieces[index]
    let end = last.whole?.upperBound ?? last.place(of: min(high, last.range.upperBound))
    return (first.origin, start..<max(start, end))
  }

  /// Whether two values hold the same name and bytes. Quick for copies, which share their bytes.
  func isSame(as other: SourceText) -> Bool { name == other.name && bytes == other.bytes }

  private var withoutPieces: SourceText {
    var plain = self
    plain.pieces = []
    return plain
  }

  private func piece(holding offset: Int) -> Int {
    max(pieces.firstIndex(sortedWhere: { $0.range.lowerBound > offset }) - 1, 0)
  }

  /// The pieces that make up a range of this text, moved to begin at another offset.
  private func slice(_ range: SourceRange, at start: Int) -> [Piece] {
    guard !pieces.isEmpty else {
      let whole = start..<(start + range.count)
      return [Piece(range: whole, origin: self, originStart: range.lowerBound)]
    }
    var slice: [Piece] = []
    var index = piece(holding: range.lowerBound)
    while index < pieces.count, pieces[index].range.lowerBound < range.upperBound {
      var piece = pieces[index]
      index += 1
      let part = piece.range.clamped(to: range)
      guard !part.isEmpty else { continue }
      let newStart = start + part.lowerBound - range.lowerBound
      piece.originStart += part.lowerBound - piece.range.lowerBound
      piece.range = newStart..<(newStart + part.count)
      slice.append(piece)
    }
    return slice
  }
}

// MARK: Composing

extension SourceText {
  /// A part of a composed text.
  public enum Part: Sendable {
    /// A range of a text.
    case written(SourceRange, in: SourceText)
    /// A text that is written nowhere. Every part of it leads to the whole range.
    case made(String, for: SourceRange, in: SourceText)
  }

  /// A text composed of parts of others, with the origin of every part.
  ///
  /// - Parameter base: A text that counts as an origin even where it is spliced itself. Ranges in
  ///   other spliced texts lead to the texts that these are made of.
  public init(name: String, parts: [Part], base: SourceText? = nil) {
    var bytes: [UInt8] = []
    var pieces: [Piece] = []
    // Parts that follow each other in one text are joined.
    var pending: (range: SourceRange, text: SourceText)?
    func flush() {
      guard let (range, text) = pending else { return }
      pending = nil
      let start = bytes.count
      bytes += text.bytes[range]
      if let base, text.isSame(as: base) {
        pieces.append(
          Piece(
            range: start..<bytes.count, origin: base, originStart: range.lowerBound, whole: nil))
      } else {
        pieces += text.slice(range, at: start)
      }
    }
    for part in parts {
      switch part {
      case .written(let range, let text):
        guard !range.isEmpty else { continue }
        if let before = pending, before.range.upperBound == range.lowerBound,
          before.text.isSame(as: text)
        {
          pending = (before.range.lowerBound..<range.upperBound, text)
        } else {
          flush()
          pending = (range, text)
        }
      case .made(let text, let range, let source):
        flush()
        let isBase = base.map { source.isSame(as: $0) } ?? false
        let origin = isBase ? (text: source, range: range) : source.origin(of: range)
        let start = bytes.count
        bytes += Array(text.utf8)
        pieces.append(
          Piece(
            range: start..<bytes.count, origin: origin.text,
            originStart: origin.range.lowerBound, whole: origin.range))
      }
    }
    flush()
    self.init(name: name, bytes: bytes, pieces: pieces.filter { !$0.range.isEmpty })
  }
}

extension Array {
  /// The first index whose element satisfies a predicate that holds for all elements after it too.
  fileprivate func firstIndex(sortedWhere belongsInSecond: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if belongsInSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
