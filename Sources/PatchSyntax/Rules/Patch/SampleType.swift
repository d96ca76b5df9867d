public import AudioTypes

extension PatchRules {
  /// The sample type of a stream format is one that buses carry.
  public static let sampleType = Rule(
    "PR0213", "format/sample-type",
    "the sample type of a stream format is one that a bus carries",
    statuses: [.formatNotSupported],
    page: .init(
      "The sample type of a format is float32, int16, int24, int32 or fixed8.24.",
      because: """
        These are the linear PCM that a bus can carry. Compressed formats belong to files and to
        AudioConverter.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"float32\"": "\"float64\""])))
}
