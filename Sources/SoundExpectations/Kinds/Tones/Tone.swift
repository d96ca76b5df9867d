import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let tone = ExpectationKind(
    "tone", "A tone of a frequency, to so many cents; its level in dBFS, where a bound is given.",
    rule: ExpectationRules.tone,
    bound: .init(.dBFS, in: -200...100, standard: Bound()),
    settings: [
      SettingInfo(
        "frequency", .number(1...1_500_000), unit: .hertz, isRequired: true,
        summary: "What it is to be."),
      SettingInfo(
        "cents", .number(0...1200), unit: .cents, defaultValue: .number(1),
        summary: "How far it may be off, up or down."),
    ],
    measure: { expectation, patch throws(ExpectationProblem) in
      let sound = try patch.sound(for: expectation)
      let frequency = expectation.number("frequency") ?? 0
      let cents = expectation.number("cents") ?? 1
      let tones = sound.tone(near: frequency)
      guard !tones.isEmpty else {
        throw ExpectationProblem("there is no tone near \(BoundUnit.hertz.text(frequency))")
      }
      return [
        MeasuredQuantity(
          "distance from \(BoundUnit.hertz.text(frequency))", .cents,
          tones.map {
            .init(
              $0.cents(from: frequency), at: .init(channel: $0.channel, frequency: $0.frequency))
          }, Bound(low: -cents, high: cents), key: "cents"),
        MeasuredQuantity(
          "level of the tone", .dBFS,
          tones.map {
            .init($0.level, at: .init(channel: $0.channel, frequency: $0.frequency))
          }, expectation.bound),
      ]
    })
}

extension ExpectationRules {
  static let tone = Rule(
    "PR1133", "sound/tone",
    "a tone has the pitch and the level that are expected",
    page: .init(
      "The strongest tone has the frequency that is expected, to so many cents, and the level.",
      because: """
        A wrong rate, a tape speed or a transposition shows in cents: 100 are a
        semitone. The level is that of the amplitude of the sine, in dBFS.
        """,
      example: .expectation(
        right: "{ \"tone\": { \"frequency\": 1000, \"cents\": 1 } }",
        wrong: "{ \"tone\": { \"frequency\": 990, \"cents\": 1 } }")))
}
