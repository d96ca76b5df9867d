import NIOHTTP1
import PatchSyntax

/// Language-server requests of the editor on the panel's page.
extension Routes {
  /// The most requests in one body.
  private static let mostRequests = 16

  func language(_ request: ControlRequest) async -> ControlResponse {
    if let refusal = refusal(of: request, types: ["application/json"]) { return refusal }
    guard let body = String(validating: request.body, as: UTF8.self) else { return notUTF8 }
    guard let root = JSONReading.value(of: body), let text = root["text"]?.string,
      let list = root["requests"], list.kind == .array
    else {
      return .problem(
        .badRequest, "the body has no 'text' or no 'requests'",
        help: [
          #"{ "text": "{}", "requests": [{ "method": "textDocument/hover", "params": { "position": … } }] }"#
        ])
    }
    let requests = list.elements.compactMap { item -> ControlLanguageRequest? in
      item["method"]?.string.map { method in
        ControlLanguageRequest(method: method, parameters: item["params"].map(JSONText.init) ?? [:])
      }
    }
    guard requests.count == Array(list.elements).count, requests.count <= Self.mostRequests
    else {
      return .problem(
        .badRequest, "each of 'requests', \(Self.mostRequests) at the most, has a 'method'")
    }
    let answers = await patch.answers(to: requests, about: text, through: request.entrance)
    return .json(["answers": .array(answers)])
  }
}
