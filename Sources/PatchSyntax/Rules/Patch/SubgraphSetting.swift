public import AudioTypes

extension PatchRules {
  /// A sub-graph's settings lead to places that its patch has.
  public static let subgraphSetting = Rule(
    "PR0224", "subgraph/setting",
    "what a sub-graph changes in its patch has a place there",
    page: .init(
      "What a sub-graph's \"settings\" change has a place in its patch.",
      because: """
        Each key is a JSON Pointer into the patch of the sub-graph, and its value takes the place of
        the one that stands there, as with `--set`. The node has to be there; what is in it may be
        new.
        """,
      example: .patch(ExamplePatches.strip, wrong: ["/nodes/eq/": "/nodes/eqs/"])))
}
