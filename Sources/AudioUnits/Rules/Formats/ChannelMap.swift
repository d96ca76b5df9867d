public import AudioTypes

extension UnitRules {
  /// A channel map has an entry for each channel of its output, and names channels there are.
  public static let channelMap = Rule(
    "PR0422", "format/channel-map",
    "a channel map has an entry for each channel of its output, and names channels there are",
    statuses: [.invalidPropertyValue],
    silencedBy: [.unreadNode, .format],
    page: .init(
      "A channel map has an entry for each channel that leaves: the number of a channel that comes "
        + "in, or -1 for silence.",
      because: """
        kAudioOutputUnitProperty_ChannelMap is read channel by channel of the destination. An entry
        too few, or a channel that there is not, leaves open what is to be heard.
        """,
      example: .patch(
        ExamplePatches.microphone.replacing(
          "\"inputs\": {",
          with:
            "\"outputs\": { \"0\": { \"properties\": { \"channelMap\": [0, 0] } } },\n      \"inputs\": {"
        ),
        wrong: ["[0, 0]": "[0, 1]"])))
}
