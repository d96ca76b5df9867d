public import AudioTypes

extension NameRules {
  /// The preferred buffer duration is one that devices grant, in seconds.
  public static let bufferDuration = Rule(
    "PR0315", "session/buffer-duration",
    "the duration of a slice that is preferred is one that devices grant, in seconds",
    severity: .warning,
    page: .init(
      "A preferred buffer duration is one that devices grant, in seconds.",
      because: """
        preferredIOBufferDuration is in seconds, as in Core Audio: 5 ms is 0.005. A request for several
        seconds is granted as the largest slice there is, and the delay is heard; one below a millisecond as
        the smallest. patchrun grants powers of two from 256 to 4096 frames, which is 0.006 to 0.09 s at 44100
        Hz; that range is patchrun's choice.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "{\n  \"str",
          with: "{\n  \"session\": { \"preferredIOBufferDuration\": 0.005 },\n  \"str"),
        wrong: ["0.005": "5"])))
}
