public import AudioTypes

extension BatchRules {
  /// The patch of a job has no errors.
  public static let patch = Rule(
    "PR1202", "batch/patch",
    "the patch of a job is right",
    page: .init(
      "The patch that a job names can be read, and is right with the settings of the job.",
      because: """
        The path is relative to the manifest. What is wrong with a patch by itself is said by
        `patchrun validate`.
        """,
      example: .none("It is found in manifests and plans of batches, not in patches.")))
}
