public import AudioTypes

extension SyntaxRules {
  /// Values are nested at most 512 deep.
  public static let depth = Rule(
    "PR0022", "json/depth",
    "values are nested at most \(JSONReader.maximumDepth) deep",
    page: .init(
      "Values are nested at most 512 deep.",
      because: """
        A patch needs about 10 levels. The limit keeps a document that was made to do harm from
        exhausting the memory of whoever reads it.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrongBytes: Array(
          ("{ \"comment\": " + String(repeating: "[", count: 513)
            + String(repeating: "]", count: 513) + " }").utf8),
        shownAs: "{ \"comment\": [[[[ … 513 brackets … ]]]] }")))
}
