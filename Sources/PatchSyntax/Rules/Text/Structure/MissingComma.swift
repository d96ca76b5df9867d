public import AudioTypes

extension SyntaxRules {
  /// A comma stands between two values.
  public static let missingComma = Rule(
    "PR0006", "json/missing-comma",
    "a comma stands between two values",
    page: .init(
      "Two values beside each other have a comma between them.",
      because: """
        Without it nobody can tell where one ends. Mostly a line was added at the end of a list and
        the one before it has none; or a string has a quote inside that is not escaped.
        """,
      example: .patch(
        ExamplePatches.tone, wrong: ["\"frequency\"": "\"frequency\" ", "\"tone\", ": "\"tone\" "]))
  )
}
