public import AudioTypes

extension CostRules {
  /// The updates of a timeline make no more text than the limit allows.
  public static let updates = Rule(
    "PR0229", "limit/updates",
    "the updates of a timeline make no more text than the limit allows",
    page: .init(
      "The documents that the updates of a timeline make have no more text than the limit: 32 MB.",
      because: """
        Each update makes a whole document of the one before, which is read, checked and kept until its
        time comes. What is counted are the bytes of these documents, and 512 more for each node, callback
        and tap in them. Of the timeline each has only what comes until the next update.
        `--limit updates=200M` allows more.
        """,
      example: .none("It takes some thousand updates, or a large patch with hundreds.")))
}
