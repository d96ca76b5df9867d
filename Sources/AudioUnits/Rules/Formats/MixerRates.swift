public import AudioTypes

extension UnitRules {
  /// All used inputs of a MultichannelMixer run at its output's rate.
  public static let mixerRates = Rule(
    "PR0405", "format/mixer-rates",
    "all used inputs of a MultichannelMixer run at its output's rate",
    statuses: [.formatNotSupported],
    silencedBy: [.unreadNode, .session, .format],
    page: .init(
      "All inputs of a MultichannelMixer that are used run at the rate of its output.",
      because: """
        This mixer converts no rates. A sound at another rate would play at a wrong pitch; put a
        FormatConverter between it and the mixer. The 3DMixer converts the rate of each input by
        itself, and I/O units convert theirs.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.formatted,
        wrong: [
          "\"channels\": 2, \"sampleRate\": 44100 } }\n":
            "\"channels\": 2, \"sampleRate\": 22050 } }\n"
        ])))
}
