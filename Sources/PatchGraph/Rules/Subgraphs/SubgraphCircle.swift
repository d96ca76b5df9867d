public import AudioTypes

extension NameRules {
  /// No patch is a sub-graph of itself.
  public static let subgraphCircle = Rule(
    "PR0222", "subgraph/circle",
    "no patch is a sub-graph of itself",
    statuses: [.invalidConnection],
    page: .init(
      "No patch is a sub-graph of itself, directly or through others.",
      because: """
        It would have no end. Two paths that lead to one file, a symbolic link say, are one patch.
        """,
      statusNote: Rule.Page.undocumented,
      example: .none("it takes a file that names itself")))
}
