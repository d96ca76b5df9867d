import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let load = ExpectationKind(
    "load", "What rendering takes of a processor, in percent of the time that it plays.",
    rule: ExpectationRules.load,
    bound: .init(.percent, in: 0...1e6), subject: .patch, quantity: "load",
    readings: { _, patch throws(ExpectationProblem) in [.init(100 * (try patch.load()))] })
}

extension ExpectationRules {
  static let load = Rule(
    "PR1150", "sound/load",
    "rendering takes no more of a processor than its bound allows",
    page: .init(
      "Rendering takes no more than its share of a processor.",
      because: """
        In percent of the time that the sound lasts: 100 is as fast as it is heard. It
        is a measurement of this machine at this moment, and noisy: leave room, ten
        times what you see, and use it to notice a patch that has become impossible, not
        one that has become a little slower.
        """,
      example: .expectation(
        right: "{ \"load\": { \"atMost\": 500 } }", wrong: "{ \"load\": { \"atMost\": 0.000001 } }")
    ))
}
