public import AudioTypes

extension NameRules {
  /// An address names a node or a callback of the patch.
  public static let unknownName = Rule(
    "PR0203", "name/known",
    "an address names a node or a callback of the patch",
    statuses: [.nodeNotFound],
    page: .init(
      "An address names a node or a callback of the patch.",
      because: """
        AUGraphConnectNodeInput answers so when a graph does not know the node. In a patch it is a
        name that was misspelled, or a node that was removed while its connections stayed.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"to\": \"io\"": "\"to\": \"oi\""])))
}
