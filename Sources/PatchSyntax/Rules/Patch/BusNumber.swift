public import AudioTypes

extension PatchRules {
  /// The keys of inputs and outputs are bus numbers.
  public static let busNumber = Rule(
    "PR0106", "patch/bus-number",
    "the keys of inputs and outputs are bus numbers",
    page: .init(
      "The keys of \"inputs\" and \"outputs\" are bus numbers, without leading zeros.",
      because: """
        They are the element numbers of AudioUnitSetProperty. With one spelling for each of them a
        JSON Pointer such as /nodes/mixer/inputs/0 always finds its setting.
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["{ \"0\": {": "{ \"00\": {"])))
}
