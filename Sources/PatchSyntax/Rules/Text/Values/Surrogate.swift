public import AudioTypes

extension SyntaxRules {
  /// Escaped surrogates come in pairs.
  public static let surrogate = Rule(
    "PR0015", "json/surrogate",
    "escaped surrogates come in pairs",
    page: .init(
      "An escaped surrogate has its other half behind it.",
      because: """
        Characters beyond U+FFFF are two escapes of UTF-16, \\ud83c\\udfb8 for a guitar. Half of one
        is no character and cannot be written as UTF-8. Write the character itself.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "{\n  \"str", with: "{\n  \"title\": \"\\ud83c\\udfb8\",\n  \"str"),
        wrong: ["\\ud83c\\udfb8": "\\ud83c"])))
}
