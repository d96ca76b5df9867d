import AudioTypes

/// Every node is pulled by the output unit, directly or through others.
enum NodesPulled {
  static let rule = Rule("PR0308", "graph/pulled", "Every node is pulled by the output unit.")

  static func violation(_ node: GraphModel.Node, hasInteractions: Bool) -> Violation {
    Violation(
      rule, .warning, status: .ok,
      hasInteractions
        ? "nothing pulls '\(node.name)': it is never heard"
        : "'\(node.name)' is connected to nothing: it is never initialized and never heard",
      at: .init(node: node.id, .whole),
      help: ["connect it towards the output unit, or remove it"])
  }
}
