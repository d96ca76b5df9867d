public import AudioTypes

extension PatchRules {
  /// A patch has at least one node.
  public static let emptyNodes = Rule(
    "PR0108", "patch/empty-nodes",
    "a patch has at least one node",
    page: .init(
      "A patch has a node.",
      because: "Without one there is nothing to run: AUGraphInitialize would find no output unit.",
      example: .patch(
        ExamplePatches.tone,
        wrong: [
          "\"nodes\": { \"io\": { \"component\": \"remoteIO\" } }": "\"nodes\": {}",
          "[ { \"from\": \"tone\", \"to\": \"io\" } ]": "[]",
          "  \"callbacks\": { \"tone\": { \"kind\": \"tone\", \"frequency\": 440 } },\n": "",
        ])))
}
