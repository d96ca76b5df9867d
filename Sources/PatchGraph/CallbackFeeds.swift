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
      Diagnostic(
        .error, "PR0704", .init(message), at: json.markRange, pointer: json.pointer.description,
        status: status.name.map { .init($0, status.rawValue) }, help: [help]))
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
    for name in names { refuseCircle(name) }
    // What pulls a callback that is not there is not there either.
    while let name = names.first(where: { name in
      callbacks[name]?.from.map { failedNames.contains($0.value.node) } ?? false
    }) {
      fail(name)
    }
  }

  private mutating func refuseCircle(_ name: String) {
    var path: [String] = []
    var next = name
    while let from = callbacks[next]?.from?.value.node, nodes[from] == nil, !path.contains(next) {
      path.append(next)
      next = from
    }
    guard next == name, path.contains(name), let from = callbacks[name]?.from else { return }
    report(
      NameRules.callbackCircle.diagnostic(
        .init(
          "callbacks pull one another in a circle: "
            + (path + [name]).map { quoted($0) }.joined(separator: " <- ")),
        at: from.range, pointer: from.pointer,
        help: ["let one of them pull an output, or a callback that makes its own sound"]))
    for name in path { fail(name) }
  }

  /// What a callback pulls.
  func feed(of name: String) -> CallbackFeed? {
    guard let from = callbacks[name]?.from?.value else { return nil }
    if let node = nodes[from.node] { return .output(node, from.bus ?? 0) }
    return callbacks[from.node].map {
      .callback($0.callback, from: feed(of: from.node))
    }
  }

  /// The output that a chain pulls.
  func source(of chain: [BuiltCallback]) -> PatchLayout.BusName? {
    guard let from = chain.last?.from?.value, nodes[from.node] != nil else { return nil }
    return .init(node: from.node, bus: from.bus ?? 0)
  }

  /// A callback and those that it pulls, itself first.
  func chain(of name: String) -> [BuiltCallback] {
    guard let callback = callbacks[name] else { return [] }
    return [callback] + (callback.from.map { chain(of: $0.value.node) } ?? [])
  }
}
