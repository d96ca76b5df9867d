public import AudioTypes

extension NameRules {
  /// A setting of a callback or a tap has a name and a value that fit.
  public static let setting = Rule(
    "PR0211", "patch/setting",
    "a setting of a callback or a tap has a name and a value that fit",
    page: .init(
      "A setting of a callback or a tap is one that its kind has, with a value of its type and "
        + "range.",
      because: """
        A setting that the kind does not have would be ignored, and a value outside of its range
        would be another sound than the one written. Mistakes in an expression are of this kind too.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"frequency\": 440": "\"frequency\": -440"])))
}
