import AudioTypes

/// A JSON value to print. The members of an object keep their order.
public enum JSONText: Hashable, Sendable {
  /// A member of an object.
  public struct Member: Hashable, Sendable {
    public var name: String
    public var value: JSONText

    public init(_ name: String, _ value: JSONText) {
      self.name = name
      self.value = value
    }
  }

  case null
  case boolean(Bool)
  /// A number that JSON cannot write, infinite or not a number, is printed as `null`.
  case number(Double)
  case string(String)
  case array([JSONText])
  case object([Member])

  public static func strings(_ values: some Sequence<String>) -> JSONText {
    .array(values.map(JSONText.string))
  }

  /// The number as a `Float` prints itself: 0.1 and not 0.10000000149011612.
  public static func number(_ value: Float) -> JSONText {
    .number(value.decimal)
  }

  public static func number(_ value: some BinaryInteger) -> JSONText { .number(Double(value)) }

  /// The members of an object; of anything else, none.
  public var members: [Member] {
    if case .object(let members) = self { members } else { [] }
  }

  /// This object with the members of another one appended.
  public func adding(_ other: JSONText) -> JSONText { .object(members + other.members) }
}

extension JSONText: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONText...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONText)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

extension JSONText {
  /// A value that has been read, with its members in the order of the text. Text that could not be
  /// read is `null`.
  public init(_ value: JSONValue) {
    switch value.kind {
    case .null, .invalid: self = .null
    case .bool: self = .boolean(value.bool ?? false)
    case .number: self = .number(value.number ?? 0)
    case .string: self = .string(value.string ?? "")
    case .array: self = .array(value.elements.map(JSONText.init))
    case .object:
      self = .object(value.members.map { Member($0.key.string ?? "", JSONText($0.value)) })
    }
  }

  /// A string with its quotes, escaped where JSON demands it; ill-formed UTF-8 becomes U+FFFD.
  static func quoted(_ content: ArraySlice<UInt8>) -> [UInt8] {
    var result = [UInt8(ascii: "\"")]
    for byte in String(decoding: content, as: UTF8.self).utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: result += Array("\\u\(hexadecimal(UInt32(byte), digits: 4))".utf8)
      default: result.append(byte)
      }
    }
    return result + [UInt8(ascii: "\"")]
  }

  /// The value as a document: two spaces to a level, a line feed at its end, and arrays of plain
  /// values on one line where they fit into 100 columns.
  public var document: String {
    var text = ""
    write(to: &text, indentation: 0, column: 0)
    return text + "\n"
  }

  /// The value without blanks.
  public var compact: String {
    var text = ""
    writeCompact(to: &text)
    return text
  }

  private func writeCompact(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(let value): text += Self.written(value)
    case .string(let value): Self.append(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.writeCompact(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.append(member.name, to: &text)
        text += ":"
        member.value.writeCompact(to: &text)
      }
      text += "}"
    }
  }

  private static let width = 100

  private var isPlain: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }

  private func write(to text: inout String, indentation: Int, column: Int) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += "\(value)"
    case .number(let value): text += Self.written(value)
    case .string(let value): text += Self.written(value)
    case .array(let values):
      if values.allSatisfy(\.isPlain) {
        var line = "["
        for (index, value) in values.enumerated() {
          if index > 0 { line += ", " }
          value.write(to: &line, indentation: 0, column: 0)
        }
        line += "]"
        // `<`, because a comma may follow.
        if values.isEmpty || column + line.count < Self.width {
          text += line
          return
        }
      }
      text += "["
      for (index, value) in values.enumerated() {
        text += index > 0 ? ",\n" : "\n"
        text += String(repeating: " ", count: indentation + 2)
        value.write(to: &text, indentation: indentation + 2, column: indentation + 2)
      }
      text += "\n" + String(repeating: " ", count: indentation) + "]"
    case .object(let members):
      guard !members.isEmpty else {
        text += "{}"
        return
      }
      text += "{"
      for (index, member) in members.enumerated() {
        text += index > 0 ? ",\n" : "\n"
        let head =
          String(repeating: " ", count: indentation + 2) + Self.written(member.name) + ": "
        text += head
        member.value.write(to: &text, indentation: indentation + 2, column: head.count)
      }
      text += "\n" + String(repeating: " ", count: indentation) + "}"
    }
  }

  private static func written(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    return abs(value) < 0x1p53 && value == value.rounded() ? String(Int(value)) : "\(value)"
  }

  /// Characters that are invisible and change how a text is shown or read: byte order marks, which
  /// some readers drop, line separators, and marks that reverse the direction of a text.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xFEFF, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private static func written(_ value: String) -> String {
    var text = ""
    append(value, to: &text)
    return text
  }

  private static func append(_ value: String, to text: inout String) {
    text += "\""
    defer { text += "\"" }
    // Most texts need no escape.
    let isPlain = value.utf8.allSatisfy {
      (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    if isPlain {
      text += value
      return
    }
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F || isInvisible(scalar):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
