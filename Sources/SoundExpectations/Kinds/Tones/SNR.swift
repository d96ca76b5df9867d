import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let snr = ExpectationKind(
    "snr", "A sine beside the noise, in dB.",
    rule: ExpectationRules.snr,
    bound: .init(.decibels, in: -300...300),
    settings: .fundamental, quantity: "signal to noise",
    readings: { expectation, patch throws(ExpectationProblem) in
      try expectation.distortions(patch, \.snr)
    })
}

extension ExpectationRules {
  static let snr = Rule(
    "PR1136", "sound/snr",
    "a tone is so much louder than the noise as its bound says",
    page: .init(
      "A tone is so much louder than the noise as its bound says.",
      because: """
        The fundamental beside what is neither it nor one of its harmonics, in dB. The
        sound has to be one sine: feed one.
        """,
      example: .expectation(
        right: "{ \"snr\": { \"atLeast\": 60 } }", wrong: "{ \"snr\": { \"atLeast\": 60 } }",
        wrongSettings: "\"/callbacks/tone\": { \"kind\": \"noise\", \"amplitude\": 0.1 }")))
}
