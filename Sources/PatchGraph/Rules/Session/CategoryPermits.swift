public import AudioTypes

extension NameRules {
  /// The category of the session permits the sides of the I/O unit that are on.
  public static let categoryPermits = Rule(
    "PR0607", "session/permits",
    "the session's category permits what the I/O unit does",
    statuses: [.incompatibleCategory],
    page: .init(
      "The category of a session permits what its I/O unit does.",
      because: """
        Playback and the ambient ones have no input, record has no output, audioProcessing has
        neither. On an iPhone a microphone that is on then fails to initialize with '!cat'.
        """,
      example: .patch(ExamplePatches.microphone, wrong: ["\"playAndRecord\"": "\"playback\""])))
}
