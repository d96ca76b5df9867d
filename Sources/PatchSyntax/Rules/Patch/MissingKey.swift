public import AudioTypes

extension PatchRules {
  /// Objects have the keys they need.
  public static let missingKey = Rule(
    "PR0103", "patch/missing-key",
    "objects have the keys they need",
    page: .init(
      "An object has all the keys that it needs.",
      because: """
        A connection without an end, a node without a component, or a stream format without a rate
        leaves nothing that one could guess safely.
        """,
      example: .patch(ExamplePatches.tone, wrong: [", \"to\": \"io\"": ""])))
}
