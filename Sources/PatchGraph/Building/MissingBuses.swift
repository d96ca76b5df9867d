import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

/// The sides of nodes that have fewer buses than the patch names. A side with too few is one mistake,
/// however many of its buses are named.
struct MissingBuses {
  /// The inputs or the outputs of a node.
  struct Side: Hashable {
    var node: NodeID
    var scope: Scope
  }

  /// The sides that have been reported, for themselves or for a count that was refused.
  private(set) var reported: Set<Side> = []

  /// Marks a side as reported. Returns `false` where it is already.
  @discardableResult
  mutating func mark(_ side: Side) -> Bool { reported.insert(side).inserted }

  /// The side that lacks a bus, according to a violation; `nil` for another violation.
  static func side(of violation: Violation) -> Side? {
    guard violation.rule == UnitRules.element, let node = violation.place.node else { return nil }
    switch violation.place.part {
    case .feed: return Side(node: node, scope: .input)
    case .bus(let scope, _): return Side(node: node, scope: scope)
    default: return nil
    }
  }
}

extension GraphBuilder {
  /// Reports the buses of a side of a node that the patch names and the node does not have, at the
  /// place of the first; nothing where that side has been reported.
  mutating func reportMissing(
    _ side: MissingBuses.Side, _ violation: Violation, at json: JSONValue? = nil
  ) {
    guard missingBuses.mark(side) else { return }
    if let unit = try? graph.unit(side.node), let named = namedBuses[side] {
      let count = unit.elementCount(side.scope)
      let missing = named.buses.filter { $0 >= count }.sorted()
      if missing.count > 1 {
        let all = ConnectedBusesExist.missing(
          missing, side.scope, of: named.name, unit.description, count: count, at: violation.place)
        return report(all, at: json)
      }
    }
    report(violation, at: json)
  }

  /// The buses that the document names, of each side of its nodes, with the node's name.
  func busesNamed() -> [MissingBuses.Side: (name: String, buses: Set<Int>)] {
    var found: [MissingBuses.Side: (name: String, buses: Set<Int>)] = [:]
    func add(_ name: String, _ scope: Scope, _ bus: Int) {
      guard let id = layout.nodes[name] else { return }
      found[.init(node: id, scope: scope), default: (name, [])].buses.insert(bus)
    }
    for node in document.nodes {
      for element in node.value.inputs { add(node.name, .input, element.bus.value) }
      for element in node.value.outputs { add(node.name, .output, element.bus.value) }
    }
    for connection in document.connections {
      if let from = connection.from?.value { add(from.node, .output, from.bus ?? 0) }
      if let to = connection.to?.value { add(to.node, .input, to.bus ?? 0) }
    }
    return found
  }
}
