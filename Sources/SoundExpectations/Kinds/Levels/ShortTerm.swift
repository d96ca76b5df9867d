import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let shortTerm = ExpectationKind(
    "shortTerm", "The loudness of every three seconds, in LUFS.",
    rule: ExpectationRules.shortTerm,
    bound: .init(.lufs, in: -100...20),
    quantity: "short-term loudness",
    ofSound: { sound throws(ExpectationProblem) in
      guard let found = sound.shortTermLoudness() else { throw .tooShort(3, sound) }
      return [found.least, found.greatest]
    })
}

extension ExpectationRules {
  static let shortTerm = Rule(
    "PR1125", "sound/short-term",
    "the short-term loudness of a sound is within its bound",
    page: .init(
      "The short-term loudness of the sound never leaves its bound.",
      because: """
        Of three seconds at a time, in LUFS (EBU Tech 3341): atMost holds for the
        loudest three seconds, atLeast for the softest.
        """,
      example: .expectation(
        right: "{ \"shortTerm\": { \"atMost\": -5 } }",
        wrong: "{ \"shortTerm\": { \"atMost\": -20 } }", duration: 4)))
}
