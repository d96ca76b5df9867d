import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let finite = ExpectationKind(
    "finite", "Every sample is a finite number.",
    rule: ExpectationRules.finite,
    bound: nil, shorthand: .yes,
    measure: { expectation, patch throws(ExpectationProblem) in
      let found = try patch.sound(for: expectation).nonFinite()
      return [
        MeasuredQuantity(
          "samples that are no finite numbers", .count,
          [.init(Double(found?.count ?? 0), at: found?.first ?? .init())], .atMost(0))
      ]
    })
}

extension ExpectationRules {
  static let finite = Rule(
    "PR1138", "sound/finite",
    "every sample is a finite number",
    page: .init(
      "Every sample is a finite number.",
      because: """
        A division by 0 or a filter that has run away puts out what is no number: the
        rest of the graph may never recover from it. Where the sound is looked at behind
        the output unit, such samples have become silence there; look at the node that
        makes them.
        """,
      example: .expectation(
        right: "{ \"at\": \"mixer\", \"finite\": true }",
        wrong: "{ \"at\": \"mixer\", \"finite\": true }",
        wrongSettings:
          "\"/callbacks/tone\": { \"kind\": \"expression\", \"value\": \"3e38\" }, \"/nodes/mixer/inputs\": { \"0\": { \"parameters\": { \"volume\": 9 } } }"
      )))
}
