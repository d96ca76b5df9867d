package import AudioTypes

/// All paths from one source to one unit are equally late.
package enum PathsMeetInStep {
  /// Two paths of one source that meet in one unit.
  struct Meeting {
    var source: String
    var early: BusKey
    var late: BusKey
    /// In seconds.
    var difference: Double
  }

  package static let rule = Rule(
    "PR0319", "path/latency",
    "paths from one source that meet in one unit are equally late",
    severity: .warning,
    silencedBy: [.unreadNode, .gaps, .session, .format, .feeds, .destination],
    page: .init(
      """
      Where a sound reaches a mixer, or another unit with several inputs, by more than one path, no path \
      is later than the other.
      """,
      because: """
        A limiter that looks ahead, and a filter that converts rates, put out what they are fed some \
        milliseconds later. Mixed with the same sound that went past them, it cancels at every \
        frequency for which the difference is half a period more than whole ones: a comb filter, which \
        sounds hollow. An AUGraph does nothing about it. "compensateLatency": true delays the earlier \
        paths by exactly what they lack, where they meet.
        """,
      example: .patch(
        ExamplePatches.unequalPaths,
        wrong: ["\n  \"compensateLatency\": true,": ""])))

  static func violation(_ meeting: Meeting, in model: GraphModel) -> Violation {
    func address(_ key: BusKey) -> String { "\(model.name(key.node)):\(key.bus)" }
    let time = LatencyText.milliseconds(meeting.difference)
    let notch = 1 / (2 * meeting.difference)
    let sound =
      notch < 24_000
      ? "mixed, the two cancel at \(hertz(notch)) Hz and every \(hertz(2 * notch)) Hz above it"
      : "mixed, the two lose treble"
    return Violation(
      rule, status: .ok,
      "'\(meeting.source)' reaches '\(address(meeting.late))' \(time) ms later than "
        + "'\(address(meeting.early))'",
      at: .init(node: meeting.late.node, .feed(meeting.late.bus)),
      notes: [
        .init("this path is earlier", at: .init(node: meeting.early.node, .feed(meeting.early.bus)))
      ],
      help: [
        sound + ": a comb filter",
        "delay the earlier path by the same: \"compensateLatency\": true in the patch does it",
      ],
      remedies: [Remedy("compensate the latencies", [.compensateLatency])])
  }

  private static func hertz(_ frequency: Double) -> String {
    frequency < 100 ? rounded(frequency, 10) : rounded(frequency, 1)
  }

  private static func rounded(_ value: Double, _ parts: Double) -> String {
    let value = (value * parts).rounded() / parts
    return value == value.rounded() ? "\(Int(value))" : "\(value)"
  }
}
