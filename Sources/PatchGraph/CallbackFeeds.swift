import AudioGraphs
import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCallbacks
import RenderCore

/// What callbacks pull: outputs, and one another.
extension GraphBuilder {
  /// A callback, and where it is written.
  struct BuiltCallback {
    var callback: any RenderCallback
    var json: JSONValue
    /// What it says, for a comparison.
    var link: PatchLayout.Link
    /// What it pulls.
    var from: Located<PatchDocument.Address>?
  }

  /// Notes what a callback is to pull, or says that it pulls nothing.
  mutating func setFeed(
    _ name: String, _ callback: any RenderCallback, _ source: JSONValue
  ) {
    guard callback.input != .none else {
      reportInput(
        "\(quoted(name)) makes its own sound: it cannot pull anything",
        status: .invalidConnection, at: source,
        help: "leave \"from\" out; to process what another puts out, the kinds are: "
          + CallbackCatalog.standard.filter { $0.input != .none }.map(\.kind)
          .joined(separator: ", "))
      return
    }
    let (address, problems) = PatchReader.address(source, "'from'")
    for problem in problems { report(problem) }
    callbacks[name]?.from = address
    if address == nil { fail(name) }
  }

  /// Says that a callback needs something to pull.
  mutating func reportNothingToPull(
    _ member: PatchDocument.Member<PatchDocument.Callback>, isExpression: Bool
  ) {
    let name = quoted(member.name)
    let value = member.value.fields.first { $0.name == "value" }?.value
    reportInput(
      isExpression
        ? "the expression of \(name) reads 'input', and is given nothing to pull"
        : "\(name) processes what it pulls, and is given nothing to pull",
      status: .noConnection,
      at: (isExpression ? value : member.value.kind?.json) ?? member.value.json,
      help: "say what it pulls: \"from\": an output such as \"io:1\", or another callback")
  }

  private mutating func reportInput(
    _ message: String, status: Status, at json: JSONValue, help: String
  ) {
    report(
      CallbackInputs.rule.diagnostic(
        .init(message),
        status: status,
        at: json.markRange,
        pointer: json.pointer.description,
        help: [help]))
  }

  /// Forgets a callback that something is wrong with.
  mutating func fail(_ name: String) {
    if let source = callbacks[name]?.from.flatMap({ nodes[$0.value.node] }) {
      bereft.insert(source)
    }
    callbacks[name] = nil
    failedNames.insert(name)
    hasGaps = true
  }

  /// Looks up what callbacks pull.
  mutating func resolveFeeds() {
    let names = document.callbacks.map(\.name)
    for name in names {
      guard let from = callbacks[name]?.from else { continue }
      usedCallbacks.insert(from.value.node)
      if !noteSource(from) { fail(name) }
    }
    refuseCircles(names)
    failWhatPullsNothing(names)
  }

  /// Says which callbacks pull one another in a circle, each circle once: every callback is passed once.
  private mutating func refuseCircles(_ names: [String]) {
    /// Callbacks that have been passed.
    var passed: Set<String> = []
    for start in names where !passed.contains(start) {
      var path: [String] = []
      var places: [String: Int] = [:]
      var next = start
      while !passed.contains(next), let from = callbacks[next]?.from?.value.node,
        nodes[from] == nil
      {
        passed.insert(next)
        places[next] = path.count
        path.append(next)
        next = from
      }
      // A circle is met where the way comes back to what is on it.
      guard let first = places[next] else { continue }
      refuseCircle(Array(path[first...]))
    }
  }

  private mutating func refuseCircle(_ circle: [String]) {
    // It is told from the callback on that is written first.
    let written = circle.indices.min { one, other in
      (callbacks[circle[one]]?.json.range.lowerBound ?? 0)
        < (callbacks[circle[other]]?.json.range.lowerBound ?? 0)
    }
    guard let written, let from = callbacks[circle[written]]?.from else { return }
    let path = Array(circle[written...] + circle[..<written])
    let shown = path.count > 20 ? path.prefix(20) + ["…"] : path[...]
    report(
      NameRules.callbackCircle.diagnostic(
        .init(
          "callbacks pull one another in a circle: "
            + (shown + [path[0]]).map { $0 == "…" ? $0 : quoted($0) }.joined(separator: " <- ")),
        at: from.range, pointer: from.pointer,
        help: ["let one of them pull an output, or a callback that makes its own sound"]))
    for name in path { fail(name) }
  }

  /// What pulls a callback that is not there is not there either.
  private mutating func failWhatPullsNothing(_ names: [String]) {
    var pulling: [String: [String]] = [:]
    for name in names {
      guard let from = callbacks[name]?.from?.value.node, nodes[from] == nil else { continue }
      pulling[from, default: []].append(name)
    }
    var failing = pulling.keys.filter { failedNames.contains($0) }
    while let gone = failing.popLast() {
      for name in pulling[gone] ?? [] where callbacks[name] != nil {
        fail(name)
        failing.append(name)
      }
    }
  }

  /// What the first callback of a chain pulls.
  func feed(of chain: [BuiltCallback]) -> CallbackFeed? {
    var feed: CallbackFeed?
    if let from = chain.last?.from?.value, let node = nodes[from.node] {
      feed = .output(node, from.bus ?? 0)
    }
    for link in chain.dropFirst().reversed() { feed = .callback(link.callback, from: feed) }
    return feed
  }

  /// The output that a chain pulls.
  func source(of chain: [BuiltCallback]) -> PatchLayout.BusName? {
    guard let from = chain.last?.from?.value, nodes[from.node] != nil else { return nil }
    return .init(node: from.node, bus: from.bus ?? 0)
  }

  /// A callback and those that it pulls, itself first: no more than one more than there may be.
  func chain(of name: String) -> [BuiltCallback] {
    var chain: [BuiltCallback] = []
    var next: String? = name
    while let name = next, let callback = callbacks[name], chain.count <= limits.callbacks {
      chain.append(callback)
      next = callback.from?.value.node
    }
    return chain
  }
}
