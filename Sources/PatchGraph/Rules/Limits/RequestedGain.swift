import AudioTypes

extension LimitRules {
  /// A request makes nothing louder than the patch allows.
  static let requestedGain = Rule(
    "PR0612", "limits/requested-gain",
    "a request makes nothing louder than the patch allows",
    page: .init(
      "What a request or an OSC message sets is no louder than the patch allows.",
      because: """
        The volume of a mixer takes any number, as Core Audio's does, and a slip of a zero, or a controller
        with other units, can be heard through the house. What comes to a patch that plays by HTTP or OSC
        may therefore set gains of up to 40 dB, or what "requestedGain" of its "limits" says. What the patch
        itself says from the start, in its file, is its author's affair. Whatever the gains are,
        "outputPeak" holds.
        """,
      example: .none(
        "It is about what is asked of a patch that plays: one that is written has none.")))
}
