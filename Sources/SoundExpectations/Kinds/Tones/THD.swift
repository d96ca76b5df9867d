import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let thd = ExpectationKind(
    "thd", "The harmonics of a sine beside it, in dB.",
    rule: ExpectationRules.thd,
    bound: .init(.decibels, in: -300...300),
    settings: .fundamental, quantity: "harmonic distortion",
    readings: { expectation, patch throws(ExpectationProblem) in
      try expectation.distortions(patch, \.thd)
    })
}

extension ExpectationRules {
  static let thd = Rule(
    "PR1134", "sound/thd",
    "the harmonics of a tone are within their bound",
    page: .init(
      "The harmonics of a tone are within their bound.",
      because: """
        The second to the tenth harmonic beside the fundamental, in dB. The sound has to
        be one sine: feed one.
        """,
      example: .expectation(
        right: "{ \"thd\": { \"atMost\": -60 } }", wrong: "{ \"thd\": { \"atMost\": -60 } }",
        wrongSettings: "\"/callbacks/tone/waveform\": \"square\"")))
}
