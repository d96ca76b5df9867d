import PatchSyntax

/// One thing that low latency depends on, as it was found here.
struct DoctorFinding: Equatable {
  enum State: String {
    /// It does not stand in the way.
    case ok
    /// It does, and `cure` says what to do.
    case warning
    /// It could not be found out, or is merely to be known.
    case note
  }

  /// A few words, which programs may go by.
  var topic: String
  var state: State
  /// What was found.
  var found: String
  /// What to do; empty for nothing.
  var cure = ""

  var json: JSONText {
    [
      "topic": .string(topic), "state": .string(state.rawValue), "found": .string(found),
      "cure": cure.isEmpty ? .null : .string(cure),
    ]
  }
}
