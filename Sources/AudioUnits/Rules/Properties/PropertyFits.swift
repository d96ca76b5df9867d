public import AudioTypes

extension UnitRules {
  /// A property fits the stream formats of its unit.
  public static let propertyFits = Rule(
    "PR0509", "property/fits",
    "a property fits the stream formats of its unit",
    statuses: [.invalidPropertyValue],
    silencedBy: [.unreadNode, .format],
    page: .init(
      "A property fits the stream formats of its unit.",
      because: """
        The matrix of a mixer's input has a level for each pair of a channel that comes in and one that
        leaves. Which formats there are is settled on initialize, and so it is found there.
        """,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"parameters\": { \"volume\": 0.8 }",
          with: "\"properties\": { \"matrixLevels\": [0, 1, 1, 0] }"),
        wrong: ["[0, 1, 1, 0]": "[0, 1]"])))
}
