public import AudioTypes

extension TimelineRules {
  /// A trigger names callbacks that have a beginning.
  public static let trigger = Rule(
    "PR0806", "timeline/trigger",
    "a trigger names callbacks that have a beginning",
    page: .init(
      "A trigger of the timeline names callbacks of the patch whose sounds have a beginning.",
      because: """
        A file, a sweep, an impulse and an expression that pulls nothing begin again. A tone and noise
        are the same at any time, and what processes what it pulls has no sound of its own. A callback
        inside a sub-graph is named as in messages: "strip/song".
        """,
      example: .patch(
        ExamplePatches.triggered, wrong: ["\"trigger\": \"beep\"": "\"trigger\": \"bep\""])))
}
