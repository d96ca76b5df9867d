import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics

/// What the graph itself finds, without what only follows from a mistake that has been reported.
extension GraphBuilder {
  mutating func reportViolations() {
    let (violations, configurations) = graph.examination()
    layout.configurations = configurations
    if isDefaultMissing {
      // The buses that would have had the patch's own format.
      for violation in violations where ["PR0404", "PR0406"].contains(violation.rule.code) {
        if let node = violation.place.node { unformatted.insert(node) }
      }
    }
    let downstream = downstream(of: unformatted)
    for violation in violations {
      guard !isEcho(violation, downstream) else { continue }
      report(violation.diagnostic(in: places))
    }
    guard !hasGaps, !diagnostics.hasErrors else { return }
    reportHeadroom(configurations)
    if saysNotes { reportNotes(configurations) }
  }

  /// Rules that a mistake in a stream format makes a graph break.
  private static let ofFormats: Set<String> = ["PR0509", "PR0608", "PR0705"]
  /// Rules that depend on what the session is granted.
  private static let ofSession: Set<String> = [
    "PR0310", "PR0405", "PR0407", "PR0408", "PR0421", "PR0608", "PR0705",
  ]
  /// Rules that do not depend on how a node is set up, but on what it is connected to.
  private static let ofConnections: Set<String> = ["PR0302", "PR0306", "PR0307", "PR0308"]

  private func isEcho(_ violation: Violation, _ unformatted: Set<NodeID>) -> Bool {
    let code = violation.rule.code
    let node = violation.place.node
    guard !unset.contains(violation.place) else { return true }
    if !Self.ofConnections.contains(code), node.map(unreadNodes.contains) == true { return true }
    if isSessionUnknown, Self.ofSession.contains(code) { return true }
    switch code {
    case "PR0302": return hasGaps
    case "PR0308": return hasGaps || !bereft.isEmpty
    case "PR0307":
      // What is missing elsewhere may have been meant for the output unit.
      return hasLostDestination || node.map(bereft.contains) != false
        || hasGaps && node.map(isHead) != false
    case "PR0601", "PR0602", "PR0605", "PR0311":
      // Which sides are on is not known.
      return isUnset(.enableIO, of: code == "PR0311" ? nil : node)
    case "PR0423":
      return isUnset(.channelMap, of: node) || node.map(unformatted.contains) != false
    case "PR0404" where node.map(defaultless.contains) == true: return true
    case _ where code.hasPrefix("PR04") || Self.ofFormats.contains(code):
      return node.map(unformatted.contains) != false
    default: return false
    }
  }

  /// Whether a property could not be set on any element of a node, or of any node.
  private func isUnset(_ property: PropertyID, of node: NodeID?) -> Bool {
    unset.contains { place in
      guard node == nil || place.node == node, case .property(let id, _, _) = place.part else {
        return false
      }
      return id == property
    }
  }

  private func isHead(_ node: NodeID) -> Bool {
    (try? graph.unit(node))?.description.isOutput == true
  }

  private func downstream(of start: Set<NodeID>) -> Set<NodeID> {
    guard !start.isEmpty else { return [] }
    let takers = Dictionary(grouping: graph.interactions.compactMap(\.link), by: \.source)
    var reached = start
    var queue = Array(start)
    while let id = queue.popLast() {
      for connection in takers[id] ?? [] where reached.insert(connection.destination).inserted {
        queue.append(connection.destination)
      }
    }
    return reached
  }
}
