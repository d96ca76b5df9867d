public import AudioTypes

extension ExpectationRules {
  public static let bound = Rule(
    "PR1103", "test/bound",
    "a bound can be met",
    page: .init(
      "The bound of an expectation is one that a sound can meet.",
      because: """
        It is `atMost`, `atLeast`, both, `between` two numbers, or `near` a number and
        `within` a distance. A bound that nothing or everything meets checks nothing.
        """,
      example: .expectation(
        right: "{ \"peak\": { \"between\": [-20, -1] } }",
        wrong: "{ \"peak\": { \"between\": [-1, -20] } }")))
}
