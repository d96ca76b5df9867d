import NIOHTTP1
import PatchSyntax

extension ControlResponse {
  /// An error response: a problem of RFC 9457.
  ///
  /// - Parameters:
  ///   - detail: A sentence that starts in lower case.
  ///   - members: Further members of this kind of problem.
  static func problem(
    _ status: HTTPResponseStatus, _ detail: String, help: [String] = [],
    members: JSONText = .object([]), headers: [(String, String)] = []
  ) -> ControlResponse {
    let head: JSONText = [
      "type": "about:blank", "title": .string(status.reasonPhrase),
      "status": .number(Int(status.code)), "detail": .string(detail),
    ]
    let help: JSONText = help.isEmpty ? .object([]) : ["help": .strings(help)]
    return ControlResponse(
      status: status, headers: headers + [("Content-Type", "application/problem+json")],
      body: head.adding(help).adding(members).document)
  }
}
