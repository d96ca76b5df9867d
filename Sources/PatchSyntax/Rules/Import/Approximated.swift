public import AudioTypes

extension ImportRules {
  /// An imported filter sounds like the original, except for the differences that are reported.
  public static let approximated = Rule(
    "PR1004", "import/approximated",
    "what is imported sounds as it did, but for what is named",
    severity: .warning,
    page: .init(
      "What can be imported only nearly is imported, and the difference named.",
      because: """
        The difference in decibels is the greatest between 20 Hz and 20 kHz. Where that matters,
        the original is the better program for it.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
