public import AudioTypes

extension ImportRules {
  /// An imported filter sounds like the original, except for the differences that are reported.
  public static let approximated = Rule(
    "PR1004", "import/approximated",
    "an imported filter sounds like the original",
    severity: .warning,
    page: .init(
      "A filter that can be imported only approximately is imported, and the difference is reported.",
      because: """
        The message gives the greatest difference between 20 Hz and 20 kHz, in decibels. If that is too
        much, use the original program for this filter.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
