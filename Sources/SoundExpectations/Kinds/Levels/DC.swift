import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let dc = ExpectationKind(
    "dc", "The mean of the samples, in dBFS: at most -60 where nothing is said.",
    rule: ExpectationRules.dc,
    bound: .init(.dBFS, in: -200...0, standard: .atMost(-60)),
    shorthand: .yes,
    quantity: "mean of the samples", ofSound: { $0.dc() })
}

extension ExpectationRules {
  static let dc = Rule(
    "PR1129", "sound/dc",
    "a sound has no more direct current than its bound allows",
    page: .init(
      "The mean of the samples of each channel is within its bound, -60 dBFS at most where none is given.",
      because: """
        A mean that is not 0 takes headroom and clicks where the sound begins and ends.
        A filter that is missing, a rectifier or a wrong fixed-point format would leave
        one.
        """,
      example: .expectation(
        right: "{ \"dc\": true }", wrong: "{ \"dc\": true }",
        wrongSettings: "\"/callbacks/tone\": { \"kind\": \"expression\", \"value\": \"0.1\" }")))
}
