public import AudioTypes

extension PatchRules {
  /// A thing is written in one of its forms, not in two.
  public static let exclusive = Rule(
    "PR0110", "patch/exclusive",
    "a thing is written in one of its forms, not in two",
    page: .init(
      "A thing that can be written in several forms is written in one of them.",
      because: """
        A stream format with \"channels\" and with mChannelsPerFrame could say two things at once, a
        step of the timeline with two actions leaves their order open. A node is a unit or a sub-graph:
        a unit has its scopes, and a sub-graph \"settings\".
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: ["\"channels\": 2,": "\"channels\": 2, \"mChannelsPerFrame\": 1,"])))
}
