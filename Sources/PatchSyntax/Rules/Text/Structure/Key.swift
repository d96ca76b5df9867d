public import AudioTypes

extension SyntaxRules {
  /// Keys are strings in double quotes.
  public static let key = Rule(
    "PR0010", "json/key",
    "keys are strings in double quotes",
    page: .init(
      "A key is a string in double quotes.",
      because: "JavaScript and JSON5 allow it bare; JSON does not.",
      example: .patch(ExamplePatches.tone, wrong: ["\"kind\"": "kind"])))
}
