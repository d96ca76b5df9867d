import AudioTypes
import PatchSyntax
import SoundMeasures

extension ExpectationKind {
  public static let sameAfter = ExpectationKind(
    "sameAfter", "After a change while it plays, the sound is that of the changed patch.",
    rule: ExpectationRules.sameAfter,
    bound: .init(.dBFS, in: -400...0, standard: .atMost(-100), alias: .atMost("nullBelow")),
    settings: [
      SettingInfo(
        "time", .number(0...86_400), unit: .seconds, isRequired: true,
        summary: "When the change is made."),
      SettingInfo(
        "settle", .number(0...3600), unit: .seconds, defaultValue: .number(0.1),
        summary: "How long it may take until nothing tells."),
    ],
    lists: [.init("change", .changes, isRequired: true, "New values, each by its JSON Pointer.")],
    shorthand: nil,
    measure: { expectation, patch throws(ExpectationProblem) in
      let changes = expectation.changes
        .sorted { $0.key < $1.key }.map { "\($0.key)=\(JSONText($0.value).compact)" }
      let time = expectation.number("time") ?? 0
      let changed = try patch.sound(for: expectation, .changed(changes, at: time))
      let other = try patch.sound(for: expectation, .settings(changes))
      let begin = Int(((time + (expectation.number("settle") ?? 0)) * changed.sampleRate).rounded())
      guard begin < changed.frameCount else {
        throw ExpectationProblem(
          "the render is over before the change has settled",
          help: ["make the test longer, or the change earlier"], key: "time")
      }
      return try expectation.differences(
        of: changed.during(begin..<changed.frameCount),
        and: other.during(begin..<other.frameCount), "the changed patch", from: begin)
    })
}

extension ExpectationRules {
  static let sameAfter = Rule(
    "PR1148", "sound/same-after",
    "a change while it plays leads to what the changed patch plays",
    page: .init(
      "Some time after a change the sound is that of a patch that was so from the beginning.",
      because: """
        A change is made while the patch plays, at `time`, as `ctl set` or the panel
        would make it. When `settle` is over, nothing must tell that it has not always
        been so. Left out of it is what depends on when it began: a tone of another
        frequency has another phase.
        """,
      example: .expectation(
        right:
          "{ \"sameAfter\": { \"change\": { \"/callbacks/tone/amplitude\": 0.25 }, \"time\": 0.2 } }",
        wrong:
          "{ \"sameAfter\": { \"change\": { \"/callbacks/tone/frequency\": 1500 }, \"time\": 0.205 } }"
      )))
}
