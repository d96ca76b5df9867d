public import AudioTypes

extension ExpectationRules {
  public static let kind = Rule(
    "PR1102", "test/kind",
    "an expectation says one thing, of a kind that there is",
    page: .init(
      "An expectation has one kind, among those that there are.",
      because: """
        What is expected stands under the name of its kind, as in { \"truePeak\": {
        \"atMost\": -1 } }; `at`, `during` and `channel` beside it say where. Two kinds
        are two expectations, so that each can fail by itself.
        """,
      example: .expectation(
        right: "{ \"truePeak\": { \"atMost\": -1 } }", wrong: "{ \"truPeak\": { \"atMost\": -1 } }")
    ))
}
