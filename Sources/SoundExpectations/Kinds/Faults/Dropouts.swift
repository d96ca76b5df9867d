import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let dropouts = ExpectationKind(
    "dropouts", "How many holes the sound has; none, where nothing is said.",
    rule: ExpectationRules.dropouts,
    bound: .init(.count, in: 0...1e9, standard: .atMost(0)),
    settings: [
      SettingInfo(
        "longerThan", .number(0...10, excludesLowerBound: true), unit: .seconds,
        defaultValue: .number(0.001), summary: "Shorter ones do not count.")
    ],
    shorthand: .atMost,
    measure: { expectation, patch throws(ExpectationProblem) in
      let sound = try patch.sound(for: expectation)
      let shortest = expectation.number("longerThan") ?? 0.001
      return [.count("drop-outs", sound.dropouts(atLeast: shortest), expectation.bound)]
    })
}

extension ExpectationRules {
  static let dropouts = Rule(
    "PR1140", "sound/dropouts",
    "a sound has no drop-outs",
    page: .init(
      "The sound is nowhere cut out: no run of one value, a millisecond long or longer, stands inside it.",
      because: """
        A device that was too late or a file that could not be read leaves a hole,
        mostly of zeros. Silence that is faded into is none.
        """,
      example: .expectation(
        right: "{ \"dropouts\": 0 }", wrong: "{ \"dropouts\": 0 }",
        wrongSettings:
          "\"/callbacks/tone\": { \"kind\": \"expression\", \"value\": \"frame % 10000 > 9800 ? 0 : 0.5 * sin(tau * 1000 * time)\" }"
      )))
}
