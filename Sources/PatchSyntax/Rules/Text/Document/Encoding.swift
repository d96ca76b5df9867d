public import AudioTypes

extension SyntaxRules {
  /// A document is UTF-8.
  public static let encoding = Rule(
    "PR0002", "json/encoding",
    "a document is UTF-8",
    page: .init(
      "The text of a patch is UTF-8, as RFC 8259 demands.",
      because: """
        Bytes of another encoding have no meaning as text. Names that were read from them would not
        match those typed elsewhere, and paths would lead to no file. The diagnostic names the
        encoding where it can be recognized: UTF-16 and UTF-32.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrongBytes: Array("{ \"title\": \"Caf".utf8) + [0xE9]
          + Array("\", \"nodes\": { \"io\": { \"component\": \"remoteIO\" } } }".utf8),
        shownAs: """
          { "title": "Caf\\xE9", "nodes": { "io": { "component": "remoteIO" } } }

          (\\xE9 stands for the one byte that é is in ISO 8859-1)
          """)))
}
