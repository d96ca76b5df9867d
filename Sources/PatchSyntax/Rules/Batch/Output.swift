public import AudioTypes

extension BatchRules {
  /// The outputs of a job can be written.
  public static let output = Rule(
    "PR1204", "batch/output",
    "the outputs of a job can be written",
    page: .init(
      "Every output of a job is a file below the folder of the batch, of a kind that can be written.",
      because: """
        The extension says what kind of file it is. A file that is there and was not written by
        patchrun is not replaced.
        """,
      example: .none("It is found in manifests and plans of batches, not in patches.")))
}
