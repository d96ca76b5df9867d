public import AudioTypes

extension SyntaxRules {
  /// Words without quotes are true, false and null.
  public static let literal = Rule(
    "PR0017", "json/literal",
    "words without quotes are true, false and null",
    page: .init(
      "A word without quotes is true, false or null.",
      because: """
        Anything else is a string whose quotes are missing, or another language's spelling: True,
        yes, nil.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "\"tone\", \"frequency\": 440",
          with: "\"file\", \"path\": \"audio/guitar.wav\", \"loop\": true"),
        wrong: ["true": "True"])))
}
