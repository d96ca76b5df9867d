import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let clipping = ExpectationKind(
    "clipping",
    "How many runs of samples are at full scale or beyond; none, where nothing is said.",
    rule: ExpectationRules.clipping,
    bound: .init(.count, in: 0...1e9, standard: .atMost(0)),
    shorthand: .atMost,
    measure: { expectation, patch throws(ExpectationProblem) in
      let sound = try patch.sound(for: expectation)
      return [.count("clipped runs", sound.clipped(), expectation.bound)]
    })
}

extension ExpectationRules {
  static let clipping = Rule(
    "PR1137", "sound/clipping",
    "a sound is not clipped",
    page: .init(
      "No two samples in a row are at full scale or beyond.",
      because: """
        What is louder than full scale is cut off by a converter, and by a file of
        integers. The number is that of the runs; allow some with a number in the place
        of 0.
        """,
      example: .expectation(
        right: "{ \"clipping\": 0 }", wrong: "{ \"clipping\": 0 }",
        wrongSettings: "\"/callbacks/tone/amplitude\": 2")))
}
