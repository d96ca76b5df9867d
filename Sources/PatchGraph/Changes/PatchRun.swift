import AudioGraphs
import Diagnostics
import PatchSyntax

/// What of a patch is settled before its first frame: what it asks of the session, and its timeline.
struct PatchRun: Sendable {
  /// A step of the timeline, its times in seconds.
  struct Step: Sendable {
    var time: Double
    var duration = 0.0
    /// What happens, apart from the times: `nil` for a stop.
    var action: JSONValue?
    var path: JSONPointer?
    var curve: String?
    /// Its number in the timeline, as written.
    var number: Int

    func says(_ other: Step) -> Bool {
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

  /// The members of the session that are asked for, by their keys.
  var session: [String: String] = [:]
  /// In order of time.
  var steps: [Step] = []

  init() {}

  init(_ document: PatchDocument, sampleRate: Double) {
    let asked = document.session?.value
    // What is meant where nothing is said.
    session["category"] = quoted(asked?.category?.value ?? "soloAmbient")
    session["preferredSampleRate"] = asked?.preferredSampleRate.map {
      plain(Float($0.value)) + " Hz"
    }
    session["preferredIOBufferDuration"] = asked?.preferredIOBufferDuration.map {
      plain(Float($0.value)) + " s"
    }
    let clock = TimelineClock(document, sampleRate: sampleRate)
    steps = clock.order(of: document).compactMap { number in
      let step = document.timeline[number]
      guard let time = step.at.flatMap({ clock.seconds($0.value) }) else { return nil }
      if let ramp = step.ramp {
        return Step(
          time: time, duration: ramp.duration.flatMap { clock.seconds($0.value) } ?? 0,
          action: ramp.to, path: ramp.path?.value,
          curve: ramp.curve?.value ?? ParameterRamp.Curve.linear.rawValue, number: number)
      }
      if let update = step.update { return Step(time: time, action: update, number: number) }
      return step.stop?.value == true ? Step(time: time, number: number) : nil
    }
  }

  /// The first step that is another one: how the two number it, and when it happens.
  func firstDifference(
    from old: PatchRun
  ) -> (old: Int?, new: Int?, time: Double)? {
    let count = max(steps.count, old.steps.count)
    for index in 0..<count {
      let before = old.steps.indices.contains(index) ? old.steps[index] : nil
      let after = steps.indices.contains(index) ? steps[index] : nil
      if let before, let after, before.says(after) { continue }
      let time = min(before?.time ?? .infinity, after?.time ?? .infinity)
      return (before?.number, after?.number, time)
    }
    return nil
  }
}
