public import AudioTypes

extension NameRules {
  /// The placeholders in the path of a tap are date, time and take.
  public static let takeName = Rule(
    "PR0718", "tap/take-name",
    "the words in braces in the path of what a tap writes are date, time and take",
    statuses: [.parameterError],
    page: .init(
      "In the path of what a tap writes, the words in braces are date, time and take.",
      because: """
        `{date}` is the day on which the run began, `2026-11-22`, `{time}` its hour, minute and second,
        `14-05-09`, where it runs, and `{take}` the first number from 1 up that no file has: a folder of
        takes sorts itself. A brace is written twice: `{{`. `{take}` counts files, so that it stands in
        the name of the file.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.tapped.replacing("mix.wav", with: "mix {date} {take}.wav"),
        wrong: ["{take}": "{tak}"])))
}
