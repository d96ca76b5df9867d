import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let correlation = ExpectationKind(
    "correlation", "How alike two channels are: 1 the same, -1 one is the other turned over.",
    rule: ExpectationRules.correlation,
    bound: .init(.plain, in: -1...1),
    settings: .channelPair, quantity: "correlation",
    readings: { expectation, patch throws(ExpectationProblem) in
      let (sound, first, second) = try expectation.soundAndChannels(patch)
      guard let value = sound.correlation(of: first, and: second) else {
        throw ExpectationProblem(
          "a silent channel is like no other",
          help: ["expect { \"notSilent\": true } as well: it says which channel is silent"])
      }
      return [.init(value)]
    })
}

extension ExpectationRules {
  static let correlation = Rule(
    "PR1131", "sound/correlation",
    "two channels are as alike as their bound says",
    page: .init(
      "The correlation of two channels is within its bound.",
      because: """
        From 1, the same, over 0, nothing in common, to -1, one is the other turned
        over: what is below 0 gets soft or vanishes where somebody listens in mono.
        """,
      example: .expectation(
        right: "{ \"correlation\": { \"atLeast\": 0 } }",
        wrong: "{ \"correlation\": { \"atMost\": 0.5 } }")))
}
