public import AudioTypes

extension SyntaxRules {
  /// Blanks are spaces, tabs and line ends.
  public static let blank = Rule(
    "PR0025", "json/blank",
    "blanks are spaces, tabs and line ends",
    page: .init(
      "Between values stand spaces, tabs and line ends, and no other blanks.",
      because: """
        A no-break space or a blank of another script looks like a space and is not one to JSON. It
        comes from web pages, and from holding a key too long.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrongBytes: Array(
          ExamplePatches.tone.replacing("\"kind\": ", with: "\"kind\":\u{A0}").utf8),
        shownAs: ExamplePatches.tone.replacing("\"kind\": ", with: "\"kind\":␣")
          + "\n\n(␣ stands for a no-break space, U+00A0)")))
}
