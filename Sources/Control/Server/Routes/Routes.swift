import NIOHTTP1
import Panel
import PatchSyntax

/// Answers requests.
struct Routes: Sendable {
  let patch: any ControlledPatch
  let tally: ControlTally
  let version: String
  let hasPanel: Bool
  let executor: CallExecutor
  /// Runs closures on the event loop of a connection.
  let gate: LoopGate

  /// The answer to a request for a file of the panel; `nil` for another request.
  ///
  /// Does not call the patch, so it may run on the event loop.
  ///
  /// - Parameter target: The parsed target of the request; `nil` if the target is not a path.
  func fileAnswer(_ request: ControlRequest, _ target: RequestTarget?) -> ControlAnswer? {
    guard let target, let file = panelFile(target.path) else { return nil }
    tally.count(\.requests)
    return .response(answer(file, request))
  }

  /// The answer to a request for anything but a file of the panel.
  ///
  /// - Parameter target: The parsed target of the request; `nil` if the target is not a path.
  func answer(_ request: ControlRequest, _ target: RequestTarget?) async -> ControlAnswer {
    tally.count(\.requests)
    if request.method == .OPTIONS, request.target == "*" { return .response(allow([.OPTIONS])) }
    guard let target else {
      return problem(.badRequest, "the target of the request is not a path")
    }
    guard let resource = Resource(rawValue: target.path) else {
      return .response(
        .problem(
          .notFound, "there is no '\(target.path)'",
          help: ["there is: " + Resource.allCases.map(\.rawValue).joined(separator: ", ")]))
    }
    if request.method == .OPTIONS { return .response(allow(resource.allowed)) }
    if let refusal = methodRefusal(of: request, resource.allowed, resource.rawValue) {
      return .response(refusal)
    }
    for item in target.query where !resource.queryNames.contains(item.name) {
      return problem(.badRequest, "\(resource.rawValue) has no '\(item.name)' in its query")
    }
    switch resource {
    case .index:
      if wantsPage(request), let page = PanelFile.index {
        return .response(answer(page, request))
      }
      return .response(.json(index, headers: hasPanel ? [("Vary", "Accept")] : []))
    case .patch: return .response(await answerPatch(request, target))
    case .status: return .response(.json(await patch.status().json))
    case .meters: return .response(.json(ControlMeter.json(await patch.meters())))
    case .drawing: return .response(await drawing(request))
    case .controls: return .response(await controls(target))
    case .units: return .response(.json(ControlUnit.json(await patch.units())))
    case .response: return .response(await response(target))
    case .events: return events(request, target)
    case .metrics: return .response(await metrics())
    case .shares: return .response(.json(await patch.shares().json))
    case .takes: return .response(await takes(request, target))
    case .validate: return .response(await validate(request))
    case .language: return .response(await language(request))
    case .history: return .response(.json(await patch.history().json))
    case .undo: return .response(await rewind(target, request, isRedo: false))
    case .redo: return .response(await rewind(target, request, isRedo: true))
    case .save: return .response(await save(request))
    case .trigger: return .response(await trigger(target, request))
    case .pause: return .response(await setPaused(true, request))
    case .start: return .response(await setPaused(false, request))
    case .stop: return .response(await stop(request))
    }
  }

  func problem(_ status: HTTPResponseStatus, _ detail: String) -> ControlAnswer {
    .response(.problem(status, detail))
  }

  /// The refusal of a method; `nil` if the method is allowed.
  func methodRefusal(
    of request: ControlRequest, _ allowed: [HTTPMethod], _ what: String
  ) -> ControlResponse? {
    guard !allowed.contains(request.method) else { return nil }
    return .problem(
      .methodNotAllowed, "\(what) has no \(request.method.rawValue)",
      headers: [("Allow", list(allowed.map(\.rawValue)))])
  }

  private func allow(_ methods: [HTTPMethod]) -> ControlResponse {
    var headers = [("Allow", list(methods.map(\.rawValue)))]
    if methods.contains(.PATCH) { headers.append(("Accept-Patch", list(Self.patchTypes))) }
    return ControlResponse(status: .noContent, headers: headers)
  }

  func list(_ words: [String]) -> String { words.joined(separator: ", ") }

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

  // MARK: Events and metrics

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
    if let text = target["bands"] {
      guard let count = Int(text), (1...96).contains(count) else {
        return problem(
          .badRequest, "'bands' is how many an octave a spectrum has, 1 to 96, and not '\(text)'")
      }
      events.bands = count
    }
    if let text = target["prefader"] {
      guard let isWanted = Bool(text) else {
        return problem(.badRequest, "'prefader' is true or false, and not '\(text)'")
      }
      events.hasPreFader = isWanted
    }
    return .events(events)
  }

  private func metrics() async -> ControlResponse {
    let text = Metrics.text(
      await patch.status(), await patch.meters(), tally.counts, version: version)
    return ControlResponse(
      headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: text)
  }

  // MARK: Media types

  func mediaType(_ request: ControlRequest) -> String {
    let field = request.headers.first(name: "Content-Type") ?? ""
    return String(field.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }).lowercased()
  }

  /// The refusal of a body by its media type; `nil` if it is accepted.
  func refusal(of request: ControlRequest, types: [String]) -> ControlResponse? {
    let type = mediaType(request)
    guard !types.contains(type) else { return nil }
    let found = type.isEmpty ? "a body without a Content-Type" : "'\(type)'"
    return .problem(
      .unsupportedMediaType, "\(found) is not taken here",
      help: ["Content-Type: " + types.joined(separator: ", or ")])
  }
}
