public import AudioTypes

extension PatchRules {
  /// Each value is of the type that belongs there.
  public static let type = Rule(
    "PR0101", "patch/type",
    "each value is of the type that belongs there",
    page: .init(
      "Each value is of the type that belongs in its place.",
      because: """
        A number in quotes is a text, and no unit takes one for a number. patchrun does not convert:
        what looks right in one place would be wrong in another.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["44100": "\"44100\""])))
}
