import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let band = ExpectationKind(
    "band", "The level of what is between two frequencies, in dBFS.",
    rule: ExpectationRules.band,
    bound: .init(.dBFS, in: -250...100),
    settings: [
      SettingInfo(
        "from", .number(0...1_500_000), unit: .hertz, isRequired: true,
        summary: "The lower frequency."),
      SettingInfo(
        "to", .number(0...1_500_000, excludesLowerBound: true), unit: .hertz, isRequired: true,
        summary: "The upper frequency."),
    ],
    measure: { expectation, patch throws(ExpectationProblem) in
      let sound = try patch.sound(for: expectation)
      let low = expectation.number("from") ?? 0
      let high = expectation.number("to") ?? 0
      guard low < high else {
        throw ExpectationProblem("the band ends where it begins, or below", key: "to")
      }
      let readings = sound.band(from: low, to: high).map { reading in
        var reading = reading
        reading.place.frequency = (low * high).squareRoot()
        return reading
      }
      return [MeasuredQuantity("level of the band", .dBFS, readings, expectation.bound)]
    })
}

extension ExpectationRules {
  static let band = Rule(
    "PR1132", "sound/band",
    "what is between two frequencies is as loud as its bound says",
    page: .init(
      "The level of what is between two frequencies is within its bound.",
      because: """
        The root mean square of that part of the spectrum, in dBFS: what a low cut has
        left of 20 to 50 Hz, or how much hiss there is above 10 kHz.
        """,
      example: .expectation(
        right: "{ \"band\": { \"from\": 900, \"to\": 1100, \"atLeast\": -12 } }",
        wrong: "{ \"band\": { \"from\": 900, \"to\": 1100, \"atMost\": -40 } }")))
}
