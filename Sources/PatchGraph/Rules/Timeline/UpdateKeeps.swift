public import AudioTypes

extension TimelineRules {
  /// An update does not change what holds for the whole run.
  public static let updateKeeps = Rule(
    "PR0805", "timeline/update-keeps",
    "an update leaves alone what holds for the whole run",
    page: .init(
      "An update leaves alone what holds for the whole run: the session, the schema version, the "
        + "tempo and the timeline itself.",
      because: """
        The device is opened and the timeline laid out before the first frame. An update changes what
        there is to hear: nodes, connections, callbacks, formats and taps.
        """,
      example: .patch(
        ExamplePatches.updated,
        wrong: ["/nodes/mixer/inputs/0/parameters/volume": "/session/category"])))
}
