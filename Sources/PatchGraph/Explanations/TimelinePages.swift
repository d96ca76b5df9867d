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
    Explanation(
      "PR0803", "A patch whose timeline counts in beats has a tempo.",
      because: """
        A time is a number of seconds, or { "frames": 48000 } at the rate of the session, or
        { "beats": 4 }. How long a beat is "tempo" says, in beats per minute: at 120, half a second.
        """,
      example: .patch(
        beating, wrong: ["\"tempo\": 120,": "", "\"at\": 1": "\"at\": { \"beats\": 2 }"])),
    Explanation(
      "PR0804", "A ramp is linear, or exponential and on one side of zero.",
      because: """
        An exponential ramp changes by the same factor in each frame, as loudness and pitch are heard.
        No factor leads to 0 or through it: begin or end at a small value, such as 0.0001, which is -80
        dB. Where what it begins at is only known while the patch runs, and turns out to be on the other
        side, the ramp is a straight line.
        """,
      example: .patch(beating, wrong: ["\"to\": 0.001": "\"to\": 0"])),
    Explanation(
      "PR0805",
      "An update leaves alone what holds for the whole run: the session, the schema version, the "
        + "tempo and the timeline itself.",
      because: """
        The device is opened and the timeline laid out before the first frame. An update changes what
        there is to hear: nodes, connections, callbacks, formats and taps.
        """,
      example: .patch(
        updated, wrong: ["/nodes/mixer/inputs/0/parameters/volume": "/session/category"])),
  ]

  /// A mixer whose volume falls as it is heard.
  static let beating = ExamplePatches.mixer(
    with: """
      "tempo": 120,
      "timeline": [
        {
          "at": 1,
          "ramp": {
            "path": "/nodes/mixer/inputs/0/parameters/volume",
            "to": 0.001,
            "duration": 2,
            "curve": "exponential"
          }
        }
      ]
      """)

  /// A mixer whose volume is changed in the document.
  static let updated = ExamplePatches.mixer(
    with: """
      "timeline": [
        {
          "at": 1,
          "update": [
            { "op": "replace", "path": "/nodes/mixer/inputs/0/parameters/volume", "value": 0.5 }
          ]
        }
      ]
      """)
}
