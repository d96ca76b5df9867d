public import AudioTypes

extension NameRules {
  /// A tap watches a bus of a node.
  public static let tapPlace = Rule(
    "PR0212", "tap/place",
    "a tap watches a bus of a node",
    page: .init(
      "A tap watches an output of a node.",
      because: """
        It is a render notification, and those belong to units (AudioUnitAddRenderNotify). What a
        callback puts out is heard at the unit that it feeds.
        """,
      example: .patch(ExamplePatches.tapped, wrong: ["\"at\": \"mixer\"": "\"at\": \"tone\""])))
}
