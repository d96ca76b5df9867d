public import AudioTypes

extension SyntaxRules {
  /// A bracket is closed by its own kind.
  public static let mismatch = Rule(
    "PR0019", "json/mismatch",
    "a bracket is closed by its own kind",
    page: .init(
      "A bracket is closed by its own kind: { by }, [ by ].",
      because: "One of the two is the wrong one, or a bracket between them is missing.",
      example: .patch(ExamplePatches.tone, wrong: ["\"remoteIO\" }": "\"remoteIO\" ]"])))
}
