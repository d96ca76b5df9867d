public import AudioTypes

extension BatchRules {
  /// The inputs of a job can be read.
  public static let input = Rule(
    "PR1203", "batch/input",
    "the inputs of a job can be read",
    page: .init(
      "Every input of a job is a file that can be read, and the patch has a place for it.",
      because: """
        `inputs` names the files by the JSON Pointer of the path in the patch that each takes the
        place of, or `microphone`. Their paths are relative to the manifest, and their bytes are a
        part of the job's key.
        """,
      example: .none("It is found in manifests and plans of batches, not in patches.")))
}
