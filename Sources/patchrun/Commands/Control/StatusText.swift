import PatchSyntax

/// Formats parts of `/status`.
enum StatusText {
  /// ` (render 2, machine 1)`
  static func causes(_ counts: JSONValue?) -> String {
    guard let counts else { return "" }
    let parts = counts.members.map { "\(shown($0.key)) \($0.value.integer ?? 0)" }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }

  /// A text about the raised output latency; `nil` if the latency is as requested.
  static func raised(_ latency: JSONValue?) -> String? {
    guard let latency, let asked = latency["asked"]?.number,
      let granted = latency["granted"]?.number
    else { return nil }
    let surplus = fixed((granted - asked) * 1000, 1)
    let less = latency["timeUntilLess"]?.number.map { "a slice less in \(clock($0))" }
    return "latency raised by \(surplus) ms for \(clock(latency["age"]?.number ?? 0)): "
      + "\(fixed(asked * 1000, 1)) ms of what is played were asked for, "
      + "\(fixed(granted * 1000, 1)) ms are kept; \(less ?? "not less before it plays")"
  }
}
