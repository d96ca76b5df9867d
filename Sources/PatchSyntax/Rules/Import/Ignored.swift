public import AudioTypes

extension ImportRules {
  /// The program of an imported file reads everything in it.
  public static let ignored = Rule(
    "PR1001", "import/ignored",
    "the original program understands every line of an imported file",
    severity: .warning,
    page: .init(
      """
      A line of an imported file that the original program ignores is ignored here too, and
      reported.
      """,
      because: """
        Equalizer APO does not report a line that it does not understand, such as a filter without a
        gain or a misspelt command. The author may believe that it works. The import reports each such
        line, and does what the original does.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
