import PatchSyntax

/// The output units of sub-graphs. Most of them pass their input on unchanged; a plain document
/// leaves these out.
struct SubgraphEnds {
  /// The source that feeds each output unit.
  private var sources: [String: PatchDocument.Address] = [:]
  /// The output units that are left out.
  private var leftOut: Set<String> = []
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
    for end in ends where !fedByCallback.contains(end.name) && Self.passesOn(end.value) {
      leftOut.insert(end.name)
    }
  }

  /// Whether no setting of an output unit can change the sound.
  private static func passesOn(_ node: PatchDocument.Node) -> Bool {
    node.outputs.allSatisfy {
      $0.streamFormat == nil && $0.sampleRate == nil && $0.properties.isEmpty
    }
      && node.inputs.allSatisfy { $0.properties.isEmpty }
  }

  /// Whether a node is left out, so that its source takes its place.
  func isLeftOut(_ name: String) -> Bool { leftOut.contains(name) }

  func isFedByCallback(_ name: String) -> Bool { fedByCallback.contains(name) }

  /// The source of what an address puts out, past the nodes that are left out; `nil` where nothing
  /// feeds them.
  func source(_ address: PatchDocument.Address) -> PatchDocument.Address? {
    var address = address
    while leftOut.contains(address.node) {
      guard let next = sources[address.node] else { return nil }
      address = next
    }
    return address
  }
}
