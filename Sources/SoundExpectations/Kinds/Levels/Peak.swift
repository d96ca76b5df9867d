import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let peak = ExpectationKind(
    "peak", "The greatest sample, in dBFS.",
    rule: ExpectationRules.peak,
    bound: .init(.dBFS, in: -200...100),
    quantity: "peak", ofSound: { $0.peak() })
}

extension ExpectationRules {
  static let peak = Rule(
    "PR1121", "sound/peak",
    "the peak of a sound is within its bound",
    page: .init(
      "The greatest sample of the sound is within its bound.",
      because: """
        The magnitude of the greatest sample, in dBFS: 0 is full scale. Between samples
        the sound may be louder: truePeak says how loud.
        """,
      example: .expectation(
        right: "{ \"peak\": { \"atMost\": -6 } }", wrong: "{ \"peak\": { \"atMost\": -12 } }")))
}
