package import AudioTypes

extension RampsApart {
  /// A ramp's times are not negative, and it ends within ten years.
  package static let times = Rule(
    "PR0802", "timeline/times",
    "a ramp has a time that comes, and a duration that ends",
    statuses: [.parameterError],
    page: .init(
      "A ramp begins at a time that comes, and ends within ten years.",
      because: """
        Ten years is the longest that a graph is planned for. A later time is a mistake: milliseconds or
        frames where seconds are meant.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.timed,
        wrong: [
          "\"at\": 1": "\"at\": 200000000", "\"duration\": 2": "\"duration\": 200000000",
        ])))
}
