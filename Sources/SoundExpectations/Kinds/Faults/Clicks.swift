import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let clicks = ExpectationKind(
    "clicks", "How many clicks there are; none, where nothing is said.",
    rule: ExpectationRules.clicks,
    bound: .init(.count, in: 0...1e9, standard: .atMost(0)),
    shorthand: .atMost,
    measure: { expectation, patch throws(ExpectationProblem) in
      let sound = try patch.sound(for: expectation)
      let places = sound.clicks().map {
        SoundPlace(channel: $0.channel, frames: $0.frame..<($0.frame + 1))
      }
      return [.count("clicks", places, expectation.bound)]
    })
}

extension ExpectationRules {
  static let clicks = Rule(
    "PR1139", "sound/clicks",
    "a sound has no clicks",
    page: .init(
      "No sample stands out of those around it as a click does.",
      because: """
        A buffer that is lost, a value that jumps, a loop that does not meet: the
        prediction of a sample from those before it fails for a moment, far beyond what
        it does around there. Attacks, noise and hard gates are none.
        """,
      example: .expectation(
        right: "{ \"clicks\": 0 }", wrong: "{ \"clicks\": 0 }",
        wrongSettings:
          "\"/callbacks/tone\": { \"kind\": \"expression\", \"value\": \"0.5 * sin(tau * 1000 * time) + (frame == 24000 ? 0.2 : 0)\" }"
      )))
}
