public import AudioTypes

extension NameRules {
  /// The range of a knob lies in that of what it turns.
  public static let knobRange = Rule(
    "PR0237", "knob/range",
    "a knob narrows the range of what it turns, and does not widen it",
    statuses: [.invalidParameter],
    page: .init(
      "The range of a knob lies in that of what it turns.",
      because: """
        Its ends are values that each of the parameters may have, 'min' not above 'max'. What is left out
        is as the parameter has it.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(ExamplePatches.knobbed, wrong: ["\"max\": 0.5": "\"max\": 5"])))
}
