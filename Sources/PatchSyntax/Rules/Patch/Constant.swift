public import AudioTypes

extension PatchRules {
  /// A name with a dollar sign is that of a constant of the patch.
  public static let constant = Rule(
    "PR0114", "patch/constant",
    "what is named with a dollar sign is a constant of the patch",
    page: .init(
      "A text such as `\"$level\"` names a constant that stands in the patch's `\"constants\"`.",
      because: """
        A value that stands in many places is written once: `"constants": { "level": "-6 dB" }`, and
        `"$level"` wherever a number, a text, true or false may stand. Titles and comments are left as they
        are. A constant names no other; a text that begins with a dollar sign, as no name of a constant, is
        the value of one.
        """,
      example: .patch(
        ExamplePatches.constants, wrong: ["\"$level\"": "\"$levle\""])))
}
