public import AudioTypes

extension UnitRules {
  /// A parameter's value lies in its described range.
  public static let parameterRange = Rule(
    "PR0552", "parameter/range",
    "a parameter's value lies in its described range",
    statuses: [.invalidParameter],
    page: .init(
      "A parameter lies in the range that the unit describes for it.",
      because: """
        Pan goes from -1 to 1, azimuth from -180° to 180°. Apple's base class takes any value and does not
        clip it, so that each unit would do something of its own. A mixer's volume may be any finite
        number.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.mixer.replacing("\"volume\": 0.8", with: "\"pan\": -1"),
        wrong: ["\"pan\": -1": "\"pan\": -100"])))
}
