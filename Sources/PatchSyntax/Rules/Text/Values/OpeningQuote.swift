public import AudioTypes

extension SyntaxRules {
  /// A string begins with a double quote.
  public static let openingQuote = Rule(
    "PR0031", "json/opening-quote",
    "a string begins with a double quote",
    page: .init(
      "A string, and a key, begins with a double quote.",
      because: """
        Without it everything behind it up to the next quote is read as the wrong thing. patchrun looks
        for the one edit that makes sense of the text, so that a quote that is missing is one error; other
        JSON readers stop somewhere behind it.
        """,
      example: .patch(
        ExamplePatches.tone, wrong: ["\"component\": \"remoteIO\"": "\"component\": remoteIO\""])))
}
