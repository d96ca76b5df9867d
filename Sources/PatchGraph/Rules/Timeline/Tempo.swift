public import AudioTypes

extension TimelineRules {
  /// A patch that counts in beats has a tempo.
  public static let tempo = Rule(
    "PR0803", "timeline/tempo",
    "a patch that counts in beats has a tempo",
    page: .init(
      "A patch whose timeline counts in beats has a tempo.",
      because: """
        A time is a number of seconds, or { "frames": 48000 } at the rate of the session, or
        { "beats": 4 }. How long a beat is "tempo" says, in beats per minute: at 120, half a second.
        """,
      example: .patch(
        ExamplePatches.beating,
        wrong: ["\"tempo\": 120,": "", "\"at\": 1": "\"at\": { \"beats\": 2 }"])))
}
