public import AudioTypes

extension UnitRules {
  /// The outputs of a splitter or a merger have the format that follows from the inputs.
  public static let followingFormats = Rule(
    "PR0410", "format/following",
    "the outputs of a splitter or a merger have the format of what feeds it",
    statuses: [.formatNotSupported],
    silencedBy: [.unreadNode, .session, .format],
    page: .init(
      """
      The outputs of a Splitter and a MultiSplitter have the format of the input; that of a Merger has \
      the channels of both inputs, which have one sample type and one rate.
      """,
      because: """
        These units move samples and change none: every output is the same as the input, to the bit. \
        There is nothing to be set on their outputs; another format than the one that follows is \
        refused. Convert before them or behind them.
        """,
      example: .patch(
        ExamplePatches.split.replacing(
          "\"component\": \"MultiSplitter\", \"properties\": { \"maximumFramesPerSlice\": 4096 }",
          with: """
            "component": "MultiSplitter",
                  "properties": { "maximumFramesPerSlice": 4096 },
                  "outputs": {
                    "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 } }
                  }
            """),
        wrong: [
          "{ \"streamFormat\": { \"sample\": \"float32\", \"channels\": 2":
            "{ \"streamFormat\": { \"sample\": \"float32\", \"channels\": 1"
        ])))
}
