public import AudioTypes

extension NameRules {
  /// A sub-graph names a patch that can be read.
  public static let subgraphFile = Rule(
    "PR0221", "subgraph/file",
    "a sub-graph names a patch that can be read",
    statuses: [.fileNotFound, .filePermission, .invalidFile], isStatusUsual: false,
    page: .init(
      "A sub-graph names a patch that can be read.",
      because: """
        Its path is relative to the patch that it is written in, and it is read with that patch: a
        regular file, with sub-graphs of its own if it has any. What is wrong in it is said of its
        own lines, once however often it is used.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(ExamplePatches.strip, wrong: ["parts/strip.json": "parts/stripe.json"])))
}
