public import AudioTypes
import RenderTaps

extension NameRules {
  /// The kind of a tap exists.
  public static let tapKind = Rule(
    "PR0210", "tap/kind",
    "the kind of a tap is one that there is",
    page: .init(
      "The kind of a tap is one that there is.",
      because: """
        They are \(TapCatalog.ofPatches.kinds.map(\.kind).joined(separator: ", ")). `patchrun man 5` lists their settings,
        and so does the schema, in an editor.
        """,
      example: .patch(ExamplePatches.tapped, wrong: ["\"record\"": "\"recorder\""])))
}
