public import AudioTypes

extension UnitRules {
  /// A property is set on a scope that it exists on.
  public static let propertyScope = Rule(
    "PR0502", "property/scope",
    "a property is set on a scope that it exists on",
    statuses: [.invalidScope],
    page: .init(
      "A property is set on a scope that has it.",
      because: """
        \"properties\" of a node is the global scope, those inside \"inputs\" and \"outputs\" are the
        other two. The same property on another scope is none: -10866.
        """,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"inputs\": { \"0\": { \"parameters\": { \"volume\": 0.8 } } }",
          with: "\"inputs\": { \"0\": { \"properties\": { \"meteringMode\": true } } }"),
        wrong: [
          "\"maximumFramesPerSlice\": 4096":
            "\"maximumFramesPerSlice\": 4096, \"matrixLevels\": [1, 0, 0, 1]"
        ])))
}
