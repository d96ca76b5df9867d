public import AudioTypes

extension SyntaxRules {
  /// Numbers are decimal, as JSON writes them.
  public static let number = Rule(
    "PR0016", "json/number",
    "numbers are decimal, as JSON writes them",
    page: .init(
      "A number is decimal: 12, -0.5, 1.5e-3.",
      because: """
        JSON has no leading + or zeros, no bare point as in .5, no hexadecimal, no infinity, no
        NaN, and no separators between digits.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["44100": "44_100"])))
}
