public import AudioTypes

extension UnitRules {
  /// Converters and output units take a rate down to a 256th at most.
  public static let converterStep = Rule(
    "PR0421", "format/converter-step",
    "what converts rates takes them down to a 256th at most",
    statuses: [.formatNotSupported],
    silencedBy: [.unreadNode, .session, .format],
    page: .init(
      "Converters and output units take a rate down to a 256th at most.",
      because: """
        The filter of a conversion grows with the step down, and beyond that it would be longer than what
        it is good for. Two converters in a row go further. Upwards there is no limit.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        farDown, wrong: ["\"sampleRate\": 1000 ": "\"sampleRate\": 100 "])))

  /// A converter to a very low rate, in front of another.
  private static let farDown = """
    {
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "low": {
          "component": "FormatConverter",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 44100 } }
          },
          "outputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 1000 } }
          }
        },
        "back": {
          "component": "FormatConverter",
          "properties": { "maximumFramesPerSlice": 4096 },
          "outputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 44100 } }
          }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "low" },
        { "from": "low", "to": "back" },
        { "from": "back", "to": "io" }
      ]
    }
    """
}
