import Diagnostics
import PatchGraph
import PatchSyntax

/// What the characters of a position count.
enum PositionEncoding: String {
  case utf8 = "utf-8"
  case utf16 = "utf-16"

  /// How many there are of them in a character whose UTF-8 begins so.
  fileprivate func units(_ byte: UInt8) -> Int {
    switch self {
    case .utf8: 1
    case .utf16: byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
    }
  }
}

/// Places of a text as the protocol has them: lines and characters from 0.
struct TextPlaces {
  var source: SourceText
  var encoding: PositionEncoding

  /// The position of an offset. One that lies in a line's end is that of the end.
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

  /// The offset of a position; one past the end of a line is the line's end. `nil` for what is no
  /// position.
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

  /// The offsets of a range; `nil` for what is none.
  func offsets(_ range: JSONValue?) -> SourceRange? {
    guard let start = offset(range?["start"]), let end = offset(range?["end"]) else { return nil }
    return min(start, end)..<max(start, end)
  }
}
