public import AudioTypes

extension UnitRules {
  /// A bus is given a stream format that its unit takes.
  public static let formatSupported = Rule(
    "PR0402", "format/supported",
    "a bus is given a stream format that its unit takes",
    statuses: [.formatNotSupported],
    silencedBy: [.unreadNode, .format],
    page: .init(
      "A bus is given a stream format that its unit takes there.",
      because: """
        Each unit says what it takes: a MultichannelMixer mono or stereo, and a stereo output; a
        3DMixer 16-bit integers. AudioUnitSetProperty refuses others. `patchrun units NAME` says what
        a unit takes.
        """,
      example: .patch(
        ExamplePatches.formatted,
        wrong: ["\"int16\", \"channels\": 2": "\"int16\", \"channels\": 6"])))
}
