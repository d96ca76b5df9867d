public import AudioTypes

extension UnitRules {
  /// The input element of an I/O unit is used only when it is on.
  public static let inputElementEnabled = Rule(
    "PR0601", "io/input-enabled",
    "the input element of an I/O unit is used only when it is on",
    statuses: [.noConnection],
    silencedBy: [.unreadNode, .sides],
    page: .init(
      "The microphone side of an I/O unit is on where something takes from it.",
      because: """
        The input element is off until kAudioOutputUnitProperty_EnableIO turns it on, on the input scope of
        element 1. Where that is forgotten the microphone is silent, and nothing says why.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.microphone, wrong: ["\"enableIO\": true": "\"enableIO\": false"])))
}
