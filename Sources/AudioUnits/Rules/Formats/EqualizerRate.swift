public import AudioTypes

extension UnitRules {
  /// An iPodEQ runs at 44100 or 48000 Hz, as the original does.
  public static let equalizerRate = Rule(
    "PR0408", "format/equalizer-rate",
    "an iPodEQ runs at 44100 or 48000 Hz, as the original does",
    severity: .warning,
    silencedBy: [.unreadNode, .session, .format],
    page: .init(
      "An iPod EQ runs at 44100 or 48000 Hz.",
      because: """
        Apple's takes only those. This one works at every rate, so that a patch can be tried out; on
        an iPhone it would be refused.
        """,
      example: .patch(
        ExamplePatches.equalizer.replacing("44100", with: "\"session\"").replacing(
          "{\n  \"str",
          with: "{\n  \"session\": { \"preferredSampleRate\": 48000 },\n  \"str"),
        wrong: ["48000": "32000"])))
}
