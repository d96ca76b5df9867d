public import AudioTypes

extension UnitRules {
  /// The output element of an I/O unit is fed only when it is on.
  public static let outputElementEnabled = Rule(
    "PR0602", "io/output-enabled",
    "the output element of an I/O unit is fed only when it is on",
    statuses: [.noConnection],
    silencedBy: [.unreadNode, .sides],
    page: .init(
      "The loudspeaker side of an I/O unit is on where something feeds it.",
      because: """
        It is on until EnableIO turns it off, on the output scope of element 0. What feeds a side that
        is off is never pulled.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.microphone.replacing(
          "\"inputs\": {",
          with:
            "\"outputs\": { \"0\": { \"properties\": { \"enableIO\": true } } },\n      \"inputs\": {"
        ),
        wrong: ["\"enableIO\": true": "\"enableIO\": false"])))
}
