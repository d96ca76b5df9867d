public import AudioTypes

extension PatchRules {
  /// A place in the patch is written as a JSON Pointer.
  public static let pointer = Rule(
    "PR0113", "patch/pointer",
    "a place in the patch is written as a JSON Pointer",
    page: .init(
      "A place in the patch is written as a JSON Pointer (RFC 6901).",
      because: """
        It begins with a slash and goes down from the top of the document, the same in the timeline,
        in messages and for `--set`.
        """,
      example: .patch(
        ExamplePatches.timed,
        wrong: ["\"/nodes/mixer/inputs/0/parameters/volume\"": "\"mixer.inputs.0.volume\""])))
}
