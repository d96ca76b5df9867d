public import AudioTypes

extension UnitRules {
  /// A stream format is set only where a client may set it: not on a hardware side, nor on an input
  /// that takes it from its connection.
  public static let formatWritable = Rule(
    "PR0403", "format/writable",
    "a stream format is set only where a client may set it: not on a hardware side, nor "
      + "on an input that takes it from its connection",
    statuses: [.propertyNotWritable],
    silencedBy: [.unreadNode, .format],
    page: .init(
      "A stream format is set where a client may set it: not on the device's own sides, and not on "
        + "an input that a connection feeds.",
      because: """
        A connection carries the format of its source to its destination on initialize, and from then
        on it owns it. Setting the very format that arrives changes nothing and is no mistake, as in Core
        Audio; any other is refused. The formats of the microphone and the loudspeaker themselves are what the
        hardware has; the unit converts between them and yours.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "\"nodes\": { \"io\": { \"component\": \"remoteIO\" } }",
          with: """
            "nodes": {
                "io": {
                  "component": "remoteIO",
                  "inputs": {
                    "0": { "streamFormat": { "sample": "int16", "channels": 2, "sampleRate": 44100 } }
                  }
                }
              }
            """),
        wrong: ["\"inputs\"": "\"outputs\""])))
}
