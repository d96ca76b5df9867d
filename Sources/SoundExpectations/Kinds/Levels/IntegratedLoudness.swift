import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let integratedLoudness = ExpectationKind(
    "integratedLoudness", "The loudness of the whole, in LUFS (EBU R 128).",
    rule: ExpectationRules.integratedLoudness,
    bound: .init(.lufs, in: -100...20),
    quantity: "integrated loudness",
    ofSound: { sound throws(ExpectationProblem) in
      guard sound.duration >= 0.4 else { throw .tooShort(0.4, sound) }
      return [.init(sound.integratedLoudness() ?? -.infinity)]
    })
}

extension ExpectationRules {
  static let integratedLoudness = Rule(
    "PR1124", "sound/integrated-loudness",
    "the integrated loudness of a sound is within its bound",
    page: .init(
      "The integrated loudness of the sound is within its bound.",
      because: """
        Of the whole programme, with its gate, in LUFS (ITU-R BS.1770-4, EBU R 128). A
        podcast is made for -16 LUFS, television for -23. Sound shorter than 0.4 s has
        none.
        """,
      example: .expectation(
        right: "{ \"integratedLoudness\": { \"near\": -6, \"within\": 1 } }",
        wrong: "{ \"integratedLoudness\": { \"near\": -16, \"within\": 1 } }")))
}
