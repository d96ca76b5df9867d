public import AudioTypes

extension SyntaxRules {
  /// A document holds one value.
  public static let empty = Rule(
    "PR0001", "json/empty",
    "a document holds one value",
    page: .init(
      "A patch is one JSON value, an object. An empty file has none.",
      because: """
        Mostly the file was saved before it was written, or a command in a pipe put out nothing:
        `generate | patchrun validate -` reports the generator's failure in this way.
        """,
      example: .patch(ExamplePatches.tone, wrongBytes: [], shownAs: "(an empty file)")))
}
