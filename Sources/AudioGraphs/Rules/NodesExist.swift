package import AudioTypes

/// A node that an edit names is in the graph.
package enum NodesExist {
  package static let rule = Rule(
    "PR0301", "graph/node",
    "a node that is named is in the graph",
    statuses: [.nodeNotFound],
    page: .init(
      "A call names a node that the graph has.",
      because: """
        A number that was kept after AUGraphRemoveNode, or that belongs to another graph, stands for
        nothing. In a patch nodes have names; a wrong one is PR0203.
        """,
      example: .swift(
        wrong: """
          let mixer = try graph.addNode(MultichannelMixer.description.component)
          try graph.removeNode(mixer)
          _ = try graph.unit(mixer)
          """,
        right: """
          let mixer = try graph.addNode(MultichannelMixer.description.component)
          _ = try graph.unit(mixer)
          try graph.removeNode(mixer)
          """)))

  static func violation(_ node: NodeID) -> Violation {
    Violation(
      rule, status: .nodeNotFound, "the graph has no node \(node.rawValue)", at: .graph)
  }
}
