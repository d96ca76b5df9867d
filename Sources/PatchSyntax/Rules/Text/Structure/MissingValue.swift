public import AudioTypes

extension SyntaxRules {
  /// Each key has a value.
  public static let missingValue = Rule(
    "PR0009", "json/missing-value",
    "each key has a value",
    page: .init(
      "Each key has a value.",
      because: """
        A key with nothing behind it leaves open what was meant: to leave a setting out, leave the
        key out as well.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"frequency\": 440": "\"frequency\":"])))
}
