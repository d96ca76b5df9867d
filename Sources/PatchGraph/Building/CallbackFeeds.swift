import AudioGraphs
import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCallbacks
import RenderCore

/// What callbacks pull: outputs, and one another.
extension GraphBuilder {
  /// A callback, and where it is written.
  final class BuiltCallback {
    let member: PatchDocument.Member<PatchDocument.Callback>
    let callback: any RenderCallback
    /// What it says, for a comparison.
    let link: PatchLayout.Link
    /// Its place among all that have been made.
    let place: Int
    /// What it pulls.
    var from: Located<PatchDocument.Address>?
    /// The place of the callback that it pulls, once that has been looked up; `nil` for none.
    var pulled: Int?
    /// Whether anything takes what it puts out.
    var isUsed = false
    /// Whether something is wrong with it.
    var hasFailed = false

    init(
      _ member: PatchDocument.Member<PatchDocument.Callback>, _ callback: any RenderCallback,
      _ link: PatchLayout.Link, place: Int
    ) {
      self.member = member
      self.callback = callback
      self.link = link
      self.place = place
    }

    var name: String { member.key.value }
    var json: JSONValue { member.value.json }
  }

  /// Notes what a callback is to pull, or says that it pulls nothing.
  mutating func setFeed(_ built: BuiltCallback, _ source: JSONValue) {
    guard built.callback.input != .none else {
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
    if let failed = callbacks.removeValue(forKey: name) {
      failed.hasFailed = true
      if let source = failed.from.flatMap({ nodes[$0.value.node] }) {
        doubts.raise(.feeds, about: source)
      }
    }
    doubts.names.insert(name)
    doubts.raise(.gaps)
  }

  /// Looks up what callbacks pull.
  mutating func resolveFeeds() {
    for callback in madeCallbacks where !callback.hasFailed {
      guard let from = callback.from, nodes[from.value.node] == nil else { continue }
      if let pulled = callbacks[from.value.node], from.value.isFirst {
        pulled.isUsed = true
        callback.pulled = pulled.place
      } else if !noteSource(from) {
        fail(callback.name)
      }
    }
    refuseCircles()
    failWhatPullsNothing()
  }

  /// Says which callbacks pull one another in a circle, each circle once: every callback is passed once.
  private mutating func refuseCircles() {
    /// Callbacks that have been passed.
    var isPassed = [Bool](repeating: false, count: madeCallbacks.count)
    /// Where they are on the way that is followed; -1 for not on it.
    var places = [Int](repeating: -1, count: madeCallbacks.count)
    var path: [Int] = []
    for start in madeCallbacks.indices where !isPassed[start] {
      path.removeAll(keepingCapacity: true)
      var next = start
      while !isPassed[next], !madeCallbacks[next].hasFailed,
        let pulled = madeCallbacks[next].pulled
      {
        isPassed[next] = true
        places[next] = path.count
        path.append(next)
        next = pulled
      }
      // A circle is met where the way comes back to what is on it.
      let first = places[next]
      for place in path { places[place] = -1 }
      if first >= 0 { refuseCircle(path[first...].map { madeCallbacks[$0] }) }
    }
  }

  private mutating func refuseCircle(_ circle: [BuiltCallback]) {
    // It is told from the callback on that is written first.
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

  /// What pulls a callback that is not there is not there either.
  private mutating func failWhatPullsNothing() {
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
    var next = callbacks[name]
    while let callback = next, chain.count <= limits.callbacks {
      chain.append(callback)
      next =
        callback.pulled.map { madeCallbacks[$0] }
        ?? callback.from.flatMap { callbacks[$0.value.node] }
    }
    return chain
  }
}
