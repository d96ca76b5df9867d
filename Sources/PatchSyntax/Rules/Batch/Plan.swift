public import AudioTypes

extension BatchRules {
  /// A plan gives jobs.
  public static let plan = Rule(
    "PR1209", "batch/plan",
    "a plan gives jobs",
    page: .init(
      "A plan names patches and outputs, and its patterns find files.",
      because: """
        A plan is a file NAME.batch.json with `patch` or `patches`, `inputs`, `settings`, `draws`,
        `seed` and the members of jobs. A pattern that finds nothing would be a batch of nothing.
        """,
      example: .none("It is found in manifests and plans of batches, not in patches.")))
}
