import AudioTypes

extension ExpectationKind {
  public static let response = ExpectationKind(
    "response", "The magnitude from one bus to another, in dB, within a mask.",
    rule: ExpectationRules.response,
    bound: nil,
    settings: .path + [
      SettingInfo(
        "level", .number(-100...20), unit: .decibels, defaultValue: .number(-20),
        summary: "The peak of what goes in, in dBFS.")
    ],
    lists: [
      .init(
        "mask", .rows(3), isRequired: true,
        "Rows of frequency in Hz, least and greatest magnitude in dB.")
    ],
    subject: .patch,
    measure: { expectation, patch throws(ExpectationProblem) in
      let mask = try ResponseMask(expectation.rows["mask"] ?? [])
      let path = try patch.response(
        from: expectation.text("from") ?? "", to: expectation.text("to"),
        level: expectation.number("level") ?? -20)
      return [mask.worst(of: path)]
    })
}

extension ExpectationRules {
  static let response = Rule(
    "PR1142", "sound/response",
    "the frequency response of a path is within its mask",
    page: .init(
      "The frequency response from one bus to another is within its mask.",
      because: """
        Each row of the mask is a frequency, the least and the greatest magnitude there,
        in dB; between rows the mask goes straight over the logarithm of the frequency.
        Several hundred sines at once are put in at `from`, as by `patchrun response`,
        and all other sources are silent.
        """,
      example: .expectation(
        right:
          "{ \"response\": { \"from\": \"mixer:0\", \"mask\": [[20, -0.1, 0.1], [20000, -0.1, 0.1]] } }",
        wrong: "{ \"response\": { \"from\": \"mixer:0\", \"mask\": [[20, 3, 6], [20000, 3, 6]] } }")
    ))
}
