import AudioTypes

/// The times of a graph's ramps are times, and no parameter is moved by two at once.
enum RampsApart {
  static let rule = Rule(
    "PR0801", "timeline/apart", "A parameter is moved by one ramp at a time.")
  static let times = Rule(
    "PR0802", "timeline/times", "A ramp has a time that comes, and a duration that ends.")

  /// The longest that a graph is planned for: 10 years.
  private static let end = 315_576_000.0

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
