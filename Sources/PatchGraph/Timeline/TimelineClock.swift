import AudioGraphs
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
    case .sum(let one, let more, let times):
      seconds(one).flatMap { one in seconds(more).map { one + $0 * Double(times) } }
    }
  }

  /// A time as a patch has it: in its own unit, in seconds where there are two.
  func json(_ time: PatchDocument.Time) -> JSONText {
    switch time {
    case .seconds(let seconds): .number(seconds)
    case .frames(let frames): ["frames": .number(frames)]
    case .beats(let beats): ["beats": .number(beats)]
    case .sum: .number(seconds(time) ?? 0)
    }
  }

  /// Whether a ramp that is repeated has ended each time when it begins again.
  func repeatsApart(_ step: PatchDocument.Step) -> Bool {
    guard let repetition = step.repetition, repetition.count.value > 1,
      let every = seconds(repetition.every.value),
      let duration = step.ramp?.duration.flatMap({ seconds($0.value) })
    else { return true }
    return duration <= every + ParameterRamp.slack
  }

  /// Whether all of the times that a step is repeated can come: no ramp is on its way still when it begins
  /// again, and the last is within what a graph is planned for.
  func canRepeat(_ step: PatchDocument.Step) -> Bool {
    guard let repetition = step.repetition, let at = step.at else { return true }
    let others = repetition.count.value - 1 - step.time
    let last = seconds(at.value.adding(repetition.every.value, times: others))
    return repeatsApart(step) && last.map { $0 <= RampsApart.end } ?? true
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
  /// Of its steps in an update's document, their numbers in the timeline as it is written.
  var numbers: [Int: Int] = [:]
}
