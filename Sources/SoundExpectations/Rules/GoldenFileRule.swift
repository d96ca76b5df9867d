public import AudioTypes

extension ExpectationRules {
  public static let goldenFile = Rule(
    "PR1108", "test/golden",
    "a golden file is there",
    page: .init(
      "The golden of an expectation is there and can be read.",
      because: """
        `patchrun test --bless` writes the goldens that are missing, and those that no
        longer hold.
        """,
      example: .none(
        "A golden is a sound file beside the test file: nothing of it can be shown here.")))
}
