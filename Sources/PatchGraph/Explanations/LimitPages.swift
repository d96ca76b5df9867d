import Diagnostics

extension Explanation {
  /// What is said of the limits of a patch.
  static let limitPages: [Explanation] = [
    Explanation(
      "PR0611",
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
        """, wrong: ["\"-6 dB\"": "-6"])),
    Explanation(
      "PR0612", "What a request or an OSC message sets is no louder than the patch allows.",
      because: """
        The volume of a mixer takes any number, as Core Audio's does, and a slip of a zero, or a controller
        with other units, can be heard through the house. What comes to a patch that plays by HTTP or OSC
        may therefore set gains of up to 40 dB, or what "requestedGain" of its "limits" says. What the patch
        itself says from the start, in its file, is its author's affair. Whatever the gains are,
        "outputPeak" holds.
        """,
      example: .none(
        "It is about what is asked of a patch that plays: one that is written has none.")),
  ]
}
