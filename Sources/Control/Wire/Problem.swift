import NIOHTTP1
import PatchSyntax

/// An error response: a problem of RFC 9457.
struct Problem {
  var status: HTTPResponseStatus
  /// A sentence that starts in lower case.
  var detail: String
  var help: [String] = []
  /// Further members of this kind of problem.
  var members: JSONText = .object([])
  var headers: [(String, String)] = []

  var response: ControlResponse {
    let head: JSONText = [
      "type": "about:blank", "title": .string(status.reasonPhrase),
      "status": .number(Int(status.code)), "detail": .string(detail),
    ]
    let help: JSONText = self.help.isEmpty ? .object([]) : ["help": .strings(self.help)]
    return ControlResponse(
      status: status,
      headers: headers + [("Content-Type", "application/problem+json")],
      body: head.adding(help).adding(members).document)
  }
}
