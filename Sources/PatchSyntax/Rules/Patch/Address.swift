public import AudioTypes

extension PatchRules {
  /// An address is node, node:bus or node:name.
  public static let address = Rule(
    "PR0105", "patch/address",
    "an address is node, node:bus or node:name",
    page: .init(
      "An address is a name, or a name and a bus: mixer, mixer:1, mixer:Voice.",
      because: """
        A bus is meant by its number, or by its elementName. The microphone is io:1, the loudspeaker io:0;
        io alone is io:0.
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["\"mixer:0\"": "\"mixer:-1\""])))
}
