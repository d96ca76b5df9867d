public import AudioTypes

extension ExpectationRules {
  public static let place = Rule(
    "PR1105", "test/place",
    "an expectation looks at a bus, a channel and a time that there are",
    page: .init(
      "Where an expectation looks there is sound: a bus of the patch, a channel of that bus, a time within the duration.",
      because: """
        An expectation of what is not there could never fail.
        """,
      example: .expectation(
        right: "{ \"at\": \"mixer\", \"notSilent\": true }",
        wrong: "{ \"at\": \"mixr\", \"notSilent\": true }")))
}
