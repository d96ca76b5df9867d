public import AudioTypes

extension BatchRules {
  /// A normalized output reaches its loudness.
  public static let loudness = Rule(
    "PR1207", "batch/loudness",
    "what is normalized reaches its loudness",
    severity: .warning,
    page: .init(
      "A job that is normalized reaches the loudness that it asks for below the true peak that it allows.",
      because: """
        A sound with high peaks can have the one or the other: its gain stays as low as the peak
        demands, and the record says how loud it is. A limiter in the patch lowers the peaks. What
        is silent has no loudness.
        """,
      example: .none("It is found in manifests and plans of batches, not in patches.")))
}
