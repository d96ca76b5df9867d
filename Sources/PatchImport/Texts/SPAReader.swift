import Diagnostics

/// Reads PipeWire's relaxed JSON: quotes, commas, `=` and the outer braces are optional, and `#`
/// begins a comment.
struct SPAReader {
  private struct Problem: Error {
    var message: String
    var range: SourceRange
  }

  private let bytes: [UInt8]
  private var index = 0
  private var count = 0

  private static let maximumValues = 100_000

  static func read(_ reading: inout ImportReading) throws(ImportRefused) -> ConfigValue {
    var reader = SPAReader(bytes: reading.source.bytes)
    do throws(Problem) {
      return try reader.document().withPointers()
    } catch {
      throw reading.refuse(
        "\(error.message)", at: error.range,
        help: "PipeWire reads JSON in which quotes, commas and '=' may be left out")
    }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func document() throws(Problem) -> ConfigValue {
    skipSeparators()
    let start = index
    if index < bytes.count, bytes[index] == UInt8(ascii: "{") {
      let value = try self.value(depth: 0)
      skipSeparators()
      guard index == bytes.count else {
        throw Problem(
          message: "the document is closed before here", range: index..<(index + 1))
      }
      return value
    }
    return ConfigValue(content: .map(try members(until: nil, depth: 0)), range: start..<start)
  }

  /// Passes over separators and comments.
  private mutating func skipSeparators() {
    while index < bytes.count {
      switch bytes[index] {
      case 0, 9, 10, 13, 32, UInt8(ascii: ","): index += 1
      case UInt8(ascii: "#"):
        while index < bytes.count, bytes[index] != 10 { index += 1 }
      default: return
      }
    }
  }

  private mutating func members(
    until end: UInt8?, depth: Int
  ) throws(Problem) -> [ConfigValue.Member] {
    var members: [ConfigValue.Member] = []
    while true {
      skipSeparators()
      guard index < bytes.count else {
        guard end == nil else {
          throw Problem(
            message: "a brace is not closed", range: max(0, index - 1)..<index)
        }
        return members
      }
      if let end, bytes[index] == end {
        index += 1
        return members
      }
      let start = index
      let key = try word()
      let range = start..<index
      skipSeparators()
      if index < bytes.count,
        bytes[index] == UInt8(ascii: "=") || bytes[index] == UInt8(ascii: ":")
      {
        index += 1
        skipSeparators()
      }
      guard index < bytes.count, bytes[index] != UInt8(ascii: "}") else {
        throw Problem(message: "the key '\(key)' has no value", range: range)
      }
      members.append(.init(key: key, range: range, value: try value(depth: depth + 1)))
    }
  }

  private mutating func value(depth: Int) throws(Problem) -> ConfigValue {
    let start = index
    count += 1
    guard depth <= 64, count <= Self.maximumValues else {
      throw Problem(
        message: "the document is more than 64 deep, or has more than 100,000 values",
        range: start..<(start + 1))
    }
    switch bytes[index] {
    case UInt8(ascii: "{"):
      index += 1
      let members = try members(until: UInt8(ascii: "}"), depth: depth)
      return ConfigValue(content: .map(members), range: start..<(start + 1))
    case UInt8(ascii: "["):
      index += 1
      var values: [ConfigValue] = []
      while true {
        skipSeparators()
        guard index < bytes.count else {
          throw Problem(message: "a bracket is not closed", range: start..<(start + 1))
        }
        if bytes[index] == UInt8(ascii: "]") {
          index += 1
          return ConfigValue(content: .list(values), range: start..<(start + 1))
        }
        values.append(try value(depth: depth + 1))
      }
    default:
      let isQuoted = bytes[start] == UInt8(ascii: "\"")
      let text = try word()
      let content: ConfigValue.Content =
        if isQuoted {
          .text(text)
        } else if text == "null" {
          .null
        } else if text == "true" || text == "false" {
          .bool(text == "true")
        } else {
          NumberText.value(of: text).map { .number($0) } ?? .text(text)
        }
      return ConfigValue(content: content, range: start..<index)
    }
  }

  /// A text in quotes, or a bare word.
  private mutating func word() throws(Problem) -> String {
    let start = index
    if bytes[index] == UInt8(ascii: "\"") { return try quoted() }
    while index < bytes.count, Self.isBare(bytes[index]) { index += 1 }
    guard index > start else {
      throw Problem(
        message: "'\(String(decoding: [bytes[index]], as: UTF8.self))' stands where a word should",
        range: index..<(index + 1))
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    guard byte > 32, byte != 127 else { return false }
    return !"\"#{}[],:=\\".utf8.contains(byte)
  }

  private mutating func quoted() throws(Problem) -> String {
    let start = index
    var text: [UInt8] = []
    index += 1
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\"), index < bytes.count else {
        text.append(byte)
        continue
      }
      let escape = bytes[index]
      index += 1
      switch escape {
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "u"):
        let digits = String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self)
        guard digits.utf8.count == 4, let code = UInt32(digits, radix: 16) else {
          throw Problem(message: "this is no escape", range: (index - 2)..<index)
        }
        index += 4
        text += Array(String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8)
      default: text.append(escape)
      }
    }
    throw Problem(message: "a quote is not closed", range: start..<(start + 1))
  }
}
