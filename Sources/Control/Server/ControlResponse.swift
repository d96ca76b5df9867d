import NIOHTTP1
import PatchSyntax

/// A request with its complete body.
struct ControlRequest: Sendable {
  var method: HTTPMethod
  /// The target as it was sent: a path with an optional query.
  var target: String
  var headers: HTTPHeaders
  var body: [UInt8] = []
  /// How the request has come.
  var entrance = ControlEntrance.port
}

/// A response.
struct ControlResponse: Sendable {
  /// The body of a response.
  enum Body: Sendable {
    case text(String)
    case bytes([UInt8])
    /// Part of a file, read in pieces while it is sent.
    case file(any ControlFile, Range<Int>)

    var count: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .bytes(let bytes): bytes.count
      case .file(_, let range): range.count
      }
    }

    /// The text; empty for bytes and files.
    var text: String {
      if case .text(let text) = self { text } else { "" }
    }

    /// The bytes in memory while it is sent.
    var heldCount: Int {
      if case .file = self { 0 } else { count }
    }
  }

  var status: HTTPResponseStatus
  /// Without the length of the body and the common headers.
  var headers: [(String, String)]
  var body: Body

  init(status: HTTPResponseStatus = .ok, headers: [(String, String)] = [], body: String = "") {
    self.init(status: status, headers: headers, .text(body))
  }

  init(status: HTTPResponseStatus = .ok, headers: [(String, String)] = [], _ body: Body) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  static func json(_ value: JSONText, headers: [(String, String)] = []) -> ControlResponse {
    ControlResponse(
      headers: headers + [("Content-Type", "application/json")], body: value.document)
  }
}

/// A request for an event stream.
struct EventRequest: Sendable {
  /// The last event that the client knows; later ones are sent if they are still kept.
  var lastEventID: Int?
  /// Readings of the meters a second; `nil` for none.
  var meterRate: Double?
  /// The bands an octave of spectra; `nil` for every bin.
  var bands: Int?
  /// Whether meters include the levels before faders.
  var hasPreFader = true
}

enum ControlAnswer: Sendable {
  case response(ControlResponse)
  case events(EventRequest)
}
