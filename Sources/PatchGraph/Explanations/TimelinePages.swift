import Diagnostics

extension Explanation {
  private static let parameterError = Diagnostic.Status("kAudio_ParamError", -50)

  /// PR08xx: the timeline.
  static let timelinePages: [Explanation] = [
    Explanation(
      "PR0801", "A parameter is moved by one ramp at a time.",
      because: """
        Two ramps that overlap would each want another value in the same frame. Let the second begin
        when the first has ended.
        """,
      status: parameterError, note: undocumented,
      example: .patch(
        ExamplePatches.mixer(
          with: """
            "timeline": [
              {
                "at": 0,
                "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0, "duration": 2 }
              },
              {
                "at": 2,
                "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 1, "duration": 2 }
              }
            ]
            """),
        wrong: ["\"at\": 2": "\"at\": 1"])),
    Explanation(
      "PR0802", "A ramp begins at a time that comes, and ends within ten years.",
      because: """
        Ten years is the longest that a graph is planned for. A later time is a mistake: milliseconds or
        frames where seconds are meant.
        """,
      status: parameterError, note: undocumented,
      example: .patch(
        timed,
        wrong: [
          "\"at\": 1": "\"at\": 200000000", "\"duration\": 2": "\"duration\": 200000000",
        ])),
  ]
}
