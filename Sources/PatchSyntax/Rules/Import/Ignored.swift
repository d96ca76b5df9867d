public import AudioTypes

extension ImportRules {
  /// The program of an imported file reads everything in it.
  public static let ignored = Rule(
    "PR1001", "import/ignored",
    "what is imported is what the original takes",
    severity: .warning,
    page: .init(
      """
      A line of an imported file that its own program passes over is passed over here, too, and
      named.
      """,
      because: """
        Equalizer APO says nothing of a line that it does not understand: a filter without its
        gain, a command that is misspelt. Whoever wrote it believes that it is heard. The import
        names each such line, and keeps what the original does.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
