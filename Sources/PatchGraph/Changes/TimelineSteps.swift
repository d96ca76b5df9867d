import AudioTypes
import PatchSyntax

/// The steps of a timeline in order of time, with all times converted to seconds.
struct TimelineSteps {
  /// A step, with its times in seconds.
  private struct Step {
    var time: Double
    var duration = 0.0
    /// What the step does, without its times; `nil` for a stop.
    var action: JSONValue?
    var path: JSONPointer?
    var curve: RampCurve?
    /// Its number in the timeline, as written.
    var number: Int

    func isSame(as other: Step) -> Bool {
      guard time == other.time, duration == other.duration, path == other.path,
        curve == other.curve
      else { return false }
      switch (action, other.action) {
      case (let one?, let two?): return one.hasSameValue(as: two)
      case (nil, nil): return true
      default: return false
      }
    }
  }

  private var steps: [Step] = []

  init(_ document: PatchDocument, sampleRate: Double) {
    let clock = TimelineClock(document, sampleRate: sampleRate)
    steps = clock.order(of: document).compactMap { index in
      let step = document.timeline[index]
      let number = step.number
      guard let time = step.at.flatMap({ clock.seconds($0.value) }) else { return nil }
      if let ramp = step.ramp {
        return Step(
          time: time, duration: ramp.duration.flatMap { clock.seconds($0.value) } ?? 0,
          action: ramp.to, path: ramp.path?.value,
          curve: ramp.curve?.value ?? .linear, number: number)
      }
      if let change = step.change { return Step(time: time, action: change, number: number) }
      return step.stop?.value == true ? Step(time: time, number: number) : nil
    }
  }

  /// The first step that differs: its number in this timeline or, where this timeline is shorter,
  /// in the old one; and the time in seconds from which the two differ.
  func firstDifference(from old: TimelineSteps) -> (number: Int, time: Double)? {
    for index in 0..<max(steps.count, old.steps.count) {
      let before = old.steps.indices.contains(index) ? old.steps[index] : nil
      let after = steps.indices.contains(index) ? steps[index] : nil
      if let before, let after, before.isSame(as: after) { continue }
      guard let one = after ?? before else { continue }
      return (one.number, min(one.time, before?.time ?? one.time))
    }
    return nil
  }
}
