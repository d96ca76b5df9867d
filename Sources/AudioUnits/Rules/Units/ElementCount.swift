public import AudioTypes

extension UnitRules {
  /// The number of buses is one that the unit can have.
  public static let elementCount = Rule(
    "PR0508", "unit/element-count",
    "the number of buses is one that the unit can have",
    statuses: [.invalidPropertyValue, .propertyNotWritable],
    page: .init(
      "The number of buses is one that the unit can have.",
      because: """
        A mixer's inputs can be counted anew, from 1 up. Effects, converters and I/O units have a
        fixed number: -10865 is returned for those.
        """,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"component\": \"MultichannelMixer\",",
          with: "\"component\": \"MultichannelMixer\",\n      \"inputCount\": 2,"),
        wrong: ["\"inputCount\": 2": "\"inputCount\": 0"])))
}
