import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let tail = ExpectationKind(
    "tail", "When the sound was last louder than `below`, in seconds from `after`.",
    rule: ExpectationRules.tail,
    bound: .init(.seconds, in: 0...1e6),
    settings: [
      SettingInfo(
        "below", .number(-200...0), unit: .decibels, defaultValue: .number(-60),
        summary: "What counts as having died away, in dBFS."),
      SettingInfo(
        "after", .number(0...1e6), unit: .seconds, defaultValue: .number(0),
        summary: "From when on it is counted."),
    ],
    measure: { expectation, patch throws(ExpectationProblem) in
      let sound = try patch.sound(for: expectation)
      let start = expectation.number("after") ?? 0
      let last = sound.lastAbove(expectation.number("below") ?? -60)
      let frame = last?.frames?.upperBound ?? 0
      let value = max(0, Double(frame) / sound.sampleRate - start)
      return [
        MeasuredQuantity(
          "last moment above \(BoundUnit.dBFS.text(expectation.number("below") ?? -60))", .seconds,
          [.init(value, at: last ?? .init())], expectation.bound)
      ]
    })
}

extension ExpectationRules {
  static let tail = Rule(
    "PR1141", "sound/tail",
    "a sound has died away when it is to have",
    page: .init(
      "After a time the sound stays below a level.",
      because: """
        A reverb that rings too long, a gate that does not close, a feedback that grows:
        the number is when the sound was last louder than `below`, -60 dBFS where
        nothing is said, counted from `after`.
        """,
      example: .expectation(
        right: "{ \"tail\": { \"atMost\": \"600 ms\" } }",
        wrong: "{ \"tail\": { \"atMost\": \"100 ms\" } }",
        settings:
          "\"/callbacks/tone\": { \"kind\": \"expression\", \"value\": \"time < 0.5 ? 0.5 * sin(tau * 1000 * time) : 0\" }"
      )))
}
