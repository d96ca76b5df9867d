public import AudioTypes

extension PatchRules {
  /// Nodes and callbacks have different names.
  public static let ambiguousName = Rule(
    "PR0112", "patch/ambiguous-name",
    "nodes and callbacks have different names",
    page: .init(
      "A node and a callback do not have the same name.",
      because: """
        A connection names either by its name alone, and could mean both. Where a node 'strip' is a
        sub-graph, 'strip/eq' is what something in it is called, and no name of the patch around it.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: [
          "\"tone\": { \"kind\"": "\"io\": { \"kind\"", "\"from\": \"tone\"": "\"from\": \"io\"",
        ])))
}
