import PatchSyntax

/// What the times of a patch are in seconds.
struct TimelineClock {
  /// Frames of the session in a second.
  var sampleRate: Double
  /// Beats in a minute; `nil` where the patch has no tempo.
  var tempo: Double?

  init(_ document: PatchDocument, sampleRate: Double) {
    self.sampleRate = sampleRate
    tempo = document.tempo?.value
  }

  /// Seconds; `nil` for beats without a tempo.
  func seconds(_ time: PatchDocument.Time) -> Double? {
    switch time {
    case .seconds(let seconds): seconds
    case .frames(let frames): sampleRate > 0 ? frames / sampleRate : nil
    case .beats(let beats): tempo.map { beats * 60 / $0 }
    }
  }

  /// The steps whose time is known, as they come: by time, at one time as they are written.
  func order(of document: PatchDocument) -> [Int] {
    let times = document.timeline.map { $0.at.flatMap { seconds($0.value) } }
    return times.indices.filter { times[$0] != nil }
      .sorted { (times[$0] ?? 0, $0) < (times[$1] ?? 0, $1) }
  }
}

/// A stretch of a timeline in which one document holds: from the start or from an update to the next
/// one.
struct TimelineEpoch: Sendable {
  /// The steps of the document that belong to it.
  var steps: Set<Int>
  /// The steps before it, and when it begins, in seconds: of their ramps those belong to it, too, that
  /// go on.
  var earlier: Set<Int>
  var start: Double
  /// When it ends, in seconds: for the steps of sub-graphs, which have no numbers here.
  var end = Double.infinity
}
