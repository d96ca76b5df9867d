public import AudioTypes

extension SyntaxRules {
  /// A string ends on the line it begins on.
  public static let unterminatedString = Rule(
    "PR0012", "json/unterminated-string",
    "a string ends on the line it begins on",
    page: .init(
      "A string ends on the line on which it begins.",
      because: """
        Without its closing quote a string would swallow the rest of the document. A line end inside
        of a string is written \\n.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"remoteIO\" }": "\"remoteIO }"])))
}
