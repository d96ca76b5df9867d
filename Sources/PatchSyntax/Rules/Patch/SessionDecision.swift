public import AudioTypes

extension PatchRules {
  /// The decision about an event is one that a session can carry out.
  public static let sessionDecision = Rule(
    "PR0610", "session/decision",
    "what an event makes a session do is something it can",
    page: .init(
      "What an event makes a session do is something it can do.",
      because: """
        An interruption (the sound server suspends the device, or asks for silence because somebody has
        a call) makes a patch "continue", "pause" or "stop"; another device makes it "follow",
        "restart" or "stop". Where nothing is said it continues, and follows. An iPhone stops the units
        and tells the app, which decides; that a patch writes its decision down is ours.
        """,
      example: .patch(
        ExamplePatches.microphone.replacing(
          "\"playAndRecord\"", with: "\"playAndRecord\", \"onInterruption\": \"pause\""),
        wrong: ["\"pause\"": "\"pauze\""])))
}
