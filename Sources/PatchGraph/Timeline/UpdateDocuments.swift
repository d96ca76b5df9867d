import Diagnostics
import PatchSyntax

/// The documents that the updates of a timeline make, one after the other.
///
/// Each document has only its own part of the timeline: the ramps until the next update, those that
/// are in progress when it begins, and the first stop. So documents do not grow with the number of
/// updates, and the time for all of them depends only on their texts. The patch as written keeps
/// the whole timeline, which no update changes; `TimelineFold` puts it back.
struct UpdateDocuments {
  /// An update, and the steps between it and the next.
  struct Moment {
    /// The index of its step in the timeline of the document.
    var step: Int
    /// The time in seconds from the start.
    var time: Double
    /// When the next update comes, in seconds from the start.
    var end: Double
    /// The indices of the steps that its document has: ramps, and a stop.
    var steps: [Int] = []
    /// How many of these steps began before the update.
    var earlierCount = 0
    /// Where the document has the whole timeline, the indices of the steps before the update, and
    /// of its own steps; `nil` otherwise.
    var whole: (earlier: Set<Int>, own: Set<Int>)?
  }

  private let document: PatchDocument
  private let clock: TimelineClock
  /// In order of time.
  let moments: [Moment]
  /// The patch after the last update, without its timeline.
  private var tree: JSONTree
  /// Whether the documents have the whole timeline, because an operation refers to it.
  private let keepsWhole: Bool

  init(_ document: PatchDocument, _ clock: TimelineClock, patches: [Int: JSONPatch]) {
    self.document = document
    self.clock = clock
    keepsWhole =
      document.root["timeline"]?.kind != .array
      || patches.values.contains { $0.operations.contains(where: Self.refersToTimeline) }
    moments = Self.moments(of: document, clock, keepsWhole: keepsWhole)
    tree = document.root.tree
    guard !keepsWhole, !moments.isEmpty, let bare = Self.text(of: tree, timeline: [], clock) else {
      return
    }
    tree = JSONTree.read(bare) ?? tree
  }

  private static func refersToTimeline(_ operation: JSONPatch.Operation) -> Bool {
    [operation.path, operation.from].compactMap(\.self).contains { pointer in
      pointer.value.tokens.isEmpty || pointer.value.tokens.first == "timeline"
    }
  }

  private static func moments(
    of document: PatchDocument, _ clock: TimelineClock, keepsWhole: Bool
  ) -> [Moment] {
    func seconds(_ time: Located<PatchDocument.Time>?) -> Double? {
      time.flatMap { clock.seconds($0.value) }
    }
    var moments: [Moment] = []
    /// Ramps that may still be under way, each with its end.
    var playing: [(step: Int, end: Double)] = []
    let order = clock.order(of: document)
    let stop = order.first { document.timeline[$0].stop?.value == true }
    var passed: Set<Int> = []
    for index in order {
      let step = document.timeline[index]
      let time = seconds(step.at) ?? 0
      if step.isUpdate {
        if !moments.isEmpty { moments[moments.count - 1].end = time }
        playing.removeAll { $0.end <= time }
        var moment = Moment(step: index, time: time, end: .infinity)
        moment.steps = playing.map(\.step)
        moment.earlierCount = moment.steps.count
        if keepsWhole { moment.whole = (passed, []) }
        moments.append(moment)
      } else if step.ramp != nil, step.repetitionIndex == 0 || clock.canRepeat(step) {
        playing.append((index, time + (seconds(step.ramp?.duration) ?? 0)))
        if !moments.isEmpty { moments[moments.count - 1].steps.append(index) }
      }
      if keepsWhole {
        passed.insert(index)
        if !step.isUpdate, !moments.isEmpty {
          moments[moments.count - 1].whole?.own.insert(index)
        }
      }
    }
    if let stop {
      for index in moments.indices { moments[index].steps.append(stop) }
    }
    return moments
  }

  /// Applies an update to the last document. Returns the document of the update.
  mutating func apply(_ patch: JSONPatch, at moment: Moment) -> DocumentChange {
    let change = patch.apply(to: tree, base: document.root.tree.source)
    guard !keepsWhole, case .changed(let text) = change, let made = JSONTree.read(text) else {
      return change
    }
    tree = made
    guard !moment.steps.isEmpty,
      let whole = Self.text(
        of: made, timeline: moment.steps.map { document.timeline[$0] }, clock,
        base: document.root.tree.source)
    else { return change }
    return .changed(whole)
  }

  /// The part of the timeline that belongs to a document.
  func epoch(of reading: PatchReader.Result, _ moment: Moment) -> TimelineEpoch {
    if let whole = moment.whole {
      return TimelineEpoch(
        steps: whole.own, earlier: whole.earlier, start: moment.time, end: moment.end,
        numbers: Dictionary(uniqueKeysWithValues: whole.own.map { ($0, $0) }))
    }
    let own = moment.earlierCount..<max(moment.steps.count, moment.earlierCount)
    return TimelineEpoch(
      steps: Set(own), earlier: Set(0..<moment.earlierCount), start: moment.time, end: moment.end,
      numbers: Dictionary(uniqueKeysWithValues: own.map { ($0, moment.steps[$0]) }))
  }

  /// Continues with the document of the last update, as it has been read.
  mutating func adopt(_ changed: PatchDocument) {
    if keepsWhole { tree = changed.root.tree }
  }

  /// The text of a document with these steps as its timeline; `nil` where it has no timeline.
  private static func text(
    of tree: JSONTree, timeline steps: [PatchDocument.Step], _ clock: TimelineClock,
    base: SourceText? = nil
  ) -> SourceText? {
    guard let range = tree.root["timeline"]?.localRange else { return nil }
    let source = tree.source
    let place = range.lowerBound..<(range.lowerBound + 1)
    var parts: [SourceText.Part] = [.written(0..<(range.lowerBound + 1), in: source)]
    for (number, step) in steps.enumerated() {
      if number > 0 { parts.append(.generated(", ", for: place, in: source)) }
      parts += Self.parts(of: step, clock)
    }
    parts.append(.written((range.upperBound - 1)..<source.bytes.count, in: source))
    return SourceText(name: source.name, parts: parts, base: base ?? source)
  }

  /// The text of a step. A repeated step becomes a single one with the time of this repetition.
  private static func parts(
    of step: PatchDocument.Step, _ clock: TimelineClock
  ) -> [SourceText.Part] {
    let whole = step.json.localRange
    let source = step.json.tree.source
    guard step.repetition != nil, let ramp = step.ramp, let at = step.at else {
      return [.written(whole, in: source)]
    }
    let time = clock.json(at.value).compact
    return [
      .generated("{ \"at\": \(time), \"ramp\": ", for: whole, in: source),
      .written(ramp.json.localRange, in: ramp.json.tree.source),
      .generated(" }", for: whole, in: source),
    ]
  }
}
