import Control
import Diagnostics

/// The documents that a run has played, for undo and redo.
///
/// A step has the document before it and the one after it. Changes by the timeline are no steps,
/// because the timeline would make them again. Not thread-safe.
struct LiveHistory {
  private struct Step {
    var time: ContinuousClock.Instant
    let origin: ControlOrigin
    var effects: [ControlEffect]
    let before: SourceText
    var after: SourceText
  }

  /// A document of the history to play.
  struct Target {
    var source: SourceText
    /// The number of steps in effect when the document plays.
    var position: Int
  }

  /// The most steps: enough for an afternoon, and for documents of some megabytes within
  /// `mostBytes`.
  static let mostSteps = 200
  static let mostBytes = 32 << 20
  /// The longest interval between changes of the same values that count as one step, such as a
  /// fader's.
  static let gesture = Duration.seconds(1)

  private var steps: [Step] = []
  /// How many steps are in effect. The others are undone.
  private var position = 0
  /// How many older steps were dropped. The number of the first remaining step is one more.
  private var forgotten = 0

  /// Records a change that plays. Does nothing if the document is the same.
  mutating func note(
    _ effects: [ControlEffect], by origin: ControlOrigin, from before: SourceText,
    to after: SourceText, at time: ContinuousClock.Instant = .now
  ) {
    guard before.bytes != after.bytes else { return }
    steps.removeSubrange(position...)
    if let last = steps.last, last.origin == origin, time - last.time < Self.gesture,
      !effects.isEmpty, Set(last.effects.map(\.pointer)) == Set(effects.map(\.pointer)),
      last.after.bytes == before.bytes
    {
      steps[position - 1].time = time
      steps[position - 1].effects = effects.map { effect in
        let first = last.effects.first { $0.pointer == effect.pointer }
        return effect.following(first)
      }
      steps[position - 1].after = after
      return
    }
    steps.append(
      Step(time: time, origin: origin, effects: effects, before: before, after: after))
    var bytes = steps.reduce(0) { $0 + $1.after.bytes.count }
    while steps.count > Self.mostSteps || bytes > Self.mostBytes, steps.count > 1 {
      bytes -= steps.removeFirst().after.bytes.count
      forgotten += 1
    }
    position = steps.count
  }

  /// The document that a request leads to; `nil` if there is no such step.
  func target(_ rewind: ControlRewind) -> Target? {
    let wanted =
      switch rewind {
      case .undo: position - 1
      case .redo: position + 1
      case .to(let number): number - forgotten
      }
    guard !steps.isEmpty, (0...steps.count).contains(wanted) else { return nil }
    let isBack = wanted < position || wanted == 0
    return Target(
      source: isBack ? steps[wanted].before : steps[wanted - 1].after, position: wanted)
  }

  /// Records that the document of a target plays.
  mutating func go(to target: Target) { position = target.position }

  /// The reason why there is no target, as a sentence.
  func refusal(of rewind: ControlRewind) -> (message: String, help: [String]) {
    let help =
      steps.isEmpty
      ? "nothing has been changed since the run began"
      : "there are the steps \(forgotten) to \(forgotten + steps.count)"
    return switch rewind {
    case .undo: ("there is nothing to take back", [help])
    case .redo: ("there is nothing to do again", [help])
    case .to(let number): ("there is no step \(number)", [help])
    }
  }

  func shown(at now: ContinuousClock.Instant = .now) -> ControlHistory {
    ControlHistory(
      steps: steps.enumerated().map { index, step in
        let age = now - step.time
        return .init(
          number: forgotten + index + 1, age: age / .seconds(1), origin: step.origin,
          effects: step.effects, isUndone: index >= position)
      })
  }
}

extension ControlEffect {
  /// The effect of two changes in a row, if both say `… goes from 0.8 to 0.5`.
  fileprivate func following(_ first: ControlEffect?) -> ControlEffect {
    let words = /(.* goes from .*) to (.*)/
    guard let begin = first?.summary.wholeMatch(of: words)?.output.1,
      let end = summary.wholeMatch(of: words)?.output.2
    else { return self }
    return ControlEffect(pointer: pointer, summary: "\(begin) to \(end)", heard: heard)
  }
}
