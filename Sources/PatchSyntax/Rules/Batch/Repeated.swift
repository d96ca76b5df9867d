public import AudioTypes

extension BatchRules {
  /// No two jobs have one id or one output.
  public static let repeated = Rule(
    "PR1208", "batch/repeated",
    "an id and an output are those of one job",
    page: .init(
      "No two jobs of a manifest have the same id, or write the same file.",
      because: """
        Of two that do, whichever is rendered last would be what is there.
        """,
      example: .none("It is found in manifests and plans of batches, not in patches.")))
}
