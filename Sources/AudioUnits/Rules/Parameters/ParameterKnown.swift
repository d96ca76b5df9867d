public import AudioTypes

extension UnitRules {
  /// A parameter is one that the scope of the unit has.
  public static let parameterKnown = Rule(
    "PR0551", "parameter/known",
    "a parameter is one that the scope of the unit has",
    statuses: [.invalidParameter],
    page: .init(
      "A parameter is one that the unit has on this scope.",
      because: """
        A mixer's volume is on its inputs and on its output, and not on the node itself. Set on the
        global scope, where there is none, it would do nothing. Properties stand under \"properties\".
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["\"volume\"": "\"volum\""])))
}
