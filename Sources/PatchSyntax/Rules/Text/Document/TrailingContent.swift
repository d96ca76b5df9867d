public import AudioTypes

extension SyntaxRules {
  /// Nothing follows a document's value.
  public static let trailingContent = Rule(
    "PR0020", "json/trailing-content",
    "nothing follows a document's value",
    page: .init(
      "Behind the document's value there is nothing.",
      because: """
        A document is one value. Two patches in one file, or a closing bracket that stands too early,
        leave a rest that nothing would read.
        """,
      example: .patch(
        ExamplePatches.tone, wrong: ["\"to\": \"io\" } ]\n}": "\"to\": \"io\" } ]\n} {}"])))
}
