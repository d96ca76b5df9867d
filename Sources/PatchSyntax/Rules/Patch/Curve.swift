public import AudioTypes

extension PatchRules {
  /// A ramp is linear, or exponential and on one side of zero.
  public static let curve = Rule(
    "PR0804", "timeline/curve",
    "a ramp is linear, or exponential and on one side of zero",
    page: .init(
      "A ramp is linear, or exponential and on one side of zero.",
      because: """
        An exponential ramp changes by the same factor in each frame, as loudness and pitch are heard.
        No factor leads to 0 or through it: begin or end at a small value, such as 0.0001, which is -80
        dB. Where what it begins at is only known while the patch runs, and turns out to be on the other
        side, the ramp is a straight line.
        """,
      example: .patch(ExamplePatches.beating, wrong: ["\"to\": 0.001": "\"to\": 0"])))
}
