public import AudioTypes

extension NameRules {
  /// The output unit of a sub-graph is a Generic Output.
  public static let subgraphOutput = Rule(
    "PR0223", "subgraph/output",
    "the output unit of a sub-graph is a Generic Output",
    statuses: [.outputNode],
    page: .init(
      "A sub-graph ends in a GenericOutput.",
      because: """
        A graph has one output unit for a device, and that belongs to the whole. The Generic Output
        of a sub-graph hands on what it is fed, in the format of its output: that of its input until
        it is given another.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.strip.replacing(settings, with: ""),
        wrong: ["parts/strip.json": "one-callback.json"])))

  private static let settings =
    ",\n      \"settings\": { \"/nodes/eq/properties/presentPreset\": \"Rock\" }"
}
