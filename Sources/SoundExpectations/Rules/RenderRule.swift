public import AudioTypes

extension ExpectationRules {
  public static let render = Rule(
    "PR1107", "test/render",
    "a test can be rendered and measured",
    page: .init(
      "The patch of a test can be rendered, and what is expected of it can be measured.",
      because: """
        A patch without an end needs a duration, loudness needs time to be measured, and
        a path that nothing passes has no response.
        """,
      example: .expectation(
        right: "{ \"integratedLoudness\": { \"atLeast\": -40 } }",
        wrong: "{ \"during\": [0, 0.1], \"integratedLoudness\": { \"atLeast\": -40 } }")))
}
