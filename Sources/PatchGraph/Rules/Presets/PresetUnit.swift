public import AudioTypes

extension NameRules {
  /// A preset is for the unit that it is made of.
  public static let presetUnit = Rule(
    "PR0235", "preset/unit",
    "a preset is for the kind of unit that it has been made of",
    statuses: [.invalidPropertyValue],
    page: .init(
      "A preset is for the kind of unit that it has been made of.",
      because: """
        It says what a unit's own parameters and properties are, by their names. Those of another
        unit are others, even where some names are the same. As Core Audio, which refuses a ClassInfo
        of another type or subtype.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.preset,
        wrong: ["\"component\": \"ParametricEQ\"": "\"component\": \"Delay\""])))
}
