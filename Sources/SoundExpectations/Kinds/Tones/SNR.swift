import AudioTypes
import RenderCore
import SoundMeasures

extension ExpectationKind {
  public static let snr = ExpectationKind(
    "snr",
    """
    A sine beside the noise, in dB.
    """,
    rule: ExpectationRules.snr,
    bound: .init(.decibels, in: -300...300),
    settings: .fundamental,
    measure: { expectation, patch throws(ExpectationProblem) in
      [
        MeasuredQuantity(
          "signal to noise", .decibels,
          try expectation.distortions(patch).map {
            .init($0.snr, at: .init(channel: $0.channel, frequency: $0.frequency))
          }, expectation.bound)
      ]
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
