public import AudioTypes

extension BatchRules {
  /// A job can be rendered to its end.
  public static let render = Rule(
    "PR1206", "batch/render",
    "a job can be rendered to its end",
    page: .init(
      "The patch of a job renders to its end, without samples that are no numbers.",
      because: """
        A patch that does not end by itself needs a `duration`. A job that fails leaves nothing
        under the names of its outputs, and the others go on; `patchrun batch retry` does it
        again.
        """,
      example: .none("It is found in manifests and plans of batches, not in patches.")))
}
