public import AudioTypes

extension NameRules {
  /// A knob turns parameters that exist.
  public static let knobTarget = Rule(
    "PR0236", "knob/target",
    "a knob turns parameters that are there",
    statuses: [.invalidParameter],
    page: .init(
      "A knob turns parameters of its patch, settings of its callbacks, or knobs of its sub-graphs.",
      because: """
        What it turns is named as in the timeline, and takes its range and its unit from there. Several
        parameters can be turned by one knob if they are measured in the same unit. What is read and not
        set, as a meter is, no knob turns; nor does one turn a property.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.knobbed, wrong: ["/parameters/pan": "/parameters/pn"])))
}
