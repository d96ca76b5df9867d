public import AudioTypes

extension BatchRules {
  /// The settings of a job fit its patch.
  public static let settings = Rule(
    "PR1205", "batch/settings",
    "the settings of a job fit its patch",
    page: .init(
      "What a job sets is in its patch, and what the patch becomes is right.",
      because: """
        `settings` are made as by --set, each by the JSON Pointer of a value.
        """,
      example: .none("It is found in manifests and plans of batches, not in patches.")))
}
