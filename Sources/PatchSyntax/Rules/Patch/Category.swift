public import AudioTypes

extension PatchRules {
  /// The category of the session exists.
  public static let category = Rule(
    "PR0606", "session/category",
    "the session's category is one that there is",
    statuses: [.incompatibleCategory],
    page: .init(
      "The category of a session is one that there is.",
      because: """
        They are ambient, soloAmbient, playback, record, playAndRecord, audioProcessing and
        multiRoute. The category says what an app may do with the hardware, and what its sound does
        when the screen is locked.
        """,
      example: .patch(ExamplePatches.microphone, wrong: ["\"playAndRecord\"": "\"playAndRecrd\""])))
}
