public import AudioTypes

extension CostRules {
  /// The repetitions of a timeline add no more steps than the limit allows.
  public static let steps = Rule(
    "PR0233", "limit/steps",
    "the repetitions of a timeline add no more steps than the limit allows",
    page: .init(
      "The repetitions of a timeline add no more steps than the limit: 100000.",
      because: """
        Each time that a step is repeated is a step of its own, which is kept until it comes, and a number
        in the patch makes a million of them. `--limit steps=500000` allows more.
        """,
      example: .patch(
        ExamplePatches.repeated, wrong: ["\"count\": 8": "\"count\": 800000"])))
}
