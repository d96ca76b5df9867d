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
  mutating func report(_ side: Side) -> Bool { reported.insert(side).inserted }

  /// The side that lacks a bus, according to a violation; `nil` for another violation.
  static func side(of violation: Violation) -> Side? {
    guard violation.rule == UnitRules.element, let node = violation.place.node else { return nil }
    switch violation.place.part {
    case .feed: return Side(node: node, scope: .input)
    case .bus(let scope, _): return Side(node: node, scope: scope)
    default: return nil
    }
  }

  /// "8", "8 and 11", "8 to 11".
  static func text(_ buses: [Int]) -> String {
    guard buses.count > 1, let first = buses.first, let last = buses.last else {
      return buses.first.map(String.init) ?? ""
    }
    if buses.count > 2, last - first == buses.count - 1 { return "\(first) to \(last)" }
    return buses.dropLast().map(String.init).joined(separator: ", ") + " and \(last)"
  }
}

extension GraphBuilder {
  /// Reports the buses of a side of a node that the patch names and the node does not have, at the
  /// place of the first; nothing where that side has been reported.
  mutating func reportMissing(
    _ side: MissingBuses.Side, _ violation: Violation, at json: JSONValue? = nil
  ) {
    guard missingBuses.report(side) else { return }
    var violation = violation
    if let unit = try? graph.unit(side.node), let named = namedBuses[side] {
      let count = unit.elementCount(side.scope)
      let missing = named.buses.filter { $0 >= count }.sorted()
      if missing.count > 1 { describe(missing, of: named.name, side.scope, unit, in: &violation) }
    }
    report(violation, at: json)
  }

  private func describe(
    _ missing: [Int], of name: String, _ scope: Scope, _ unit: UnitInstance,
    in violation: inout Violation
  ) {
    let (count, needed) = (unit.elementCount(scope), missing[missing.count - 1] + 1)
    violation.message =
      "\(quoted(name)) has no \(scope)s \(MissingBuses.text(missing)): "
      + (count == 1 ? "its only \(scope) is 0" : "its \(scope)s are numbered 0 to \(count - 1)")
    let description = unit.description
    let settable = scope == .input ? description.inputs.settable : description.outputs.settable
    guard settable?.contains(needed) == true else {
      violation.help = settable.map { ["it has at most \($0.upperBound) \(scope)s"] } ?? []
      violation.remedies = []
      return
    }
    violation.help = ["give \(quoted(name)) more of them: \"\(scope)Count\": \(needed)"]
    violation.remedies = [
      Remedy(
        "give \(quoted(name)) \(needed) \(scope)s",
        [scope == .input ? .setInputCount(needed) : .setOutputCount(needed)])
    ]
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
