import PatchSyntax

/// The output units of sub-graphs, most of which hand on what they are fed as it is.
struct SubgraphEnds {
  /// What feeds each.
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

  /// Whether nothing is said of it that could change a sound.
  private static func handsOn(_ node: PatchDocument.Node) -> Bool {
    node.outputs.allSatisfy {
      $0.streamFormat == nil && $0.sampleRate == nil && $0.properties.isEmpty
    }
      && node.inputs.allSatisfy { $0.properties.isEmpty }
  }

  /// Whether a node is left out, and what feeds it takes its place.
  func isPassed(_ name: String) -> Bool { passed.contains(name) }

  func isFedByCallback(_ name: String) -> Bool { fedByCallback.contains(name) }

  /// Where a sound comes from that is taken from an address; `nil` where nothing comes.
  func source(_ address: PatchDocument.Address) -> PatchDocument.Address? {
    var address = address
    while passed.contains(address.node) {
      guard let next = sources[address.node] else { return nil }
      address = next
    }
    return address
  }
}
