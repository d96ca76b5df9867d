public import AudioTypes

extension ImportRules {
  /// It is clear which program an imported file was written for.
  public static let unclear = Rule(
    "PR1006", "import/unclear",
    "what an imported file was written for is known",
    severity: .warning,
    page: .init(
      """
      Where a text means different filters to different programs, `--from` says for which of them
      it was written.
      """,
      because: """
        Equalizer APO takes the frequency of `LS ... Q` for the corner of a shelf, AutoEq and
        others for its middle: for a gain of 6 dB they are a fifth of the frequency apart. The
        import says which reading it has taken.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
