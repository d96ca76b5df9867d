public import AudioTypes

extension PatchRules {
  /// An address is node or node:bus.
  public static let address = Rule(
    "PR0105", "patch/address",
    "an address is node or node:bus",
    page: .init(
      "An address is a name, or a name and a bus number: mixer, mixer:1.",
      because: """
        Buses have numbers and no names. The microphone is io:1, the loudspeaker io:0; io alone is
        io:0.
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["\"mixer:0\"": "\"mixer:left\""])))
}
