public import AudioTypes

extension SyntaxRules {
  /// One colon stands between a key and its value.
  public static let colon = Rule(
    "PR0008", "json/colon",
    "one colon stands between a key and its value",
    page: .init(
      "A key and its value have one colon between them.",
      because: "`=` and `=>` are other languages' way of writing it.",
      example: .patch(ExamplePatches.tone, wrong: ["\"kind\":": "\"kind\" ="])))
}
