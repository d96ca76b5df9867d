public import AudioTypes

extension UnitRules {
  /// Units that are connected are in one graph, or both in none.
  public static let unitInGraph = Rule(
    "PR0511", "unit/in-graph",
    "units that are connected are in one graph, or both in none",
    statuses: [.cannotDoInCurrentContext],
    page: .init(
      "Units that are connected by a property are in one graph, or both in none.",
      because: """
        MakeConnection in a graph is an edit of that graph, and outside of one it connects two units by
        themselves. A unit of a graph is pulled by it, and cannot be pulled by another besides.
        """,
      statusNote: Rule.Page.undocumented,
      example: .swift(
        wrong: """
          let unit = UnitInstance(MultichannelMixer.self)
          let source = try graph.unit(mixer)
          try unit.setProperty(
            .makeConnection, .input, 0, to: .connection(UnitConnection(from: source)))
          """,
        right: """
          let unit = UnitInstance(MultichannelMixer.self)
          let source = UnitInstance(IPodEQ.self)
          try unit.setProperty(
            .makeConnection, .input, 0, to: .connection(UnitConnection(from: source)))
          """)))
}
