import NIOHTTP1
import PatchSyntax

/// A request whose body is there.
struct ControlRequest: Sendable {
  var method: HTTPMethod
  /// The target as it was sent: a path, perhaps a query.
  var target: String
  var headers: HTTPHeaders
  var body: [UInt8] = []
  /// Which way it has come.
  var door = ControlEntrance.port
}

/// What is answered.
struct ControlResponse: Sendable {
  /// What follows the head.
  enum Body: Sendable {
    case text(String)
    case bytes([UInt8])
    /// A part of a file, which is read in pieces while it is sent.
    case file(any ControlFile, Range<Int>)

    var count: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .bytes(let bytes): bytes.count
      case .file(_, let range): range.count
      }
    }

    /// The text; nothing of what is none.
    var text: String {
      if case .text(let text) = self { text } else { "" }
    }

    /// What is in memory for it until it has been sent.
    var heldCount: Int {
      if case .file = self { 0 } else { count }
    }
  }

  var status: HTTPResponseStatus
  /// Without the length of the body, and without what holds for all answers.
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

/// A stream of events that a client asks for.
struct EventRequest: Sendable {
  /// Those behind this one, as far as they are still known.
  var lastEventID: Int?
  /// Readings of the meters a second; `nil` for none.
  var meterRate: Double?
  /// In how many bands an octave has its spectra; `nil` for each bin.
  var bands: Int?
  /// Whether the levels in front of faders are among the meters.
  var hasPreFader = true
}

enum ControlAnswer: Sendable {
  case response(ControlResponse)
  case events(EventRequest)
}
