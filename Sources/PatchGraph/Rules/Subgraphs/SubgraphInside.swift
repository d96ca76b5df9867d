public import AudioTypes

extension NameRules {
  /// Connections reach the inside of a sub-graph by its buses alone.
  public static let subgraphInside = Rule(
    "PR0225", "subgraph/inside",
    "what is in a sub-graph is reached by its buses alone",
    statuses: [.invalidConnection],
    page: .init(
      "What is in a sub-graph is connected by the buses of the sub-graph alone.",
      because: """
        A sub-graph takes what is connected to it at its callbacks of the kind 'input', by their
        numbers, and puts out what its output unit is fed. What else is in it is its own affair: it
        can be changed without the patches around it. A tap may watch it, as 'strip/eq'.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(ExamplePatches.strip, wrong: ["\"to\": \"strip\"": "\"to\": \"strip/eq\""])))
}
