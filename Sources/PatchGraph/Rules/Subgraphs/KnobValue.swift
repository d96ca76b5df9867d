public import AudioTypes

extension NameRules {
  /// A knob is set and ramped within its range.
  public static let knobValue = Rule(
    "PR0239", "knob/value",
    "a knob is set and ramped within its range",
    statuses: [.invalidParameter],
    page: .init(
      "A knob is set and ramped to values in its range.",
      because: """
        That is the range of what it turns, or a narrower one which the patch of the sub-graph says. With
        several parameters it is what all of them may be.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(ExamplePatches.turned, wrong: ["\"level\": 0.5": "\"level\": 5"])))
}
