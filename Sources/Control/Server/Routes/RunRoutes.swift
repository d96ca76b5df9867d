import NIOHTTP1
import PatchSyntax

/// Requests about the run and the patch's file.
extension Routes {
  func stop(_ request: ControlRequest) async -> ControlResponse {
    if let refusal = bodyRefusal(of: request) { return refusal }
    await patch.stop()
    var response = ControlResponse.json(["state": "stopping"])
    response.status = .accepted
    return response
  }

  func setPaused(_ isPaused: Bool, _ request: ControlRequest) async -> ControlResponse {
    if let refusal = bodyRefusal(of: request) { return refusal }
    let state = await patch.setPaused(isPaused)
    let isDone =
      switch state {
      case .playing, .interrupted, .waiting: !isPaused
      case .paused: isPaused
      case .starting, .stopping, .ended: false
      }
    guard isDone else {
      return .problem(
        .conflict, "the patch is not playing", members: ["state": .string(state.rawValue)])
    }
    return .json(["state": .string(state.rawValue)])
  }

  func trigger(_ target: RequestTarget, _ request: ControlRequest) async -> ControlResponse {
    if let refusal = bodyRefusal(of: request) { return refusal }
    guard let callback = target["callback"] else {
      return .problem(.badRequest, "which callback? /trigger?callback=song")
    }
    switch await patch.trigger(callback, by: .http) {
    case .begun: return .json(["callback": .string(callback)])
    case .refused(let message, let help):
      return .problem(.unprocessableEntity, message, help: help)
    case .notPlaying:
      return .problem(.conflict, "the patch is not playing")
    }
  }

  func save(_ request: ControlRequest) async -> ControlResponse {
    if let refusal = bodyRefusal(of: request) { return refusal }
    return await ifMatched(request) { tag in
      switch await patch.save(ifMatch: tag) {
      case .saved(let file, let tag):
        .json(
          ["file": .string(file), "tag": .string(tag)],
          headers: [("ETag", EntityTags.quoted(tag))])
      case .otherTag(let tag): otherTag(tag)
      case .failed(let message, let help): .problem(.conflict, message, help: help)
      }
    }
  }

  func validate(_ request: ControlRequest) async -> ControlResponse {
    if let refusal = refusal(of: request, types: Self.documentTypes) { return refusal }
    guard let text = String(validating: request.body, as: UTF8.self) else { return notUTF8 }
    return .json(await patch.validate(text, through: request.entrance).json)
  }

  /// The controls in the requested form.
  func controls(_ target: RequestTarget) async -> ControlResponse {
    switch target["form"] {
    case nil: .json(await patch.settings().json)
    case "kinds": .json(await patch.settings().byKinds)
    case "values": .json(await patch.settings().values)
    case .some(let form):
      .problem(.badRequest, "'form' is kinds or values, and not '\(form)'")
    }
  }

  func response(_ target: RequestTarget) async -> ControlResponse {
    guard let node = target["node"] else {
      return await noResponse(.badRequest, "which node? /response?node=eq")
    }
    guard let curve = await patch.response(of: node) else {
      return await noResponse(
        .notFound, "'\(node)' has no response: it is no equalizer of the patch")
    }
    return .json(curve.json)
  }

  private func noResponse(
    _ status: HTTPResponseStatus, _ detail: String
  ) async -> ControlResponse {
    let filters = await patch.filters()
    return .problem(
      status, detail,
      help: [
        filters.isEmpty
          ? "the patch has no equalizer" : "there is: \(filters.joined(separator: ", "))"
      ])
  }

  /// The refusal of a body where none is needed; `nil` if it is accepted.
  ///
  /// A page of another site can send bodies of other types without the browser asking first (CORS
  /// preflight).
  func bodyRefusal(of request: ControlRequest) -> ControlResponse? {
    request.body.isEmpty ? nil : refusal(of: request, types: ["application/json"])
  }
}
