public import AudioTypes

extension UnitRules {
  /// A meter is read, not set.
  public static let parameterReadOnly = Rule(
    "PR0553", "parameter/read-only",
    "a meter is read, not set",
    statuses: [.invalidParameter],
    page: .init(
      "A meter is read, and not set.",
      because: """
        The levels that a mixer measures are parameters of Core Audio, so that a program can ask for
        them. They are measured once meteringMode is on.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"parameters\": { \"volume\": 0.8 }", with: "\"properties\": { \"meteringMode\": true }"),
        wrong: [
          "\"properties\": { \"meteringMode\": true }":
            "\"parameters\": { \"preAveragePower\": -20 }"
        ])))
}
