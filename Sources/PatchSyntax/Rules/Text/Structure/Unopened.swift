public import AudioTypes

extension SyntaxRules {
  /// Each bracket that closes something has one that opens it.
  public static let unopened = Rule(
    "PR0033", "json/unopened",
    "each bracket that closes something has one that opens it",
    page: .init(
      "A bracket that closes something has one that opens it.",
      because: """
        A '{' or '[' that was deleted leaves its other half behind. patchrun says where one is missing when
        putting it there makes sense of the whole text.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"nodes\": {": "\"nodes\":"])))
}
