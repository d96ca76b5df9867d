/// Splits the bytes of a connection into messages: a header with `Content-Length`, an empty line,
/// and a body of that many bytes.
public struct MessageFrames {
  /// A message, or bytes that are not one.
  public enum Frame: Hashable, Sendable {
    case message([UInt8])
    /// A header without the length of its message, or a length above the limit; the text says
    /// which. Reading continues after the header, or after the message that is too long.
    case malformed(String)
  }

  /// The maximum number of bytes of a message, and of a header.
  static let longestMessage = 1 << 28
  static let longestHeader = 1 << 16

  private var bytes: [UInt8] = []
  private var start = 0
  /// The number of bytes still to skip of a message that is too long.
  private var skipped = 0

  public init() {}

  /// The number of bytes that ``next()`` has not consumed yet.
  public var byteCount: Int { bytes.count - start }

  /// Adds bytes that have arrived.
  public mutating func append(_ some: some Sequence<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += some
  }

  /// The next complete message; `nil` until more bytes arrive.
  public mutating func next() -> Frame? {
    if skipped > 0 {
      let count = min(skipped, bytes.count - start)
      start += count
      skipped -= count
      if skipped > 0 { return nil }
    }
    guard let header = headerEnd() else {
      guard bytes.count - start > Self.longestHeader else { return nil }
      start = bytes.count
      return .malformed("the header of a message has no end")
    }
    guard let length = contentLength(bytes[start..<header]) else {
      start = header
      return .malformed("a message needs a header with its Content-Length")
    }
    guard length <= Self.longestMessage else {
      start = header
      skipped = length
      return .malformed("a message of \(length) bytes is too long")
    }
    guard bytes.count - header >= length else { return nil }
    start = header + length
    return .message(Array(bytes[header..<start]))
  }

  /// The offset after the empty line; `nil` until it arrives.
  private func headerEnd() -> Int? {
    var index = start
    let limit = min(bytes.count, start + Self.longestHeader)
    while index < limit {
      if bytes[index] == 0x0A {
        if index + 1 < bytes.count, bytes[index + 1] == 0x0A { return index + 2 }
        if index + 2 < bytes.count, bytes[index + 1] == 0x0D, bytes[index + 2] == 0x0A {
          return index + 3
        }
      }
      index += 1
    }
    return nil
  }

  private func contentLength(_ header: ArraySlice<UInt8>) -> Int? {
    for line in header.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let text = String(decoding: line, as: UTF8.self)
      guard let colon = text.firstIndex(of: ":"),
        text[..<colon].lowercased() == "content-length"
      else { continue }
      let digits = text[text.index(after: colon)...].filter { $0 != " " && $0 != "\t" }
      guard let length = Int(digits), length >= 0 else { return nil }
      return length
    }
    return nil
  }

  /// A message with its header.
  public static func framed(_ text: String) -> String {
    "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
  }
}
