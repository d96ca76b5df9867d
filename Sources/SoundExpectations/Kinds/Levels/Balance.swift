import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let balance = ExpectationKind(
    "balance", "How much louder one channel is than another, in dB.",
    rule: ExpectationRules.balance,
    bound: .init(.decibels, in: -200...200),
    settings: .channelPair, quantity: "balance",
    readings: { expectation, patch throws(ExpectationProblem) in
      let (sound, first, second) = try expectation.soundAndChannels(patch)
      return [.init(sound.balance(of: first, and: second))]
    })
}

extension ExpectationRules {
  static let balance = Rule(
    "PR1130", "sound/balance",
    "two channels are as loud beside each other as their bound says",
    page: .init(
      "The level of one channel beside another is within its bound.",
      because: """
        In dB, the first channel above the second: 0 is the middle. A pan that has
        slipped or a channel that is lost shows here.
        """,
      example: .expectation(
        right: "{ \"balance\": { \"near\": 0, \"within\": 0.1 } }",
        wrong: "{ \"balance\": { \"near\": 6, \"within\": 0.1 } }")))
}
