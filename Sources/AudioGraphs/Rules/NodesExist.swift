import AudioTypes

/// A node that an edit names is in the graph.
enum NodesExist {
  static let rule = Rule("PR0301", "graph/node", "A node that is named is in the graph.")

  static func violation(_ node: NodeID) -> Violation {
    Violation(
      rule, status: .nodeNotFound, "the graph has no node \(node.rawValue)", at: .graph)
  }
}
