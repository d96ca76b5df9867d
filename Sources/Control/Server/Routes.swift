import Diagnostics
import NIOHTTP1
import PatchSyntax

/// Which request has which answer.
struct Routes: Sendable {
  let patch: any ControlledPatch
  let tally: ControlTally
  let version: String
  let executor: CallExecutor

  /// What can be asked for.
  private enum Resource: String, CaseIterable {
    case index = "/"
    case patch = "/patch"
    case status = "/status"
    case meters = "/meters"
    case events = "/events"
    case metrics = "/metrics"
    case stop = "/stop"

    var methods: [HTTPMethod] {
      switch self {
      case .patch: [.GET, .PUT, .PATCH, .DELETE]
      case .stop: [.POST]
      default: [.GET]
      }
    }

    var allowed: [HTTPMethod] {
      // A stream has no head by itself.
      (methods.contains(.GET) && self != .events ? [.HEAD] : []) + methods + [.OPTIONS]
    }

    /// The names that a query may have.
    var queryNames: Set<String> {
      switch self {
      case .patch: ["pointer"]
      case .events: ["meters"]
      default: []
      }
    }

    var summary: String {
      switch self {
      case .index: "this list"
      case .patch:
        "the document that plays, or with ?pointer=/nodes/mixer a value of it: GET, PUT and DELETE; "
          + "PATCH takes a JSON Patch or a merge patch; If-Match makes sure of what is changed"
      case .status: "how it plays"
      case .meters: "what taps and metered buses read"
      case .events:
        "what happens, as server-sent events; with ?meters=10 the meters ten times a second"
      case .metrics: "the same figures for Prometheus"
      case .stop: "fade out, finish the files, end"
      }
    }
  }

  private static let documentTypes = ["application/json", "application/jsonc"]
  private static let patchTypes = "application/json-patch+json, application/merge-patch+json"

  func answer(_ request: ControlRequest) async -> ControlAnswer {
    tally.count(\.requests)
    if request.method == .OPTIONS, request.target == "*" { return .response(allow([.OPTIONS])) }
    guard let target = RequestTarget(request.target) else {
      return problem(.badRequest, "the target of the request is not a path")
    }
    guard let resource = Resource(rawValue: target.path) else {
      return .response(
        Problem(
          status: .notFound, detail: "there is no '\(target.path)'",
          help: ["there is: " + Resource.allCases.map(\.rawValue).joined(separator: ", ")]
        ).response)
    }
    if request.method == .OPTIONS { return .response(allow(resource.allowed)) }
    guard resource.allowed.contains(request.method) else {
      return .response(
        Problem(
          status: .methodNotAllowed,
          detail: "\(resource.rawValue) has no \(request.method.rawValue)",
          headers: [("Allow", list(resource.allowed))]
        ).response)
    }
    for item in target.query where !resource.queryNames.contains(item.name) {
      return problem(.badRequest, "\(resource.rawValue) has no '\(item.name)' in its query")
    }
    switch resource {
    case .index: return .response(.json(index))
    case .patch: return .response(await answerPatch(request, target))
    case .status: return .response(.json(await patch.status().json))
    case .meters: return .response(.json(ControlMeter.json(await patch.meters())))
    case .events: return events(request, target)
    case .metrics: return .response(await metrics())
    case .stop: return .response(await stop(request))
    }
  }

  private func problem(_ status: HTTPResponseStatus, _ detail: String) -> ControlAnswer {
    .response(Problem(status: status, detail: detail).response)
  }

  private func allow(_ methods: [HTTPMethod]) -> ControlResponse {
    var headers = [("Allow", list(methods))]
    if methods.contains(.PATCH) { headers.append(("Accept-Patch", Self.patchTypes)) }
    return ControlResponse(status: .noContent, headers: headers)
  }

  private func list(_ methods: [HTTPMethod]) -> String {
    methods.map(\.rawValue).joined(separator: ", ")
  }

  private var index: JSONText {
    [
      "patchrun": .string(version),
      "resources": .array(
        Resource.allCases.map { resource in
          [
            "path": .string(resource.rawValue),
            "methods": .strings(resource.methods.map(\.rawValue)),
            "summary": .string(resource.summary),
          ]
        }),
    ]
  }

  // MARK: What is read

  private func events(_ request: ControlRequest, _ target: RequestTarget) -> ControlAnswer {
    var events = EventRequest()
    events.lastEventID = request.headers["Last-Event-ID"].last.flatMap { Int($0) }
    if let text = target["meters"] {
      guard let rate = Double(text), (0.1...50).contains(rate) else {
        return problem(
          .badRequest, "'meters' is how often a second, 0.1 to 50, and not '\(text)'")
      }
      events.meterRate = rate
    }
    return .events(events)
  }

  private func metrics() async -> ControlResponse {
    let text = Metrics.text(
      await patch.status(), await patch.meters(), tally.counts, version: version)
    return ControlResponse(
      headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: text)
  }

  private func stop(_ request: ControlRequest) async -> ControlResponse {
    if !request.body.isEmpty, let refusal = refusal(of: request, types: ["application/json"]) {
      return refusal
    }
    await patch.stop()
    var response = ControlResponse.json(["state": "stopping"])
    response.status = .accepted
    return response
  }

  // MARK: The document

  private func answerPatch(
    _ request: ControlRequest, _ target: RequestTarget
  ) async -> ControlResponse {
    var pointer: JSONPointer?
    if let text = target["pointer"] {
      pointer = JSONPointer(parsing: text)
      guard pointer != nil else {
        return Problem(
          status: .badRequest, detail: "'\(text)' is not a JSON Pointer",
          help: ["it begins with '/', and '~' stands only in ~0 and ~1"]
        ).response
      }
    }
    switch request.method {
    case .GET, .HEAD: return await read(request, pointer)
    case .PATCH:
      guard pointer == nil else {
        return Problem(
          status: .badRequest, detail: "a patch has its pointers inside: PUT and DELETE take one"
        ).response
      }
      return await applyPatch(request)
    case .DELETE:
      guard let pointer, !pointer.tokens.isEmpty else {
        return Problem(
          status: .badRequest, detail: "the whole document cannot be deleted",
          help: ["POST /stop ends it; DELETE /patch?pointer=/taps/mix takes a value away"]
        ).response
      }
      let path = JSONText.string(pointer.description).compact
      return await change(
        .patch(operations: "[{\"op\":\"remove\",\"path\":\(path)}]"), request)
    default:
      if let refusal = refusal(of: request, types: Self.documentTypes) { return refusal }
      guard let text = String(validating: request.body, as: UTF8.self) else { return notUTF8 }
      guard let pointer else { return await change(.replace(text: text), request) }
      return await set(SettingEdit(pointer: pointer, value: text), request)
    }
  }

  private func read(_ request: ControlRequest, _ pointer: JSONPointer?) async -> ControlResponse {
    let document = await patch.document()
    let tag = ("ETag", EntityTags.quoted(document.tag))
    if EntityTags("If-None-Match", in: request.headers)?.matchesWeakly(document.tag) == true {
      return ControlResponse(status: .notModified, headers: [tag])
    }
    // With comments it is no JSON.
    let isJSON = JSONReading.value(of: document.text) != nil
    let headers = [tag, ("Content-Type", Self.documentTypes[isJSON ? 0 : 1])]
    guard let pointer else { return ControlResponse(headers: headers, body: document.text) }
    guard let root = JSONReading.document(document.text) else {
      return Problem(status: .internalServerError, detail: "the document cannot be read").response
    }
    guard let value = root[pointer] else { return nothing(at: pointer, in: root) }
    return ControlResponse(headers: headers, body: Self.written(value) + "\n")
  }

  /// A value as it is written, moved to the left margin with the line that it begins in. Strings have
  /// no line feeds: every one is between values.
  private static func written(_ value: JSONValue) -> String {
    let bytes = value.tree.source.bytes
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let before = bytes[..<value.range.lowerBound]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let indentation = before[lineStart...].prefix(while: isBlank).count
    let lines = bytes[value.range].split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.enumerated().map { number, line in
      let blanks = number == 0 ? 0 : min(indentation, line.prefix(while: isBlank).count)
      return String(decoding: line.dropFirst(blanks), as: UTF8.self)
    }.joined(separator: "\n")
  }

  private func nothing(at pointer: JSONPointer, in root: JSONValue) -> ControlResponse {
    var way = JSONPointer()
    var container = root
    for token in pointer.tokens {
      guard let inside = container[JSONPointer([token])] else { break }
      container = inside
      way.append(token)
    }
    let keys = container.members.compactMap { $0.key.string }
    let place = way.tokens.isEmpty ? "the patch" : way.description
    return Problem(
      status: .notFound, detail: "the patch has nothing at \(pointer.description)",
      help: keys.isEmpty ? [] : ["\(place) has: \(keys.joined(separator: ", "))"]
    ).response
  }

  private func applyPatch(_ request: ControlRequest) async -> ControlResponse {
    let types = ["application/json-patch+json", "application/merge-patch+json"]
    if var refusal = refusal(of: request, types: types) {
      refusal.headers.append(("Accept-Patch", Self.patchTypes))
      return refusal
    }
    guard let text = String(validating: request.body, as: UTF8.self) else { return notUTF8 }
    let isMerge = mediaType(request) == types[1]
    return await change(isMerge ? .merge(text: text) : .patch(operations: text), request)
  }

  private var notUTF8: ControlResponse {
    Problem(status: .badRequest, detail: "the body is not UTF-8").response
  }

  /// Puts a value at a pointer, in the document of the moment.
  private func set(_ edit: SettingEdit, _ request: ControlRequest) async -> ControlResponse {
    guard JSONReading.value(of: edit.value) != nil else {
      return Problem(
        status: .badRequest, detail: "the body is not JSON",
        help: ["a text has quotes: \"Flat\""]
      ).response
    }
    let condition = EntityTags("If-Match", in: request.headers)
    for _ in 0..<16 {
      let document = await patch.document()
      guard condition?.matches(document.tag) ?? true else { return otherTag(document.tag) }
      guard let root = JSONReading.document(document.text) else { break }
      let outcome = await patch.change(
        .patch(operations: SettingEdit.patch([edit], in: root)), ifMatch: document.tag, by: .http)
      // Somebody else was faster: what is on the way may be another.
      if case .otherTag = outcome { continue }
      return answer(outcome)
    }
    return Problem(
      status: .conflict, detail: "the document changes too often to change this value"
    ).response
  }

  private func change(_ change: ControlChange, _ request: ControlRequest) async -> ControlResponse {
    guard let condition = EntityTags("If-Match", in: request.headers) else {
      return answer(await patch.change(change, ifMatch: nil, by: .http))
    }
    let tag = await patch.document().tag
    guard condition.matches(tag) else { return otherTag(tag) }
    return answer(
      await patch.change(change, ifMatch: condition == .any ? nil : tag, by: .http))
  }

  private func answer(_ outcome: ControlOutcome) -> ControlResponse {
    switch outcome {
    case .applied(let tag, let effects):
      tally.count(\.applied)
      return .json(
        ["tag": .string(tag), "changes": .array(effects.map(\.json))],
        headers: [("ETag", EntityTags.quoted(tag))])
    case .refused(let refusal):
      tally.count(\.refused)
      return Problem(
        status: .unprocessableEntity, detail: "the patch would be wrong: it plays on as it was",
        members: refusal.json
      ).response
    case .otherTag(let tag): return otherTag(tag)
    case .failed(let message, let help):
      tally.count(\.refused)
      return Problem(status: .conflict, detail: message, help: help).response
    }
  }

  private func otherTag(_ current: String) -> ControlResponse {
    Problem(
      status: .preconditionFailed, detail: "another document plays by now",
      help: ["GET /patch again"], headers: [("ETag", EntityTags.quoted(current))]
    ).response
  }

  // MARK: Media types

  private func mediaType(_ request: ControlRequest) -> String {
    let field = request.headers.first(name: "Content-Type") ?? ""
    return String(field.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }).lowercased()
  }

  /// Why a body is not taken; `nil` for one that is.
  private func refusal(of request: ControlRequest, types: [String]) -> ControlResponse? {
    let type = mediaType(request)
    guard !types.contains(type) else { return nil }
    let found = type.isEmpty ? "a body without a Content-Type" : "'\(type)'"
    return Problem(
      status: .unsupportedMediaType, detail: "\(found) is not taken here",
      help: ["Content-Type: " + types.joined(separator: ", or ")]
    ).response
  }
}
