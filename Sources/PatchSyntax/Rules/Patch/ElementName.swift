public import AudioTypes

extension PatchRules {
  /// A name behind the colon of an address is that of one element.
  public static let elementName = Rule(
    "PR0115", "patch/element-name",
    "a name behind the colon of an address is that of one element of the node",
    statuses: [.invalidElement],
    page: .init(
      "A name behind the colon is the elementName of one element: mixer:Voice.",
      because: """
        "inputs": { "0": { "properties": { "elementName": "Voice" } } } names input 0 of a node. An address may
        have that name in the place of the number. A "to" means an input, everything else an output.
        """,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"parameters\": { \"volume\": 0.8 }",
          with: "\"properties\": { \"elementName\": \"Voice\" }"
        ).replacing("\"mixer:0\"", with: "\"mixer:Voice\""),
        wrong: ["\"mixer:Voice\"": "\"mixer:Vocie\""])))
}
