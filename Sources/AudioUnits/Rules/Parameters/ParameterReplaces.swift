public import AudioTypes

extension UnitRules {
  /// A parameter is not set together with a property that it replaces.
  public static let parameterReplaces = Rule(
    "PR0555", "parameter/replaces",
    "a parameter is not set where a property is that it takes the place of",
    severity: .warning,
    page: .init(
      "A parameter is not set where a property is that it takes the place of.",
      because: """
        A mixer's pan, once it is set, decides how an input is spread over the output, and its
        matrix is then not heard. Set the one that is meant.
        """,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"parameters\": { \"volume\": 0.8 }",
          with: "\"properties\": { \"matrixLevels\": [0, 1, 1, 0] }"),
        wrong: ["[0, 1, 1, 0] }": "[0, 1, 1, 0] }, \"parameters\": { \"pan\": 0.5 }"])))
}
