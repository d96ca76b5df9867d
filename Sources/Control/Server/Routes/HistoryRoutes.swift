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
    return await ifMatched(request) { answer(await patch.rewind(rewind, ifMatch: $0, by: .http)) }
  }
}
