public import AudioTypes

extension SyntaxRules {
  /// Control characters in strings are escaped.
  public static let controlCharacter = Rule(
    "PR0013", "json/control-character",
    "control characters in strings are escaped",
    page: .init(
      "Control characters inside a string are escaped: \\t, \\n, \\u0000.",
      because: "They are invisible, and RFC 8259 forbids them. A tab in a path is hardly meant.",
      example: .patch(
        ExamplePatches.tone.replacing("{\n  \"str", with: "{\n  \"title\": \"A\\t440\",\n  \"str"),
        wrongBytes: Array(
          ExamplePatches.tone.replacing("{\n  \"str", with: "{\n  \"title\": \"A\t440\",\n  \"str")
            .utf8),
        shownAs: ExamplePatches.tone.replacing(
          "{\n  \"str", with: "{\n  \"title\": \"A→440\",\n  \"str") + "\n\n(→ stands for a tab)")))
}
