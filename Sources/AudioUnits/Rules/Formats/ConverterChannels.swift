public import AudioTypes

extension UnitRules {
  /// A FormatConverter between different numbers of channels has a channel map.
  public static let converterChannels = Rule(
    "PR0423", "format/converter-channels",
    "a FormatConverter between different numbers of channels has a channel map",
    severity: .warning,
    silencedBy: [.unreadNode, .format, .channelMap],
    page: .init(
      "A FormatConverter between different numbers of channels has a channel map.",
      because: """
        Without one, channels go straight through: of a mono sound the right side stays silent, of a
        stereo sound only the left one is left. [0, 0] puts mono on both sides.
        """,
      example: .patch(
        ExamplePatches.converter.replacing(
          "\"int16\", \"channels\": 2", with: "\"int16\", \"channels\": 1"
        ).replacing(
          "\"outputs\": {\n        \"0\": {",
          with:
            "\"outputs\": {\n        \"0\": {\n          \"properties\": { \"channelMap\": [0, 0] },\n         "
        ),
        wrong: ["\n          \"properties\": { \"channelMap\": [0, 0] },\n         ": ""])))
}
