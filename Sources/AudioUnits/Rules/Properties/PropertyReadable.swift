public import AudioTypes

extension UnitRules {
  /// A property that is read is not write-only.
  public static let propertyReadable = Rule(
    "PR0510", "property/readable",
    "a property that is read is not write-only",
    statuses: [.invalidProperty],
    page: .init(
      "A property that is read is not write-only.",
      because: """
        MakeConnection and SetRenderCallback are instructions, not values. What feeds an input is
        among the graph's interactions.
        """,
      statusNote: Rule.Page.undocumented,
      example: .swift(
        wrong: """
          let unit = try graph.unit(mixer)
          _ = try unit.property(.setRenderCallback, .input, 0)
          """,
        right: """
          _ = try graph.interactions(of: mixer)
          """)))
}
