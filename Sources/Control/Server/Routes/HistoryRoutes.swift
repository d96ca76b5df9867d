import NIOHTTP1

/// The history, undo and redo.
extension Routes {
  func rewind(_ target: RequestTarget, _ request: ControlRequest, isRedo: Bool) async
    -> ControlResponse
  {
    if let refusal = bodyRefusal(of: request) { return refusal }
    var rewind = isRedo ? ControlRewind.redo : .undo
    if let text = target["to"] {
      guard let number = Int(text), number >= 0 else {
        return .problem(
          .badRequest, "'to' is the number of a step, or 0 for the beginning, and not '\(text)'",
          help: ["GET /history has the numbers"])
      }
      rewind = .to(number)
    }
    guard let condition = EntityTags("If-Match", in: request.headers) else {
      return answer(await patch.rewind(rewind, ifMatch: nil, by: .http))
    }
    let tag = await patch.document().tag
    guard condition.matches(tag) else { return otherTag(tag) }
    return answer(await patch.rewind(rewind, ifMatch: condition == .any ? nil : tag, by: .http))
  }
}
