import PatchSyntax

extension SubgraphAssembler {
  /// Reads the presets of a patch, and adds their settings to its nodes. Presets may name elements.
  mutating func applyPresets(_ level: inout Level) {
    for index in level.document.nodes.indices
    where !level.refused.contains(level.document.nodes[index].name) {
      guard let place = level.document.nodes[index].value.preset else { continue }
      applyPreset(place, into: &level.document.nodes[index].value, in: level.directory)
    }
  }

  /// Replaces element names in addresses by numbers where sub-graphs and presets give the names.
  /// The reader has replaced the names that nodes of the patch itself give.
  mutating func resolveElementNames(_ level: inout Level) {
    if level.subgraph != nil {
      result.unresolved.formUnion(level.document.unresolved.map { level.prefix + $0 })
    }
    guard ElementNameResolver.hasNames(level.document) else { return }
    let (whole, unresolved) = (level, result.unresolved)
    var resolver = ElementNameResolver { name, scope in
      unresolved.contains(whole.prefix + name) ? nil : Self.names(scope, of: name, in: whole)
    }
    resolver.resolve(&level.document)
    for (address, problem) in resolver.problems { report(problem.diagnostic(address)) }
    result.unresolved.formUnion(level.document.unresolved.map { level.prefix + $0 })
  }

  /// The names of the elements of a node or a sub-graph. The inputs of a sub-graph have the names
  /// of its callbacks of the kind 'input', and its outputs the names that its output unit gives
  /// them.
  private static func names(
    _ scope: ElementNames.Scope, of name: String, in level: Level
  ) -> ElementNames? {
    guard let child = level.children[name] else {
      let node = level.document.nodes.first { $0.name == name }?.value
      return node.flatMap { $0.subgraph == nil ? ElementNames(scope, of: $0) : nil }
    }
    guard scope == .input else {
      let output = child.document.nodes.first { $0.name == child.output }
      return output.map { ElementNames(.output, of: $0.value) }
    }
    let named = child.document.callbacks.compactMap { member in
      inputBus(member.value).map {
        ElementNames.Named(name: member.name, bus: $0, json: member.key.json)
      }
    }
    return ElementNames(named, .input)
  }
}

extension PatchDocument.Address {
  /// Whether it is the first bus: with the number 0, or without a number.
  var isFirst: Bool { (bus ?? 0) == 0 && element == nil }
}

extension Located where Value == PatchDocument.Address {
  /// The same bus of another node.
  func at(_ node: String) -> Located {
    Located(.init(node: node, bus: value.bus, element: value.element), at: json)
  }
}
