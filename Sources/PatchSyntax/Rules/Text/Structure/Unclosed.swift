public import AudioTypes

extension SyntaxRules {
  /// Each bracket is closed.
  public static let unclosed = Rule(
    "PR0018", "json/unclosed",
    "each bracket is closed",
    page: .init(
      "Each bracket that is opened is closed.",
      because: """
        The end of the document comes first. By the indentation the diagnostic points to the bracket
        that is most likely meant.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"to\": \"io\" } ]\n}": "\"to\": \"io\" } ]"])))
}
