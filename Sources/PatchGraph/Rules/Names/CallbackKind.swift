public import AudioTypes
import RenderCallbacks

extension NameRules {
  /// The kind of a callback exists.
  public static let callbackKind = Rule(
    "PR0209", "callback/kind",
    "the kind of a callback is one that there is",
    page: .init(
      "The kind of a callback is one that there is.",
      because: """
        They are \(CallbackCatalog.standard.map(\.kind).joined(separator: ", ")). `patchrun man 5` lists their
        settings, and so does the schema, in an editor.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"kind\": \"tone\"": "\"kind\": \"tune\""])))
}
