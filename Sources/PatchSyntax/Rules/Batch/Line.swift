public import AudioTypes

extension BatchRules {
  /// A line of a manifest is a job.
  public static let line = Rule(
    "PR1201", "batch/line",
    "a line of a manifest is a job",
    page: .init(
      "Each line of a manifest is one job, with members that there are.",
      because: """
        A job has an `id` and a `patch`, and may have `settings`, `inputs`, `duration`, `output`,
        `format`, `quality`, `normalize` and `measure`. A line that is none is a failed job of the
        batch, and the others are rendered.
        """,
      example: .none("It is found in manifests and plans of batches, not in patches.")))
}
