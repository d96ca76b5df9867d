public import AudioTypes

extension ExpectationRules {
  public static let input = Rule(
    "PR1106", "test/settings",
    "settings, feeds and changes of a test fit its patch",
    page: .init(
      "What a test changes in its patch is there, and what it becomes is right.",
      because: """
        `settings` are made as by --set, and a feed takes the place of a callback or of
        what feeds an input. The finding names the rule of the patch that would be
        broken.
        """,
      example: .expectation(
        right: "{ \"notSilent\": true }", wrong: "{ \"notSilent\": true }",
        wrongSettings: "\"/nodes/equalizer/parameters/volume\": 1")))
}
