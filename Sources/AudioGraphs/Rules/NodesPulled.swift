package import AudioTypes

/// Every node is pulled by the output unit, directly or through others.
package enum NodesPulled {
  package static let rule = Rule(
    "PR0308", "graph/pulled",
    "every node is pulled by the output unit",
    severity: .warning,
    silencedBy: [.gaps, .feedsElsewhere],
    page: .init(
      "Each node is pulled by the output unit, directly or through others.",
      because: """
        AUGraphInitialize initializes only nodes that take part in a connection, and nothing renders those
        that do not lead to the output. No call fails, and they are not heard.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: [
          "{ \"io\": { \"component\": \"remoteIO\" } }": """
          {
              "eq": { "component": "iPodEQ", "properties": { "maximumFramesPerSlice": 4096 } },
              "io": { "component": "remoteIO" }
            }
          """
        ])))

  static func violation(_ node: GraphModel.Node, hasInteractions: Bool) -> Violation {
    Violation(
      rule, status: .ok,
      hasInteractions
        ? "nothing pulls '\(node.name)': it is never heard"
        : "'\(node.name)' is connected to nothing: it is never initialized and never heard",
      at: .init(node: node.id, .whole),
      help: ["connect it towards the output unit, or remove it"])
  }
}
