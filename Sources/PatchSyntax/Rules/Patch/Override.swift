public import AudioTypes

extension PatchRules {
  /// --set names a place that the patch has.
  public static let override = Rule(
    "PR0111", "patch/override",
    "--set names a place that the patch has",
    page: .init(
      "`--set` names a place in the patch by its JSON Pointer: its parent is there.",
      because: """
        What is set in a place that does not exist would change nothing, and nobody would notice. The
        last part of the pointer may be new; all before it has to be in the patch.
        """,
      example: .override(
        ExamplePatches.mixer, wrong: "/nodes/mixr/inputs/0/parameters/volume=0.5",
        right: "/nodes/mixer/inputs/0/parameters/volume=0.5")))
}
