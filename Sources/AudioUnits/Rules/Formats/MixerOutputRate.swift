public import AudioTypes

extension UnitRules {
  /// The output of a mixer is given its rate.
  public static let mixerOutputRate = Rule(
    "PR0406", "format/mixer-output-rate",
    "the output of a mixer is given its rate",
    severity: .warning,
    silencedBy: [.unreadNode, .format],
    page: .init(
      "The output of a mixer is given its rate.",
      because: """
        It is the one thing that the guide demands to be set there. Not set, it is 44100 Hz, whatever
        the hardware and the inputs have. The rate alone is enough: its channels and its sample type
        are the mixer's.
        """,
      example: .patch(
        ExamplePatches.space,
        wrong: [
          ",\n          \"outputs\": { \"0\": { \"sampleRate\": 44100 } }": "",
          ",\n      \"outputs\": { \"0\": { \"sampleRate\": 44100 } }": "",
        ])))
}
