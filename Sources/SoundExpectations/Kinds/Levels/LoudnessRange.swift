import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let range = ExpectationKind(
    "range", "How far soft and loud parts are apart, in LU (EBU Tech 3342).",
    rule: ExpectationRules.range,
    bound: .init(.loudnessUnits, in: 0...100),
    quantity: "loudness range",
    ofSound: { sound throws(ExpectationProblem) in
      guard sound.duration >= 3, let value = sound.loudnessRange() else {
        throw .tooShort(3, sound)
      }
      return [.init(value)]
    })
}

extension ExpectationRules {
  static let range = Rule(
    "PR1126", "sound/range",
    "the loudness range of a sound is within its bound",
    page: .init(
      "The loudness range of the sound is within its bound.",
      because: """
        How far soft and loud parts are apart, in LU (EBU Tech 3342): a film has 20,
        speech that is heard in a car less than 8.
        """,
      example: .expectation(
        right: "{ \"range\": { \"atMost\": 3 } }", wrong: "{ \"range\": { \"atLeast\": 6 } }",
        duration: 5)))
}
