import PatchSyntax

/// One finding of `doctor`: something that low latency depends on.
struct DoctorFinding: Equatable {
  enum State: String {
    /// It does not prevent low latency.
    case ok
    /// It prevents low latency; `cure` says what to do.
    case warning
    /// It could not be found out, or is only information.
    case note
  }

  /// A short, stable name for programs.
  var topic: String
  var state: State
  /// The observation, in words.
  var found: String
  /// What to do; empty if nothing.
  var cure = ""

  var json: JSONText {
    [
      "topic": .string(topic), "state": .string(state.rawValue), "found": .string(found),
      "cure": cure.isEmpty ? .null : .string(cure),
    ]
  }
}
