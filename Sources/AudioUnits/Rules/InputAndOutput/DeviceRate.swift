public import AudioTypes

extension UnitRules {
  /// A graph runs at its device's rate, or the output unit converts it.
  public static let deviceRate = Rule(
    "PR0608", "io/rate",
    "a graph runs at its device's rate, or knows that the output unit converts it",
    severity: .warning,
    silencedBy: [.unreadNode, .session, .format],
    page: .init(
      "A graph runs at the rate of its device, or its author knows that it is converted.",
      because: """
        Output units have converters inside, so that any rate is heard at the right pitch. It costs
        time and a little quality. The preferred rate is a request; \"sampleRate\": \"session\" means
        what was granted.
        """,
      example: .patch(
        ExamplePatches.tone.replacing("44100", with: "\"session\""),
        wrong: ["\"session\"": "44100"], hardware: "rate=48000")))
}
