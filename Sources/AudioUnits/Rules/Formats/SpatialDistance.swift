public import AudioTypes

extension UnitRules {
  /// A source that is given a direction is given a distance.
  public static let spatialDistance = Rule(
    "PR0433", "spatial/distance",
    "a source that is given a direction is given a distance",
    severity: .warning,
    silencedBy: [.unreadNode, .format],
    page: .init(
      "A source with a direction has a distance.",
      because: """
        At distance 0, which is the default, a source is in the middle of the head, and azimuth and
        elevation do nothing (QA1695).
        """,
      example: .patch(ExamplePatches.space, wrong: [", \"distance\": 1": ""])))
}
