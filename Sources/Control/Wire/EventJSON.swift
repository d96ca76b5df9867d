import PatchSyntax

extension ControlEvent {
  /// The name of the event in the stream.
  var name: String {
    switch self {
    case .started: "started"
    case .changed: "changed"
    case .refused: "refused"
    case .xrun: "xrun"
    case .underrun: "underrun"
    case .file: "file"
    case .route: "route"
    case .interruption: "interruption"
    case .device: "device"
    case .state: "state"
    case .saved: "saved"
    case .warning: "warning"
    case .ended: "ended"
    }
  }

  var json: JSONText {
    switch self {
    case .started(let tag): ["tag": .string(tag)]
    case .changed(let tag, let effects, let origin):
      [
        "tag": .string(tag), "by": .string(origin.rawValue),
        "changes": .array(effects.map(\.json)),
      ]
    case .refused(let refusal, let origin):
      JSONText.object([.init("by", .string(origin.rawValue))]).adding(refusal.json)
    case .xrun(let underruns, let overruns):
      ["underruns": .number(underruns), "overruns": .number(overruns)]
    case .underrun(let underrun):
      [
        "cause": .string(underrun.cause), "position": .number(underrun.position.rounded(digits: 3)),
        "message": .string(underrun.message),
      ]
    case .file(let event):
      [
        "kind": .string(event.kind), "file": .string(event.file),
        "position": .number(event.position.rounded(digits: 3)),
        "duration": .number(event.duration.rounded(digits: 3)), "frames": .number(event.frames),
        "ongoing": .boolean(event.isOngoing), "message": .string(event.message),
      ]
    case .route(let direction, let name):
      ["direction": .string(direction.rawValue), "name": .string(name)]
    case .interruption(let begins): ["begins": .boolean(begins)]
    case .device(let direction, let isLost, let message):
      [
        "direction": .string(direction.rawValue), "isLost": .boolean(isLost),
        "message": .string(message),
      ]
    case .state(let state): ["state": .string(state.rawValue)]
    case .saved(let file, let tag): ["file": .string(file), "tag": .string(tag)]
    case .warning(let message): ["message": .string(message)]
    case .ended(.reached): ["reason": "reached"]
    case .ended(.stopped): ["reason": "stopped"]
    case .ended(.failed(let message)): ["reason": "failed", "message": .string(message)]
    }
  }

  /// The event without its long parts and with the member `isShortened`. A client gets the document
  /// by `GET /patch`.
  var briefJSON: JSONText {
    let isShortened: JSONText = ["isShortened": .boolean(true)]
    return switch self {
    case .changed(let tag, let effects, let origin):
      isShortened.adding([
        "tag": .string(tag), "by": .string(origin.rawValue), "changes": [],
        "changeCount": .number(effects.count),
      ])
    case .refused(_, let origin):
      isShortened.adding([
        "by": .string(origin.rawValue), "diagnostics": [],
        "text": "there is more to say than fits into an event\n",
      ])
    default: isShortened
    }
  }
}
