public import AudioTypes

extension SyntaxRules {
  /// A backslash begins one of JSON's escapes.
  public static let escape = Rule(
    "PR0014", "json/escape",
    "a backslash begins one of JSON's escapes",
    page: .init(
      "A backslash in a string begins one of JSON's escapes.",
      because: """
        They are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits. The usual
        cause is a path with backslashes: write slashes.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "{\n  \"str", with: "{\n  \"title\": \"guitar/beat\",\n  \"str"),
        wrong: ["guitar/beat": "guitar\\drums"])))
}
