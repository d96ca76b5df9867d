public import AudioTypes

extension ImportRules {
  /// It is clear which program an imported file was written for.
  public static let unclear = Rule(
    "PR1006", "import/unclear",
    "it is clear which program an imported file was written for",
    severity: .warning,
    page: .init(
      """
      Where a text means different filters to different programs, `--from` says for which of them
      it was written.
      """,
      because: """
        Equalizer APO takes the frequency of `LS ... Q` as the corner of a shelf, AutoEq and others as
        its middle: at a gain of 6 dB the two differ by a fifth of the frequency. The import reports
        which meaning it has chosen.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
