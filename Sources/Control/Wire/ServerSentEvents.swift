/// A server-sent event (HTML standard, "Server-sent events").
public struct ServerSentEvent: Hashable, Sendable {
  /// The ID for `Last-Event-ID`; `nil` for an event that is not repeated.
  public var id: String?
  /// The name of the event; `message` is the default.
  public var name: String
  public var data: String

  /// The event as it is sent, with the empty line at its end.
  var wire: String {
    var text = ""
    if let id { text += "id: \(id)\n" }
    text += "event: \(name)\n"
    // Split by bytes for speed: meters are long and frequent.
    for line in data.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      text += "data: "
      text += Substring(line)
      text += "\n"
    }
    return text + "\n"
  }

  /// A comment that keeps the connection alive.
  static let heartbeat = ": still here\n\n"

  /// The time after which a client should reconnect, in milliseconds.
  static func retry(_ milliseconds: Int) -> String { "retry: \(milliseconds)\n\n" }
}

/// Parses a stream of server-sent events from chunks of any size.
struct ServerSentEventReader {
  /// The bytes of an incomplete line.
  private var line: [UInt8] = []
  private var followsCarriageReturn = false
  private var id: String?
  private var name = ""
  private var data: [String] = []

  /// The events that these bytes complete.
  mutating func read(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      defer { followsCarriageReturn = byte == UInt8(ascii: "\r") }
      switch byte {
      case UInt8(ascii: "\n") where followsCarriageReturn: break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if let event = endLine() { events.append(event) }
      default: line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine() -> ServerSentEvent? {
    defer { line = [] }
    guard !line.isEmpty else {
      defer {
        id = nil
        name = ""
        data = []
      }
      guard !data.isEmpty else { return nil }
      return ServerSentEvent(
        id: id, name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "id": id = text
    case "event": name = text
    case "data": data.append(text)
    default: break
    }
    return nil
  }
}
