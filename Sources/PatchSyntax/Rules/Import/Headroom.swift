public import AudioTypes

extension ImportRules {
  /// An imported equalizer does not raise the loudest frequency.
  public static let headroom = Rule(
    "PR1008", "import/headroom",
    "an imported equalizer does not raise the loudest frequency",
    severity: .note,
    page: .init(
      "The gains of an imported equalizer add up to no more than 0 dB at any frequency.",
      because: """
        REW leaves the gain in front of its filters to the device, and AutoEq rounds its own.
        Music that reaches full scale is cut off where the sum is above 0 dB.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
