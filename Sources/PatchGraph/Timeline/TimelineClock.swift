import AudioGraphs
import PatchSyntax

/// Converts the times of a patch to seconds.
struct TimelineClock {
  /// Frames of the session per second.
  var sampleRate: Double
  /// Beats per minute; `nil` where the patch has no tempo.
  var tempo: Double?

  init(_ document: PatchDocument, sampleRate: Double) {
    self.sampleRate = sampleRate
    tempo = document.tempo?.value
  }

  /// A time in seconds; `nil` for beats without a tempo.
  func seconds(_ time: PatchDocument.Time) -> Double? {
    switch time {
    case .seconds(let seconds): seconds
    case .frames(let frames): sampleRate > 0 ? frames / sampleRate : nil
    case .beats(let beats): tempo.map { beats * 60 / $0 }
    case .sum(let one, let more, let times):
      seconds(one).flatMap { one in seconds(more).map { one + $0 * Double(times) } }
    }
  }

  /// A time as a patch writes it: in its own unit, or in seconds where it is a sum.
  func json(_ time: PatchDocument.Time) -> JSONText {
    switch time {
    case .seconds(let seconds): .number(seconds)
    case .frames(let frames): ["frames": .number(frames)]
    case .beats(let beats): ["beats": .number(beats)]
    case .sum: .number(seconds(time) ?? 0)
    }
  }

  /// Whether each repetition of a ramp ends before the next begins.
  func repeatsApart(_ step: PatchDocument.Step) -> Bool {
    guard let repetition = step.repetition, repetition.count.value > 1,
      let every = seconds(repetition.every.value),
      let duration = step.ramp?.duration.flatMap({ seconds($0.value) })
    else { return true }
    return duration <= every + ParameterRamp.slack
  }

  /// Whether all repetitions of a step can take place: each ramp ends before the next begins, and
  /// the last is within the time that a graph can plan.
  func canRepeat(_ step: PatchDocument.Step) -> Bool {
    guard let repetition = step.repetition, let at = step.at else { return true }
    let others = repetition.count.value - 1 - step.repetitionIndex
    let last = seconds(at.value.adding(repetition.every.value, times: others))
    return repeatsApart(step) && last.map { $0 <= RampsApart.end } ?? true
  }

  /// The indices of the steps whose time is known, in order of time; steps at the same time in the
  /// order of the text.
  func order(of document: PatchDocument) -> [Int] {
    let times = document.timeline.map { $0.at.flatMap { seconds($0.value) } }
    return times.indices.filter { times[$0] != nil }
      .sorted { (times[$0] ?? 0, $0) < (times[$1] ?? 0, $1) }
  }
}

/// A stretch of a timeline in which one document holds: from the start or an update to the next
/// update.
struct TimelineEpoch: Sendable {
  /// The indices of the document's steps that belong to it.
  var steps: Set<Int>
  /// The indices of the steps before it. Ramps of these steps that are in progress at its start
  /// belong to it, too.
  var earlier: Set<Int>
  /// When it begins, in seconds.
  var start: Double
  /// When it ends, in seconds. This decides for the steps of sub-graphs, which have no index here.
  var end = Double.infinity
  /// For the document of an update: the index of each of its steps in the whole timeline.
  var numbers: [Int: Int] = [:]
}
