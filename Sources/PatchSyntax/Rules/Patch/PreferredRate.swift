public import AudioTypes

extension PatchRules {
  /// The preferred sample rate is one that hardware can have.
  public static let preferredRate = Rule(
    "PR0609", "session/rate",
    "the rate that is preferred is one that hardware can have",
    statuses: [.parameterError],
    page: .init(
      "The rate that a session prefers is one that hardware can have: 1000 to 768000 Hz.",
      because: """
        A preference is a request, and what is granted may be something else; but a rate that no hardware
        has is a slip. What "session" means in stream formats is not known then, and what follows from it
        is not reported.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        """
        {
          "session": { "preferredSampleRate": 48000 },
          "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
          "callbacks": { "tone": { "kind": "tone" } },
          "nodes": { "io": { "component": "remoteIO" } },
          "connections": [ { "from": "tone", "to": "io" } ]
        }
        """, wrong: ["48000": "48"])))
}
