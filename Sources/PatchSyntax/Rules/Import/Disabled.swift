public import AudioTypes

extension ImportRules {
  /// Parts of an imported file that are switched off are reported.
  public static let disabled = Rule(
    "PR1002", "import/disabled",
    "every filter of an imported file is switched on",
    severity: .note,
    page: .init(
      "A filter that is switched off in an imported file is left out, and reported.",
      because: """
        The original program does not apply it either. If you want it, switch it on in the imported file and
        import again.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
