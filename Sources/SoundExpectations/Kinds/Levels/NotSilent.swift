import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let notSilent = ExpectationKind(
    "notSilent", "Every channel has a sample louder than -60 dBFS, or than `above`.",
    rule: ExpectationRules.notSilent,
    bound: .init(.dBFS, in: -200...0, standard: .atLeast(-60), alias: .atLeast("above")),
    shorthand: .yes,
    quantity: "loudest sample", ofSound: { $0.peak() })
}

extension ExpectationRules {
  static let notSilent = Rule(
    "PR1128", "sound/not-silent",
    "what is to be heard is heard",
    page: .init(
      "The sound is heard: each channel has a sample louder than a bound, -60 dBFS where none is given.",
      because: """
        A test that checks only what must not be there passes for a patch that plays
        nothing at all. This one notices: a source that is not connected, a volume of 0,
        a file that has moved.
        """,
      example: .expectation(
        right: "{ \"notSilent\": true }", wrong: "{ \"notSilent\": true }",
        wrongSettings: "\"/callbacks/tone/amplitude\": 0")))
}
