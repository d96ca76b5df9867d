public import AudioTypes

extension UnitRules {
  /// The volumes of a mixer's input and output multiply each other.
  public static let effectiveGain = Rule(
    "PR0557", "parameter/effective-gain",
    "the volumes of a mixer's input and output multiply each other",
    severity: .note,
    page: .init(
      "The volume of a mixer's input multiplies that of its output.",
      because: """
        An input at 0.5 of a mixer whose output is at 0.5 is heard at 0.25, 12 dB down. `patchrun
        validate --notes` says what both come to, where both have been set.
        """,
      example: .none("A note is no mistake: there is nothing to put right.")))
}
