import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let silence = ExpectationKind(
    "silence", "No sample is louder than -90 dBFS, or than `below`.",
    rule: ExpectationRules.silence,
    bound: .init(.dBFS, in: -200...0, standard: .atMost(-90), alias: .atMost("below")),
    shorthand: .yes,
    quantity: "loudest sample", ofSound: { $0.peak() })
}

extension ExpectationRules {
  static let silence = Rule(
    "PR1127", "sound/silence",
    "what is to be silent is silent",
    page: .init(
      "The sound is silent: no sample is louder than a bound, -90 dBFS where none is given.",
      because: """
        What a fade, a mute or a pause leaves behind is found here, with the sample that
        is loudest.
        """,
      example: .expectation(
        right: "{ \"silence\": true }", wrong: "{ \"silence\": { \"below\": -90 } }",
        rightSettings: "\"/callbacks/tone/amplitude\": 0")))
}
