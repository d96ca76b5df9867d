public import AudioTypes

extension UnitRules {
  /// An effect has the same stream format on both sides.
  public static let effectFormats = Rule(
    "PR0407", "format/effect-sides",
    "an effect has the same stream format on both sides",
    statuses: [.formatNotSupported],
    silencedBy: [.unreadNode, .session, .format],
    page: .init(
      "The output of an iPod EQ has the format of its input.",
      because: """
        An effect changes the sound and not its format: as many channels leave it as come in, at the
        same rate. Initialize fails otherwise. Convert before it or behind it.
        """,
      example: .patch(
        ExamplePatches.equalizer.replacing(
          "\"presentPreset\": \"Rock\" }",
          with: """
            "presentPreset": "Rock" },
                  "outputs": {
                    "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 } }
                  }
            """),
        wrong: [
          "{ \"streamFormat\": { \"sample\": \"float32\", \"channels\": 2":
            "{ \"streamFormat\": { \"sample\": \"float32\", \"channels\": 1"
        ])))
}
