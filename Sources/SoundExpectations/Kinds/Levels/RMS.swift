import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let rms = ExpectationKind(
    "rms", "The root mean square of each channel, in dBFS.",
    rule: ExpectationRules.rms,
    bound: .init(.dBFS, in: -200...100),
    quantity: "level", ofSound: { $0.rms() })
}

extension ExpectationRules {
  static let rms = Rule(
    "PR1123", "sound/rms",
    "the level of a sound is within its bound",
    page: .init(
      "The root mean square of the sound is within its bound.",
      because: """
        In dBFS, a square wave of full scale being 0: a sine of full scale is -3.01.
        Each channel has to be within the bound.
        """,
      example: .expectation(
        right: "{ \"rms\": { \"near\": -9, \"within\": 0.5 } }",
        wrong: "{ \"rms\": { \"near\": -12, \"within\": 0.5 } }")))
}
