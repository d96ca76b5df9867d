public import AudioTypes

extension NameRules {
  /// A parameter is turned by one knob, or set by its place.
  public static let knobApart = Rule(
    "PR0240", "knob/apart",
    "what a knob turns is not set by its place as well",
    statuses: [.invalidParameter],
    page: .init(
      "A parameter is turned by one knob, or set by its place in the sub-graph.",
      because: """
        The patch around a sub-graph would say two things about one parameter: with both knob and "settings",
        with both knob and a ramp that leads into the sub-graph, or with two knobs of it that turn the same.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.turned,
        wrong: [
          "/nodes/eq/properties/presentPreset": "/nodes/fader/inputs/0/parameters/volume",
          "\"Rock\"": "0.5",
        ])))
}
