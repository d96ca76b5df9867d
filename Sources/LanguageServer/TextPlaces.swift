import Diagnostics
import PatchSyntax

/// The unit that the character of a position counts.
enum PositionEncoding: String {
  case utf8 = "utf-8"
  case utf16 = "utf-16"

  /// How many units a byte of UTF-8 adds.
  fileprivate func units(_ byte: UInt8) -> Int {
    switch self {
    case .utf8: 1
    case .utf16: byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
    }
  }
}

/// Converts offsets in bytes to the protocol's positions and back: lines and characters from 0.
struct TextPlaces {
  var source: SourceText
  var encoding: PositionEncoding

  /// The position of an offset. An offset inside a line ending gives the end of the line.
  func position(_ offset: Int) -> JSONText {
    let offset = min(max(offset, 0), source.bytes.count)
    let line = source.line(of: offset)
    let range = source.range(ofLine: line)
    var character = 0
    for index in range.lowerBound..<max(range.lowerBound, min(offset, range.upperBound)) {
      character += encoding.units(source.bytes[index])
    }
    return ["line": .number(line - 1), "character": .number(character)]
  }

  func range(_ range: SourceRange) -> JSONText {
    ["start": position(range.lowerBound), "end": position(range.upperBound)]
  }

  /// The offset of a position; a position past the end of a line gives the end of the line. `nil`
  /// for JSON that is not a position.
  func offset(_ position: JSONValue?) -> Int? {
    guard let line = position?["line"]?.integer, let character = position?["character"]?.integer,
      line >= 0, character >= 0
    else { return nil }
    guard line < source.lineCount else { return source.bytes.count }
    let range = source.range(ofLine: line + 1)
    var count = 0
    var offset = range.lowerBound
    while offset < range.upperBound {
      var end = offset + 1
      while end < range.upperBound, source.bytes[end] & 0xC0 == 0x80 { end += 1 }
      for index in offset..<end { count += encoding.units(source.bytes[index]) }
      if count > character { break }
      offset = end
    }
    return offset
  }

  /// The offsets of a range; `nil` for JSON that is not a range.
  func offsets(_ range: JSONValue?) -> SourceRange? {
    guard let start = offset(range?["start"]), let end = offset(range?["end"]) else { return nil }
    return min(start, end)..<max(start, end)
  }
}
