public import AudioTypes

extension UnitRules {
  /// An I/O unit has its input, its output, or both on.
  public static let ioEnabled = Rule(
    "PR0605", "io/enabled",
    "an I/O unit has its input, its output, or both on",
    statuses: [.failedInitialization],
    silencedBy: [.unreadNode, .sides],
    page: .init(
      "An I/O unit has its microphone side on, its loudspeaker side, or both.",
      because: """
        With both off there is nothing to start, and nothing would ever pull the graph.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.recording,
        wrong: [
          "\"inputs\": { \"1\": { \"properties\": { \"enableIO\": true } } },\n      ": "",
          ",\n  \"taps\": { \"voice\": { \"kind\": \"record\", \"at\": \"io:1\", \"path\": \"voice.wav\" } }":
            "",
        ])))
}
