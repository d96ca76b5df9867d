import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let duration = ExpectationKind(
    "duration", "How long the patch plays by itself, in seconds.",
    rule: ExpectationRules.duration,
    bound: .init(.seconds, in: 0...1e9), subject: .patch,
    measure: { expectation, patch throws(ExpectationProblem) in
      let time = try patch.playingTime()
      return [
        MeasuredQuantity(
          "playing time", .seconds, [.init(time ?? .infinity)], expectation.bound,
          notes: time == nil ? ["the patch has no end of its own"] : [])
      ]
    })
}

extension ExpectationRules {
  static let duration = Rule(
    "PR1144", "sound/duration",
    "a patch ends when it is to end",
    page: .init(
      "The patch ends by itself, after a time within its bound.",
      because: """
        A patch of files and sweeps ends with the longest of them. A loop that was left
        on, or a file that was cut, shows here.
        """,
      example: .expectation(
        right: "{ \"duration\": { \"near\": 0.5, \"within\": \"1 ms\" } }",
        wrong: "{ \"duration\": { \"near\": 0.5, \"within\": \"1 ms\" } }",
        rightSettings: "\"/callbacks/tone\": { \"kind\": \"sweep\", \"duration\": 0.5 }")))
}
