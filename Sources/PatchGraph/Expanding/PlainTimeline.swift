import AudioTypes
import Diagnostics
import PatchSyntax

/// The timeline of a plain patch: each repetition as a step of its own, and each update as the
/// operations on the plain document that have the same effect.
struct PlainTimeline {
  /// A stretch of the timeline in which one document holds.
  private struct Stage {
    var plain: PlainDocument
    /// The steps of that document, by their numbers in the whole timeline.
    var steps: [Int: PatchDocument.Step]
    var start: Double
    var end: Double
  }

  private let document: PatchDocument
  private let clock: TimelineClock
  private var stages: [Stage]
  /// The index of the stage that each update begins, by the number of its step.
  private var begun: [Int: Int] = [:]

  /// - Returns: `nil` where the document of an update could not be built.
  init?(
    _ patch: BuiltPatch, _ first: PlainDocument, in surroundings: PatchSurroundings,
    device: PatchDevice
  ) {
    document = first.document
    clock = TimelineClock(document, sampleRate: first.sessionRate)
    let end = patch.updates.first?.time ?? .infinity
    stages = [Stage(plain: first, steps: [:], start: -.infinity, end: end)]
    for update in patch.updates {
      begun[update.step] = stages.count
      let built = PatchBuilder.build(update, in: surroundings, device: device)
      var steps: [Int: PatchDocument.Step] = [:]
      let written = update.reading.document?.timeline ?? []
      for (place, number) in update.epoch.numbers where written.indices.contains(place) {
        steps[number] = written[place]
      }
      guard let plain = PlainDocument(built, directory: surroundings.directory) else { return nil }
      stages.append(
        Stage(plain: plain, steps: steps, start: update.time, end: update.epoch.end))
    }
  }

  /// - Parameter members: The plain document at the start of the timeline.
  func steps(
    after members: [JSONText.Member], _ texts: inout PlainTexts
  ) throws(ExpandedPatch.Refusal) -> [JSONText] {
    var updates: [[JSONText]] = [[]]
    var before = JSONText.object(members)
    for stage in stages.dropFirst() {
      let after = JSONText.object(try stage.plain.members(&texts))
      updates.append(Self.operations(from: before, to: after))
      before = after
    }
    var found: [JSONText] = []
    for (number, step) in document.timeline.enumerated() where !step.isOfSubgraph {
      guard let at = step.at else { continue }
      if !step.triggers.isEmpty {
        var names: [JSONText] = []
        for name in step.triggers { names.append(texts.text(name.value)) }
        found.append([
          "at": clock.json(at.value), "trigger": names.count == 1 ? names[0] : .array(names),
        ])
      } else if step.update != nil {
        let operations = begun[number].map { updates[$0] } ?? []
        if !operations.isEmpty {
          found.append(["at": clock.json(at.value), "update": .array(operations)])
        }
      } else if let ramp = step.ramp {
        let stage = stages.first { $0.steps[number] != nil } ?? stages[0]
        // The ramp in the document of that time: an update may have changed constants.
        let now = stage.steps[number]?.ramp ?? ramp
        found += self.steps(at.value, ramp, now, stage.plain, &texts)
      } else if let stop = step.stop {
        found.append(["at": clock.json(at.value), "stop": .boolean(stop.value)])
      }
    }
    // Ramps of sub-graphs, which updates add and remove.
    for stage in stages {
      for step in stage.plain.document.timeline where step.isOfSubgraph {
        guard let at = step.at, let ramp = step.ramp, let seconds = clock.seconds(at.value),
          seconds >= stage.start, seconds < stage.end
        else { continue }
        found += self.steps(at.value, ramp, ramp, stage.plain, &texts)
      }
    }
    return found
  }

  /// The steps of a ramp: one for each parameter that it moves.
  private func steps(
    _ at: PatchDocument.Time, _ ramp: PatchDocument.Ramp, _ now: PatchDocument.Ramp,
    _ plain: PlainDocument, _ texts: inout PlainTexts
  ) -> [JSONText] {
    var found: [JSONText] = []
    for path in [ramp.path].compactMap(\.self) + ramp.otherPaths {
      var members: JSONText = ["path": texts.text(path.value.description)]
      if let to = now.to {
        members = members.adding(["to": plain.target(to, path.value, &texts)])
      }
      if let duration = now.duration {
        members = members.adding(["duration": clock.json(duration.value)])
      }
      if let curve = now.curve {
        members = members.adding(["curve": .string(curve.value.rawValue)])
      }
      found.append(["at": clock.json(at), "ramp": members])
    }
    return found
  }

  /// The operations that turn one document into the other.
  private static func operations(from old: JSONText, to new: JSONText) -> [JSONText] {
    func tree(_ text: JSONText) -> JSONTree? {
      JSONReader.read(SourceText(name: "patch.json", text: text.compact), dialect: .json).tree
    }
    guard let old = tree(old), let new = tree(new) else { return [] }
    return PatchDifference(from: old, to: new).operations.map { operation in
      var members: JSONText = [
        "op": .string(operation.kind.rawValue), "path": .string(operation.path.description),
      ]
      if let value = operation.value { members = members.adding(["value": JSONText(value)]) }
      return members
    }
  }
}
