import AudioTypes

extension ExpectationKind {
  public static let sameAs = ExpectationKind(
    "sameAs",
    """
    The sound is that of another patch, but for a difference below -100 dB, or below
    `nullBelow`.
    """,
    rule: ExpectationRules.sameAs,
    bound: .init(.dBFS, in: -400...0, standard: .atMost(-100), alias: .atMost("nullBelow")),
    settings: [
      SettingInfo(
        "patch", .path, isRequired: true, summary: "The other patch, relative to the test file.")
    ],
    shorthand: .setting("patch"),
    measure: { expectation, patch throws(ExpectationProblem) in
      let sound = try patch.sound(for: expectation)
      let other = try patch.sound(for: expectation, .patch(expectation.text("patch") ?? ""))
      return try expectation.differences(of: sound, and: other, "the other patch")
    })
}

extension ExpectationRules {
  static let sameAs = Rule(
    "PR1146", "sound/same-as",
    "two patches sound the same",
    page: .init(
      "The sound is that of another patch, at the same place.",
      because: """
        Two ways to write one thing: a chain that was rewritten, a sub-graph in the
        place of nodes, an import beside what it was made from. The other patch is
        rendered with its own settings, and as long.
        """,
      example: .expectation(
        right: "{ \"sameAs\": \"tone.json\" }", wrong: "{ \"sameAs\": \"tone.json\" }",
        wrongSettings: "\"/callbacks/tone/amplitude\": 0.4")))
}
