public import AudioTypes

extension UnitRules {
  /// At least one fed input of a mixer is switched on.
  public static let inputsOff = Rule(
    "PR0317", "mixer/inputs-off",
    "an input of a mixer that is fed is switched on",
    severity: .note,
    page: .init(
      "Of the inputs of a mixer that something feeds at least one is switched on.",
      because: """
        "enable" is a switch for each input of a MultichannelMixer. With all of them off the mixer puts out
        silence until a ramp or a control turns one on, which may be what is wanted.
        """,
      example: .none("A note is no mistake: there is nothing to put right.")))
}
