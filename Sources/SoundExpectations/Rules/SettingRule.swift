public import AudioTypes

extension ExpectationRules {
  public static let setting = Rule(
    "PR1104", "test/setting",
    "what an expectation is told is of the right kind",
    page: .init(
      "The settings of an expectation are there where they have to be, and such as can be meant.",
      because: """
        `patchrun explain sound/NAME` says what a kind takes.
        """,
      example: .expectation(
        right: "{ \"tone\": { \"frequency\": 1000 } }", wrong: "{ \"tone\": { \"cents\": 5 } }")))
}
