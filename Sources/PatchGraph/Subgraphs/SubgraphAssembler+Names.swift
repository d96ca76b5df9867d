import Diagnostics
import PatchSyntax

extension SubgraphAssembler {
  /// Puts numbers in the place of names behind colons that only sub-graphs and presets give: those of nodes
  /// that are written in the patch have been looked up when it was read.
  mutating func settleElementNames(_ level: inout Level) {
    let prefix = level.prefix
    if level.subgraph != nil {
      result.unresolved.formUnion(level.document.unresolved.map { prefix + $0 })
    }
    for index in level.document.connections.indices {
      let connection = level.document.connections[index]
      level.document.connections[index].from = settled(connection.from, .output, level)
      level.document.connections[index].to = settled(connection.to, .input, level)
    }
    for index in level.document.taps.indices {
      let at = level.document.taps[index].value.at
      level.document.taps[index].value.at = settled(at, .output, level)
    }
    for index in level.document.callbacks.indices {
      let callback = level.document.callbacks[index].value
      guard callback.pulled == nil, let json = CallbackSource.json(callback),
        json.string?.utf8.contains(UInt8(ascii: ":")) == true,
        let from = PatchReader.address(json, "'from'").address, from.value.element != nil
      else { continue }
      if let source = settled(from, .output, level) {
        level.document.callbacks[index].value.pulled = source
      } else {
        result.unresolved.insert(prefix + level.document.callbacks[index].name)
      }
    }
  }

  /// The address with a number; `nil` where its name leads nowhere, which is said.
  private mutating func settled(
    _ address: Located<Address>?, _ scope: ElementNames.Scope, _ level: Level
  ) -> Located<Address>? {
    guard let address, let element = address.value.element,
      let found = names(scope, of: address.value.node, in: level)
    else { return address }
    do throws(ElementNames.Problem) {
      let bus = try found.bus(
        element, of: address.value.node,
        besides: names(scope == .input ? .output : .input, of: address.value.node, in: level))
      return Located(Address(node: address.value.node, bus: bus), at: address.json)
    } catch {
      report(error.diagnostic(address))
      return nil
    }
  }

  /// The names of a sub-graph's inputs are those of its callbacks of the kind 'input', the names of its outputs
  /// those that its output unit gives them.
  private func names(
    _ scope: ElementNames.Scope, of name: String, in level: Level
  ) -> ElementNames? {
    if let child = level.children[name] {
      guard scope == .input else {
        let output = child.document.nodes.first { $0.name == child.output }
        return output.map { ElementNames(.output, of: $0.value) }
      }
      return ElementNames(
        child.document.callbacks.compactMap { member in
          guard let bus = Self.inputBus(member.value) else { return nil }
          return .init(name: member.name, bus: bus, json: member.key.json)
        }, .input)
    }
    guard !result.unresolved.contains(level.prefix + name),
      let node = level.document.nodes.first(where: { $0.name == name })?.value,
      node.subgraph == nil
    else { return nil }
    return ElementNames(scope, of: node)
  }
}
