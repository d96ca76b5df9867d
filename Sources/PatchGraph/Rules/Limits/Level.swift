import AudioTypes

extension LimitRules {
  /// A limit is a level in its range.
  static let level = Rule(
    "PR0611", "limits/level",
    "a limit is a level that there is",
    page: .init(
      "A limit is a level that there is: \"outputPeak\" -120 to 0 dB, \"requestedGain\" -120 to 120 dB.",
      because: """
        A level is a text, a number of decibels with "dB" or "dBFS" behind it, or a number above 0 of which
        1 is full scale: "-6 dB" is 0.501. A number below 0 is a slip for decibels, and a peak above full
        scale is no limit, as a device holds no more.
        """,
      example: .patch(
        """
        {
          "limits": { "outputPeak": "-6 dB" },
          "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
          "callbacks": { "tone": { "kind": "tone" } },
          "nodes": { "io": { "component": "remoteIO" } },
          "connections": [ { "from": "tone", "to": "io" } ]
        }
        """, wrong: ["\"-6 dB\"": "-6"])))
}
