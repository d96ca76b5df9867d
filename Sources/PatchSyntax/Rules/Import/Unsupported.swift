public import AudioTypes

extension ImportRules {
  /// Every part of an imported file has an equivalent here.
  public static let unsupported = Rule(
    "PR1003", "import/unsupported",
    "every part of an imported file has an equivalent here",
    severity: .warning,
    page: .init(
      "A part of an imported file that no unit here can do is left out, and reported.",
      because: """
        A plugin, a compressor with its own gain curve, or a filter of unknown design would sound
        different from what the author heard. The rest of the chain is imported without it.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
