import Diagnostics
import PatchSyntax

/// What a position of a patch belongs to. Only the text before the position and the token at it
/// count: while somebody types, the text after it may be broken.
struct Cursor {
  enum Role { case key, value }

  /// The keys and indices that lead from the root to the object or array around the position.
  var container: [String]
  /// Whether a key or a value belongs at the position; `nil` where a colon or a comma does.
  var role: Role?
  /// The key or the index of the value at the position.
  var step: String
  /// The token at the position, without quotes; empty between tokens.
  var content: SourceRange
  /// The token with its quotes.
  var token: SourceRange
  var isInString: Bool
  /// Whether the string has its closing quote.
  var isClosed: Bool

  /// The path of the value, or of the key's member.
  var path: [String] { container + [step] }

  /// The cursor at an offset in bytes; `nil` in a comment, outside all brackets, and where the
  /// nesting is too deep.
  static func at(_ offset: Int, in source: SourceText) -> Cursor? {
    var scanner = CursorScanner(bytes: source.bytes)
    return scanner.scan(to: offset)
  }
}

private struct CursorScanner {
  enum State { case key, colon, value, after }

  struct Frame {
    var isObject: Bool
    var step = ""
    var index = 0
    var state: State
  }

  let bytes: [UInt8]
  var frames: [Frame] = []

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func scan(to target: Int) -> Cursor? {
    var offset = 0
    while offset < target {
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        let end = stringEnd(offset)
        if target < end.offset || target == end.offset && !end.isClosed {
          return cursor(offset..<end.offset, isString: true, isClosed: end.isClosed)
        }
        take(string: offset..<end.offset, isClosed: end.isClosed)
        offset = end.offset
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = bytes[offset] == UInt8(ascii: "{")
        if frames.count > JSONReader.maximumDepth { return nil }
        frames.append(Frame(isObject: isObject, state: isObject ? .key : .value))
        offset += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        let isObject = bytes[offset] == UInt8(ascii: "}")
        if let place = frames.lastIndex(where: { $0.isObject == isObject }) {
          frames.removeSubrange(place...)
        }
        endValue()
        offset += 1
      case UInt8(ascii: ":"):
        change { if $0.isObject { $0.state = .value } }
        offset += 1
      case UInt8(ascii: ","):
        change { frame in
          frame.state = frame.isObject ? .key : .value
          frame.index += 1
        }
        offset += 1
      case UInt8(ascii: "/") where offset + 1 < bytes.count && isCommentStart(bytes[offset + 1]):
        let end = commentEnd(offset)
        if target < end { return nil }
        offset = end
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      default:
        let end = wordEnd(offset)
        if target <= end { return cursor(offset..<end, isString: false, isClosed: true) }
        endValue()
        offset = end
      }
    }
    // Between tokens, or at the beginning of one.
    guard target < bytes.count else {
      return cursor(target..<target, isString: false, isClosed: true)
    }
    if bytes[target] == UInt8(ascii: "\"") {
      let end = stringEnd(target)
      return cursor(target..<end.offset, isString: true, isClosed: end.isClosed)
    }
    let end = max(target, wordEnd(target))
    return cursor(target..<end, isString: false, isClosed: true)
  }

  private func cursor(_ token: SourceRange, isString: Bool, isClosed: Bool) -> Cursor? {
    guard let frame = frames.last else { return nil }
    let container = frames.dropLast().map { $0.isObject ? $0.step : String($0.index) }
    var content = token
    if isString {
      content = inside(token, isClosed)
    }
    var role: Cursor.Role?
    var step = frame.isObject ? frame.step : String(frame.index)
    switch frame.state {
    case .key: role = .key
    case .value: role = .value
    case .colon: break
    // A comma is missing.
    case .after where isString && frame.isObject: role = .key
    case .after: break
    }
    if role == .key { step = text(content) }
    return Cursor(
      container: container, role: role, step: step, content: content, token: token,
      isInString: isString, isClosed: isClosed)
  }

  private mutating func change(_ edit: (inout Frame) -> Void) {
    guard !frames.isEmpty else { return }
    edit(&frames[frames.count - 1])
  }

  private mutating func endValue() { change { $0.state = .after } }

  private mutating func take(string range: SourceRange, isClosed: Bool) {
    let name = text(inside(range, isClosed))
    change { frame in
      guard frame.isObject, frame.state != .value else {
        frame.state = .after
        return
      }
      frame.step = name
      frame.state = .colon
    }
  }

  /// A string without its quotes.
  private func inside(_ token: SourceRange, _ isClosed: Bool) -> SourceRange {
    let start = token.lowerBound + 1
    return start..<max(start, token.upperBound - (isClosed ? 1 : 0))
  }

  /// The text between quotes, with its escapes resolved.
  private func text(_ content: SourceRange) -> String {
    let slice = bytes[content]
    guard slice.contains(UInt8(ascii: "\\")) else { return String(decoding: slice, as: UTF8.self) }
    let quoted = [UInt8(ascii: "\"")] + slice + [UInt8(ascii: "\"")]
    let tree = JSONReader.read(SourceText(name: "", bytes: quoted), dialect: .json).tree
    return tree?.root.string ?? String(decoding: slice, as: UTF8.self)
  }

  /// The offset behind the closing quote; a string ends at the end of its line at the latest.
  private func stringEnd(_ start: Int) -> (offset: Int, isClosed: Bool) {
    var offset = start + 1
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""): return (offset + 1, true)
      case UInt8(ascii: "\\") where offset + 1 < bytes.count && bytes[offset + 1] >= 0x20:
        offset += 2
      case 0x0A, 0x0D: return (offset, false)
      default: offset += 1
      }
    }
    return (min(offset, bytes.count), false)
  }

  private func isCommentStart(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "*")
  }

  private func commentEnd(_ start: Int) -> Int {
    var offset = start + 2
    if bytes[start + 1] == UInt8(ascii: "/") {
      while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
      return offset
    }
    while offset < bytes.count {
      if bytes[offset] == UInt8(ascii: "/"), bytes[offset - 1] == UInt8(ascii: "*"),
        offset > start + 2
      {
        return offset + 1
      }
      offset += 1
    }
    return offset
  }

  private func wordEnd(_ start: Int) -> Int {
    var offset = start
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x00...0x20, UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"),
        UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"):
        // A control character that JSON does not allow as white space is a word of its own.
        return offset == start && offset < bytes.count && isStrayControl(bytes[offset])
          ? offset + 1 : offset
      default: offset += 1
      }
    }
    return offset
  }

  private func isStrayControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
  }
}
