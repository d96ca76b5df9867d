import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let thdn = ExpectationKind(
    "thdn", "All but the sine beside the whole, in dB.",
    rule: ExpectationRules.thdn,
    bound: .init(.decibels, in: -300...300),
    settings: .fundamental, quantity: "distortion and noise",
    readings: { expectation, patch throws(ExpectationProblem) in
      try expectation.distortions(patch, \.thdn)
    })
}

extension ExpectationRules {
  static let thdn = Rule(
    "PR1135", "sound/thdn",
    "distortion and noise are within their bound",
    page: .init(
      "All that is not the tone is within its bound.",
      because: """
        Distortion, hum and noise from 20 Hz to 20 kHz beside the whole, in dB (as AES17
        has it). The sound has to be one sine: feed one.
        """,
      example: .expectation(
        right: "{ \"thdn\": { \"atMost\": -60 } }", wrong: "{ \"thdn\": { \"atMost\": -60 } }",
        wrongSettings: "\"/callbacks/tone/waveform\": \"square\"")))
}
