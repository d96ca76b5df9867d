public import AudioTypes

extension SyntaxRules {
  /// Every character has a use in JSON where it stands.
  public static let unexpected = Rule(
    "PR0021", "json/unexpected",
    "no character stands where JSON has no use for it",
    page: .init(
      "Every character stands where JSON has a use for it.",
      because: "A stray one was typed by accident, or is another language's syntax.",
      example: .patch(ExamplePatches.tone, wrong: ["[ { \"from\"": "[ @ { \"from\""])))
}
