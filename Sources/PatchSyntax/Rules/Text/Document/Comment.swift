public import AudioTypes

extension SyntaxRules {
  /// Comments stand in .jsonc documents only.
  public static let comment = Rule(
    "PR0004", "json/comment",
    "comments stand in .jsonc documents only",
    page: .init(
      "Comments stand in files that end in .jsonc. In a .json file there are none.",
      because: """
        Strict JSON has no comments, and other tools that read the patch would stop at one. Every
        object of a patch takes a "comment" instead, which all of them can read.
        """,
      example: .patch(
        ExamplePatches.tone.replacing("{\n  \"str", with: "{\n  \"comment\": \"A440\",\n  \"str"),
        wrong: ["\"comment\": \"A440\",": "// A440"])))
}
