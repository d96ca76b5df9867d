public import AudioTypes

extension SyntaxRules {
  /// A document has no more bytes than the limit allows.
  public static let bytes = Rule(
    "PR0026", "limit/bytes",
    "a document has no more bytes than the limit allows",
    page: .init(
      "A document has no more bytes than the limit, with all its sub-graphs: 16 MB.",
      because: """
        What is checked takes time and memory by its length, and patches come from strangers, too. Ten
        thousand nodes take about 3 MB. `--limit bytes=64M` allows more.
        """,
      example: .none("A patch of 16 MB is too long for a page.")))
}
