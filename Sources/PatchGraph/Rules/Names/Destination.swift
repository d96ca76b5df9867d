public import AudioTypes

extension NameRules {
  /// A connection ends at a node.
  public static let destination = Rule(
    "PR0206", "connection/destination",
    "a connection ends at a node",
    statuses: [.invalidConnection],
    page: .init(
      "A connection ends at a node.",
      because: """
        A callback has no input: a host calls it when a bus wants samples. What a processing callback
        pulls is its own \"from\".
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.ringModulated,
        wrong: [
          "[ {": "[ { \"from\": \"tone\", \"to\": \"ring\" }, {"
        ])))
}
