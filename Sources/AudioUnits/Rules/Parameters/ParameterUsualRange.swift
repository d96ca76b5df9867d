public import AudioTypes

extension UnitRules {
  /// A parameter's value lies in its usual range.
  public static let parameterUsualRange = Rule(
    "PR0554", "parameter/usual-range",
    "a parameter's value lies in its usual range",
    severity: .warning,
    page: .init(
      "A parameter lies in its usual range: a mixer's volume from 0 to 1.",
      because: """
        A volume above 1 is allowed and makes a sound louder than it came, which clips where the
        sample type is an integer. One below 0 turns the wave over. The volumes of the input and of
        the output multiply.
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["\"volume\": 0.8": "\"volume\": 2"])))
}
