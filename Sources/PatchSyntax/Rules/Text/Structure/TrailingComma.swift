public import AudioTypes

extension SyntaxRules {
  /// No comma stands before a closing bracket.
  public static let trailingComma = Rule(
    "PR0005", "json/trailing-comma",
    "no comma stands before a closing bracket",
    page: .init(
      "The last value before a closing bracket has no comma behind it.",
      because: """
        It is left over where the last line of a list was taken out. Strict JSON forbids it; .jsonc
        files may have it.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"to\": \"io\" }": "\"to\": \"io\" },"])))
}
