public import AudioTypes

extension NameRules {
  /// A callback has no buses to choose from.
  public static let callbackBus = Rule(
    "PR0207", "connection/callback-bus",
    "a callback has no buses to choose from",
    statuses: [.invalidConnection],
    page: .init(
      "A callback has one output, and no buses to choose from.",
      because: "An AURenderCallback fills the one buffer list that it is given.",
      statusNote: Rule.Page.undocumented,
      example: .patch(ExamplePatches.tone, wrong: ["\"from\": \"tone\"": "\"from\": \"tone:1\""])))
}
