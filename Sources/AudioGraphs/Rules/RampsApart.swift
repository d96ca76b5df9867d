package import AudioTypes

/// No parameter is moved by two ramps at once.
package enum RampsApart {
  package static let rule = Rule(
    "PR0801", "timeline/apart",
    "a parameter is moved by one ramp at a time",
    statuses: [.parameterError],
    page: .init(
      "A parameter is moved by one ramp at a time.",
      because: """
        Two ramps that overlap would each want another value in the same frame. Let the second begin
        when the first has ended.
        """,
      statusNote: Rule.Page.undocumented,
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
        wrong: ["\"at\": 2": "\"at\": 1"])))

  /// The latest end of a ramp, in seconds: 10 years.
  package static let end = 315_576_000.0

  static func violation(adding ramp: ParameterRamp, to others: [ParameterRamp]) -> Violation? {
    guard ramp.start >= 0, ramp.duration >= 0, ramp.start + ramp.duration <= end else {
      return Violation(
        times, status: .parameterError,
        "a ramp begins at 0 seconds or later, and has a duration of 0 seconds or more",
        at: ramp.place)
    }
    guard let other = others.first(where: ramp.overlaps) else { return nil }
    return Violation(
      rule, status: .parameterError,
      "another ramp moves this parameter from \(seconds(other.start)) to "
        + "\(seconds(other.start + other.duration))", at: ramp.place,
      help: ["let this one begin when the other has ended"])
  }

  private static func seconds(_ time: Double) -> String {
    let rounded = (time * 1000).rounded() / 1000
    return (rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)") + " s"
  }
}
