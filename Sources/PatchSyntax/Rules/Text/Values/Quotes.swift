public import AudioTypes

extension SyntaxRules {
  /// Strings stand in straight double quotes.
  public static let quotes = Rule(
    "PR0011", "json/quotes",
    "strings stand in straight double quotes",
    page: .init(
      "A string stands in straight double quotes: \"so\".",
      because: """
        Single quotes are other languages', and curly ones come from word processors and web pages
        that a patch was copied from.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"remoteIO\"": "'remoteIO'"])))
}
