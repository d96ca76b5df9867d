public import AudioTypes

extension SyntaxRules {
  /// A value stands before each comma.
  public static let extraComma = Rule(
    "PR0007", "json/extra-comma",
    "a value stands before each comma",
    page: .init(
      "A comma follows a value. It does not stand alone.",
      because: "Two commas in a row have a value between them that was forgotten, or one too many.",
      example: .patch(ExamplePatches.tone, wrong: ["44100 },": "44100 },,"])))
}
