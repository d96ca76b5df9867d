import PatchSyntax

/// The output units of sub-graphs. Most pass their input on unchanged, and a plain document leaves
/// them out.
struct SubgraphEnds {
  /// The source that feeds each of them.
  private var sources: [String: PatchDocument.Address] = [:]
  /// Those that are left out.
  private var passed: Set<String> = []
  private var fedByCallback: Set<String> = []

  init(_ document: PatchDocument) {
    let ends = document.nodes.filter { $0.value.endsSubgraph }
    guard !ends.isEmpty else { return }
    let names = Set(ends.map(\.name))
    let callbacks = Set(document.callbacks.map(\.name))
    for connection in document.connections {
      guard let from = connection.from?.value, let to = connection.to?.value,
        names.contains(to.node)
      else { continue }
      sources[to.node] = from
      if callbacks.contains(from.node) { fedByCallback.insert(to.node) }
    }
    for end in ends where !fedByCallback.contains(end.name) && Self.handsOn(end.value) {
      passed.insert(end.name)
    }
  }

  /// Whether no setting of it could change a sound.
  private static func handsOn(_ node: PatchDocument.Node) -> Bool {
    node.outputs.allSatisfy {
      $0.streamFormat == nil && $0.sampleRate == nil && $0.properties.isEmpty
    }
      && node.inputs.allSatisfy { $0.properties.isEmpty }
  }

  /// Whether a node is left out, and its source takes its place.
  func isPassed(_ name: String) -> Bool { passed.contains(name) }

  func isFedByCallback(_ name: String) -> Bool { fedByCallback.contains(name) }

  /// The source of what an address puts out, past the nodes that are left out; `nil` where nothing
  /// feeds them.
  func source(_ address: PatchDocument.Address) -> PatchDocument.Address? {
    var address = address
    while passed.contains(address.node) {
      guard let next = sources[address.node] else { return nil }
      address = next
    }
    return address
  }
}
