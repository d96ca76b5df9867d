public import AudioTypes

extension NameRules {
  /// A knob that is set or ramped is declared.
  public static let knobKnown = Rule(
    "PR0238", "knob/known",
    "a knob that is set or ramped is one that the sub-graph's patch declares",
    statuses: [.invalidParameter],
    page: .init(
      "A knob is declared by the patch of the sub-graph before it is set or ramped.",
      because: """
        A sub-graph shows what it wants to have turned under "knobs". What has no knob can still be set by its
        place in the sub-graph: in "settings", or with a pointer that goes on into it.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(ExamplePatches.turned, wrong: ["\"level\"": "\"levl\""])))
}
