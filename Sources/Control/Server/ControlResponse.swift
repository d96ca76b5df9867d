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
  var status: HTTPResponseStatus
  /// Without the length of the body, and without what holds for all answers.
  var headers: [(String, String)]
  var body: String

  init(status: HTTPResponseStatus = .ok, headers: [(String, String)] = [], body: String = "") {
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
