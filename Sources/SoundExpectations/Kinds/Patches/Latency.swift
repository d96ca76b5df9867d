import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let latency = ExpectationKind(
    "latency", "How late a path is, in frames.",
    rule: ExpectationRules.latency,
    bound: .init(.frames, in: 0...1e7, standard: Bound()),
    settings: .path + [
      SettingInfo(
        "frames", .integer(0...10_000_000), unit: .sampleFrames, summary: "How many, exactly.")
    ],
    subject: .patch,
    measure: { expectation, patch throws(ExpectationProblem) in
      // Soft enough that a limiter only delays.
      let path = try patch.response(
        from: expectation.text("from") ?? "", to: expectation.text("to"), level: -60)
      let exact = expectation.number("frames")
      return [
        MeasuredQuantity(
          "latency", .frames, [.init(Double(path.latencyFrames))],
          exact.map { Bound(low: $0, high: $0) } ?? expectation.bound,
          key: exact == nil ? nil : "frames")
      ]
    })
}

extension ExpectationRules {
  static let latency = Rule(
    "PR1143", "sound/latency",
    "a path is as late as is expected",
    page: .init(
      "The latency from one bus to another is within its bound, in whole frames.",
      because: """
        What a look-ahead, a resampler or a convolution delays. A chain whose latency
        has changed no longer lines up with what was aligned to it.
        """,
      example: .expectation(
        right: "{ \"latency\": { \"from\": \"mixer:0\", \"frames\": 0 } }",
        wrong: "{ \"latency\": { \"from\": \"mixer:0\", \"frames\": 64 } }")))
}
