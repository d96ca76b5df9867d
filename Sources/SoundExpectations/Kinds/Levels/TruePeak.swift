import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let truePeak = ExpectationKind(
    "truePeak", "The greatest value between samples as well, in dBTP.",
    rule: ExpectationRules.truePeak,
    bound: .init(.dBTP, in: -200...100),
    quantity: "true peak", ofSound: { $0.truePeak() })
}

extension ExpectationRules {
  static let truePeak = Rule(
    "PR1122", "sound/true-peak",
    "the true peak of a sound is within its bound",
    page: .init(
      "The true peak of the sound is within its bound.",
      because: """
        The greatest value between samples as well as at them, in dBTP: what a converter
        has to put out (ITU-R BS.1770-4, annex 2). Platforms that take music ask for -1
        dBTP or less.
        """,
      example: .expectation(
        right: "{ \"truePeak\": { \"atMost\": -1 } }", wrong: "{ \"truePeak\": { \"atMost\": -9 } }"
      )))
}
