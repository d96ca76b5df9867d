public import AudioTypes

extension UnitRules {
  /// An input of a 3DMixer is mono, unless it passes as it is.
  public static let spatialChannels = Rule(
    "PR0431", "format/spatial-channels",
    "an input of a 3DMixer is mono, unless it passes as it is",
    statuses: [.formatNotSupported],
    silencedBy: [.unreadNode, .format],
    page: .init(
      "An input of a 3DMixer is mono, unless its algorithm is stereoPassThrough.",
      because: """
        Only a mono source can stand in one place. Core Audio refuses a stereo stream (QA1695): split
        it into two sources, left and right of the listener, or let it pass as it is.
        """,
      example: .patch(ExamplePatches.space, wrong: ["\"channels\": 1": "\"channels\": 2"])))
}
