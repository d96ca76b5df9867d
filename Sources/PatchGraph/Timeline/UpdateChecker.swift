import AudioGraphs
import Diagnostics
import PatchSyntax

/// Makes the updates of a timeline, one after the other, and checks each document that results as a
/// patch.
///
/// A finding that the previous document did not have is reported once, where it is written: in the
/// timeline, or in text that the update leaves unchanged. The time for an update depends on the
/// length of its document, which has the timeline only up to the next update: see
/// `UpdateDocuments`.
struct UpdateChecker {
  /// The keys of the members that hold for the whole run, which an update must not change.
  private static let fixedMembers = ["session", "limits", "schemaVersion", "tempo", "timeline"]

  let document: PatchDocument
  let surroundings: PatchSurroundings
  let device: PatchDevice
  private let clock: TimelineClock
  private var seen: Set<Finding>
  /// The patch after the last update; `nil` where that has errors.
  private var last: BuiltPatch?
  /// The document after the last update, with or without errors, with its sub-graphs.
  private var present: PatchDocument?
  private(set) var updates: [PlannedUpdate] = []
  private(set) var diagnostics: [Diagnostic] = []
  /// The ranges of the names of all callbacks that feed something at some time.
  private var usedCallbacks: Set<SourceRange> = []
  private(set) var inputFiles = OrderedNames<String>()
  private(set) var outputFiles = OrderedNames<String>()
  private(set) var libraries: [BuiltPatch.Library] = []
  private(set) var subgraphFiles = OrderedNames<BuiltPatch.SubgraphFile>()
  private let limits: PatchLimits
  /// The cost of the updates' documents so far, in bytes.
  private var bytesMade = 0
  /// The text that diagnostics of the patch and of its updates refer to: that of the patch,
  /// followed by those of the sub-graphs that updates add.
  var source: SourceText { known.appending(texts) }
  private let known: SourceText
  private let ownLength: Int
  private var texts: [SourceText] = []
  /// The offset in `source` at which each text begins, by its name.
  private var starts: [String: Int] = [:]
  private var end: Int

  /// What identifies a diagnostic: of diagnostics that are equal in these, one is reported.
  private struct Finding: Hashable {
    var code: Rule.Code
    var message: Diagnostic.Message
    var range: SourceRange
    /// The file of a sub-graph; `nil` for the patch itself.
    var file: String?

    /// - Parameters:
    ///   - diagnostic: The diagnostic of an update, placed in the patch.
    ///   - found: The same diagnostic, where it was found.
    init(_ diagnostic: Diagnostic, in patch: BuiltPatch, _ found: Diagnostic) {
      self.init(found, in: patch.source, ownLength: patch.ownLength)
      if file == nil { range = diagnostic.range }
    }

    /// - Parameters:
    ///   - source: The text that the diagnostic refers to.
    ///   - ownLength: How many bytes of it are the patch's own.
    init(_ diagnostic: Diagnostic, in source: SourceText, ownLength: Int) {
      code = diagnostic.code
      message = diagnostic.message
      range = diagnostic.range
      guard range.lowerBound > ownLength else { return }
      let (text, origin) = source.origin(of: range)
      range = origin
      file = text.name == source.name ? nil : text.name
    }
  }

  /// - Parameters:
  ///   - patch: The patch as it is written.
  ///   - sampleRate: The rate that the session was granted, in Hz.
  init(
    _ document: PatchDocument, _ patch: BuiltPatch, in surroundings: PatchSurroundings,
    device: PatchDevice, sampleRate: Double, limits: PatchLimits
  ) {
    self.limits = limits
    last = patch.hasErrors ? nil : patch
    present = patch.document
    self.document = document
    self.surroundings = surroundings
    self.device = device
    clock = TimelineClock(document, sampleRate: sampleRate)
    self.known = patch.source
    ownLength = patch.ownLength
    end = patch.source.bytes.count + 1
    seen = Set(
      patch.diagnostics.map { Finding($0, in: patch.source, ownLength: patch.ownLength) })
    seen = Set(seen.map(asWritten))
    recordCallbacks(document, patch.diagnostics)
  }

  /// A finding with its range where it is written, for one in a copy that a repetition has made.
  private func asWritten(_ finding: Finding) -> Finding {
    guard !document.copies.isEmpty, finding.file == nil else { return finding }
    var finding = finding
    finding.range = known.origin(of: finding.range).range
    return finding
  }

  /// Whether a diagnostic of the patch or of an update holds for the whole run. That a callback is
  /// unused does not hold if the callback feeds something at some time.
  func holds(_ diagnostic: Diagnostic) -> Bool {
    diagnostic.code != NameRules.unusedCallback.code || !usedCallbacks.contains(diagnostic.range)
  }

  private mutating func recordCallbacks(_ document: PatchDocument, _ diagnostics: [Diagnostic]) {
    let unused = Set(
      diagnostics.filter { $0.code == NameRules.unusedCallback.code }.map(\.range))
    for callback in document.callbacks where !unused.contains(callback.key.range) {
      let range = callback.key.range
      // Offsets in the patch's own text are kept, even if the text is spliced.
      usedCallbacks.insert(
        document.source.bytes == self.document.source.bytes
          ? range : document.source.origin(of: range).range)
    }
  }

  mutating func check() {
    var patches: [Int: JSONPatch] = [:]
    for (index, step) in document.timeline.enumerated() {
      if !step.triggers.isEmpty { patches[index] = .nothing }
      guard let update = step.update else { continue }
      // A repeated step is one update, the same each time.
      if step.repetitionIndex > 0 {
        patches[index] = patches[index - 1]
        continue
      }
      let reading = JSONPatch.read(update, strictness: .strict)
      diagnostics += reading.diagnostics
      if let patch = reading.patch, keepsFixedMembers(patch) { patches[index] = patch }
    }
    var documents = UpdateDocuments(document, clock, patches: patches)
    for moment in documents.moments {
      // After an update that cannot be made, the document is not known.
      guard let patch = patches[moment.step] else { return }
      switch documents.apply(patch, at: moment) {
      case .refused(let failures):
        diagnostics += failures.map { failure in
          guard document.timeline[moment.step].repetitionIndex > 0 else { return failure }
          var failure = failure
          failure.notes.append(
            .init(.init("when it is made at \(timeText(moment.time))"), at: failure.range))
          return failure
        }
        return
      case .changed(let text):
        guard countBytes(of: text, moment.step) else { return }
        let reading = PatchReader.read(text, limits: limits)
        let step = document.timeline[moment.step]
        var update = PlannedUpdate(
          time: moment.time, step: moment.step, reading: reading,
          epoch: documents.epoch(of: reading, moment))
        update.triggers = step.triggers.map(\.value)
        if step.triggers.isEmpty { check(update) } else { check(triggers: step) }
        guard let changed = reading.document else { return }
        bytesMade += Self.bytesOfItem * changed.itemCount
        documents.adopt(changed)
        updates.append(update)
      }
    }
  }

  /// The cost of making a node or a callback, in bytes of text.
  private static let bytesOfItem = 512

  /// Counts the bytes of an update's document. Returns whether the documents of all updates stay
  /// within their limit, and reports where they do not.
  private mutating func countBytes(of text: SourceText, _ step: Int) -> Bool {
    bytesMade += text.bytes.count
    guard bytesMade > limits.updates, let json = document.timeline[step].change else { return true }
    let count = document.timeline.count(where: \.isUpdate)
    diagnostics.append(
      CostRules.updates.diagnostic(
        .init(
          "the documents that the updates up to this one make have more than "
            + "\(Diagnostic.decimal(limits.updates)) bytes together"),
        at: json.markRange, pointer: json.pointer.description,
        help: [
          limits.help(
            .updates, needed: bytesMade / max(1, updates.count + 1) * count + bytesMade)
        ]))
    return false
  }

  // MARK: Values that hold for the whole run

  private mutating func keepsFixedMembers(_ patch: JSONPatch) -> Bool {
    var keeps = true
    for operation in patch.operations where operation.kind != .test {
      let changed = [operation.path] + (operation.kind == .move ? [operation.from] : [])
      for pointer in changed.compactMap(\.self) {
        guard let name = pointer.value.tokens.first else {
          keeps = false
          diagnostics.append(.wholeDocument(pointer))
          continue
        }
        guard Self.fixedMembers.contains(name) else { continue }
        keeps = false
        diagnostics.append(.changesFixedMember(pointer, name))
      }
    }
    return keeps
  }

  // MARK: The resulting document

  private mutating func check(_ update: PlannedUpdate) {
    let patch = PatchBuilder.build(update, in: surroundings, device: device)
    inputFiles.add(patch.inputFiles)
    outputFiles.add(patch.outputFiles)
    libraries += patch.libraries.filter { new in !libraries.contains { $0.path == new.path } }
    subgraphFiles.add(patch.subgraphFiles)
    present = patch.document
    guard let json = document.timeline[update.step].update else { return }
    if let changed = update.reading.document { recordCallbacks(changed, patch.diagnostics) }
    let reasons = restartReasons(update, patch)
    last = patch.hasErrors || !reasons.isEmpty ? nil : patch
    for found in patch.diagnostics + reasons {
      var diagnostic = placed(found, in: patch)
      guard seen.insert(asWritten(Finding(diagnostic, in: patch, found))).inserted else { continue }
      let isInUpdate =
        json.range.lowerBound <= diagnostic.range.lowerBound
        && diagnostic.range.upperBound <= json.range.upperBound
      if !isInUpdate {
        diagnostic.fixes = []
        diagnostic.notes.append(
          .init(
            .init("in the document that the update at \(timeText(update.time)) makes"),
            at: json.markRange))
      }
      diagnostics.append(diagnostic)
    }
  }

  /// Reports triggered callbacks that cannot begin again; once for a step that is repeated.
  private mutating func check(triggers step: PatchDocument.Step) {
    guard step.repetitionIndex == 0, let present else { return }
    for name in step.triggers {
      guard let problem = TriggerProblem(name.value, in: present) else { continue }
      diagnostics.append(
        TimelineRules.trigger.diagnostic(
          .init(problem.message), at: name.range, pointer: name.pointer,
          label: didYouMean(name.value, among: problem.names).map { .init($0) },
          help: problem.help,
          fixes: name.json.correction(of: name.value, among: problem.names)))
    }
  }

  /// The diagnostic of a change in an update that would need a restart; empty for none.
  private func restartReasons(
    _ update: PlannedUpdate, _ patch: BuiltPatch
  ) -> [Diagnostic] {
    guard let last, !patch.hasErrors, let root = update.reading.document?.root else { return [] }
    let changes = GraphDifference(from: last, to: patch).restarts
    // Another output unit also asks for another device: only the unit is reported.
    guard let change = changes.first(where: { $0.pointer.hasPrefix("/nodes") }) ?? changes.first
    else { return [] }
    let value = JSONPointer(parsing: change.pointer).flatMap { root[$0] } ?? root
    return [
      TimelineRules.updateKeeps.diagnostic(
        .init("an update cannot do without a gap that \(change.text)"), at: value.markRange,
        pointer: change.pointer, label: "this takes a restart",
        help: ["an output unit stays as it is while the patch plays; write it as it is to be"])
    ]
  }

  private func timeText(_ seconds: Double) -> String {
    let rounded = (seconds * 1000).rounded() / 1000
    return (rounded == rounded.rounded() && rounded < 1e9 ? "\(Int(rounded))" : "\(rounded)") + " s"
  }

  /// The diagnostic of an update's document as one of the patch.
  private mutating func placed(_ diagnostic: Diagnostic, in patch: BuiltPatch) -> Diagnostic {
    let text = patch.source
    func place(_ range: SourceRange) -> SourceRange {
      let (origin, range) = text.origin(of: range)
      guard origin.name != text.name else { return range }
      // In a sub-graph, whose text may not have been added yet.
      let start = starts[origin.name] ?? end
      if starts[origin.name] == nil {
        starts[origin.name] = end
        texts.append(origin)
        end += origin.bytes.count + 1
      }
      return (start + range.lowerBound)..<(start + range.upperBound)
    }
    let isElsewhere = text.origin(of: diagnostic.range).text.name != text.name
    var placed = diagnostic
    placed.range = place(diagnostic.range)
    for index in placed.notes.indices {
      placed.notes[index].range = place(placed.notes[index].range)
    }
    // A fix is kept only if the patch has the same bytes at the places of its edits.
    placed.fixes = diagnostic.fixes.compactMap { fix in
      var fix = fix
      for index in fix.edits.indices {
        let range = fix.edits[index].range
        fix.edits[index].range = place(range)
        let isSame =
          !isElsewhere && fix.edits[index].range.count == range.count
          && document.source[fix.edits[index].range] == text[range]
        if !isSame { return nil }
      }
      return fix
    }
    if !isElsewhere,
      let pointer = document.root.tree.value(writtenAt: placed.range)?.pointer.description
    {
      placed.pointer = pointer
    }
    return placed
  }
}

/// Names in the order in which they were added, each once.
struct OrderedNames<Name: Hashable> {
  private(set) var names: [Name] = []
  private var known: Set<Name> = []

  mutating func add(_ more: [Name]) {
    for name in more where known.insert(name).inserted { names.append(name) }
  }
}

extension Diagnostic {
  fileprivate static func wholeDocument(_ pointer: Located<JSONPointer>) -> Diagnostic {
    TimelineRules.updateKeeps.diagnostic(
      "an update changes members of the patch, and not all of it at once", at: pointer.range,
      pointer: pointer.pointer, label: "this is the whole patch",
      help: ["name what changes, such as /nodes, /connections or a member of them"])
  }

  fileprivate static func changesFixedMember(
    _ pointer: Located<JSONPointer>, _ name: String
  ) -> Diagnostic {
    let reason =
      switch name {
      case "session": "the device is opened once, before the first frame"
      case "limits": "a limit holds for the whole patch"
      case "schemaVersion": "it says how the whole patch is read"
      case "tempo": "the times of all steps are counted by it"
      default: "it is settled before the first frame"
      }
    return TimelineRules.updateKeeps.diagnostic(
      "an update cannot change \(Message(quoted(name)))", at: pointer.range(ofToken: 0),
      pointer: pointer.pointer, label: Message(reason),
      help: [
        name == "timeline"
          ? "write the steps into the timeline itself" : "write it as it is to be from the start"
      ])
  }
}
