public import AudioTypes

extension ImportRules {
  /// Every part of an imported file has an equivalent here.
  public static let unsupported = Rule(
    "PR1003", "import/unsupported",
    "what is imported has its like here",
    severity: .warning,
    page: .init(
      "What an imported file asks for and no unit here does is left out, and named.",
      because: """
        A plugin, a compressor with a law of its own, a filter whose design is not known: each
        would sound different from what the author heard. The rest of the chain is imported as
        if it were not there.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
