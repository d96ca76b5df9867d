public import AudioTypes

extension SyntaxRules {
  /// A double quote begins or ends a string, or is escaped in one.
  public static let strayQuote = Rule(
    "PR0032", "json/stray-quote",
    "a double quote begins or ends a string, or is escaped in one",
    page: .init(
      "A double quote begins a string or ends one. Inside of one it is written \\\".",
      because: """
        A quote too many ends a string early, and what was meant as its rest has no place. Mostly it is
        left over from an edit, or a word in a title was to stand in quotes.
        """,
      example: .patch(
        ExamplePatches.tone, wrong: ["\"to\": \"io\" }": "\"to\": \"io\" \"}"])))
}
