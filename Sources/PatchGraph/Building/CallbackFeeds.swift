import AudioGraphs
import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCallbacks
import RenderCore

/// Resolves the sources that callbacks pull: outputs of nodes, and other callbacks.
extension GraphBuilder {
  /// A callback made from the document.
  final class BuiltCallback {
    let member: PatchDocument.Member<PatchDocument.Callback>
    let link: PatchLayout.Link
    /// Its index in `madeCallbacks`.
    let index: Int
    /// The address that it pulls; `nil` for none.
    var from: Located<PatchDocument.Address>?
    /// The index in `madeCallbacks` of the callback that it pulls; `nil` for none, and before
    /// `resolveFeeds()`.
    var pulledIndex: Int?
    /// Whether an input or another callback pulls it.
    var isUsed = false
    /// Whether an error about it has been reported.
    var hasFailed = false

    init(
      _ member: PatchDocument.Member<PatchDocument.Callback>, _ link: PatchLayout.Link, index: Int
    ) {
      self.member = member
      self.link = link
      self.index = index
    }

    var name: String { member.key.value }
    var json: JSONValue { member.value.json }
  }

  /// Sets the address that a callback pulls, or reports that its kind pulls nothing.
  mutating func setFeed(_ built: BuiltCallback, _ source: JSONValue) {
    guard built.link.callback.input != .none else {
      reportInput(
        "\(quoted(built.name)) makes its own sound: it cannot pull anything",
        status: .invalidConnection, at: source,
        help: "leave \"from\" out; to process what another puts out, the kinds are: "
          + CallbackCatalog.standard.filter { $0.input != .none }.map(\.kind)
          .joined(separator: ", "))
      return
    }
    let (address, problems) = PatchReader.address(source, "'from'")
    for problem in problems { report(problem) }
    built.from = address
    if address == nil { fail(built.name) }
  }

  /// Reports that a callback needs a "from" and has none.
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

  /// Removes a callback that has an error, and raises the doubts that follow from its absence.
  mutating func fail(_ name: String) {
    if let failed = callbacks.removeValue(forKey: name) {
      failed.hasFailed = true
      if let source = failed.from.flatMap({ nodes[$0.value.node] }) {
        doubts.raise(.feeds, about: source)
      }
    }
    doubts.names.insert(name)
    doubts.raise(.gaps)
  }

  /// Resolves the "from" of every callback. Removes the callbacks that pull each other in circles,
  /// and those that pull a removed callback.
  mutating func resolveFeeds() {
    for callback in madeCallbacks where !callback.hasFailed {
      guard let from = callback.from, nodes[from.value.node] == nil else { continue }
      if let pulled = callbacks[from.value.node], from.value.isFirst {
        pulled.isUsed = true
        callback.pulledIndex = pulled.index
      } else if !checkSource(from) {
        fail(callback.name)
      }
    }
    refuseCircles()
    failDependentCallbacks()
  }

  /// Reports each circle of callbacks once, and removes its callbacks. Visits every callback once.
  private mutating func refuseCircles() {
    /// Callbacks that have been visited.
    var isVisited = [Bool](repeating: false, count: madeCallbacks.count)
    /// The index of each callback on the current path; -1 for those that are not on it.
    var places = [Int](repeating: -1, count: madeCallbacks.count)
    var path: [Int] = []
    for start in madeCallbacks.indices where !isVisited[start] {
      path.removeAll(keepingCapacity: true)
      var next = start
      while !isVisited[next], !madeCallbacks[next].hasFailed,
        let pulled = madeCallbacks[next].pulledIndex
      {
        isVisited[next] = true
        places[next] = path.count
        path.append(next)
        next = pulled
      }
      // The path is a circle where it comes back to one of its own callbacks.
      let first = places[next]
      for place in path { places[place] = -1 }
      if first >= 0 { refuseCircle(path[first...].map { madeCallbacks[$0] }) }
    }
  }

  private mutating func refuseCircle(_ circle: [BuiltCallback]) {
    // The message begins with the callback that is written first.
    let written = circle.indices.min { one, other in
      circle[one].json.range.lowerBound < circle[other].json.range.lowerBound
    }
    guard let written, let from = circle[written].from else { return }
    let path = (circle[written...] + circle[..<written]).map(\.name)
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

  /// Removes the callbacks that pull a removed one, directly or through others.
  private mutating func failDependentCallbacks() {
    guard !doubts.names.isEmpty else { return }
    var pulling: [String: [BuiltCallback]] = [:]
    for callback in madeCallbacks where !callback.hasFailed {
      guard let from = callback.from?.value.node, nodes[from] == nil else { continue }
      pulling[from, default: []].append(callback)
    }
    var failing = pulling.keys.filter { doubts.names.contains($0) }
    while let gone = failing.popLast() {
      for callback in pulling[gone] ?? [] where !callback.hasFailed {
        fail(callback.name)
        failing.append(callback.name)
      }
    }
  }

  /// The output that the last callback of a chain pulls; `nil` for none.
  func source(of chain: [BuiltCallback]) -> PatchLayout.BusName? {
    guard let from = chain.last?.from?.value, nodes[from.node] != nil else { return nil }
    return .init(node: from.node, bus: from.bus ?? 0)
  }

  /// A callback and those that it pulls, itself first. A chain beyond the limit ends one callback
  /// past it, so that the caller sees that it is too long.
  func chain(of name: String) -> [BuiltCallback] {
    var chain: [BuiltCallback] = []
    var next = callbacks[name]
    while let callback = next, chain.count <= limits.callbacks {
      chain.append(callback)
      next =
        callback.pulledIndex.map { madeCallbacks[$0] }
        ?? callback.from.flatMap { callbacks[$0.value.node] }
    }
    return chain
  }
}
