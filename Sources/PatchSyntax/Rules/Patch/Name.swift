public import AudioTypes

extension PatchRules {
  /// Names are not empty and have no colon.
  public static let name = Rule(
    "PR0107", "patch/name",
    "names are not empty and have no colon",
    page: .init(
      "A name is not empty, and the name of a node or a callback has no colon.",
      because:
        "Nothing can refer to an empty name. A colon separates a name from its bus: mix:1 is bus 1 of 'mix'.",
      example: .patch(
        ExamplePatches.tapped, wrong: ["\"mix\": {": "\"\": {"])))
}
