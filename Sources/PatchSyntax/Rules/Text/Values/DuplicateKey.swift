public import AudioTypes

extension SyntaxRules {
  /// An object has each key once.
  public static let duplicateKey = Rule(
    "PR0023", "json/duplicate-key",
    "an object has each key once",
    page: .init(
      "An object has each of its keys once.",
      because: """
        JSON readers do not agree on which of two holds, so the patch would mean one thing here and
        another elsewhere. Of two nodes with one name, one would be gone without a word.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: ["\"frequency\": 440": "\"frequency\": 440, \"frequency\": 880"])))
}
