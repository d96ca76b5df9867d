public import AudioTypes

extension ImportRules {
  /// Parts of an imported file that are switched off are reported.
  public static let disabled = Rule(
    "PR1002", "import/disabled",
    "what is switched off in an imported file is named",
    severity: .note,
    page: .init(
      "A filter that is switched off in an imported file is left out, and named.",
      because: """
        It is not heard in the original. A patch has no filters that wait to be switched on:
        what is wanted is put in by hand.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
