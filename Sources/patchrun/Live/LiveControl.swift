import AudioGraphs
import Control
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderCore
import RenderHost
import RenderTaps
import Reports
import Synchronization

/// The running patch as the control server sees it. Any thread.
final class LiveControl: ControlledPatch {
  private struct State {
    var stage: LiveStage
    var phase = ControlState.starting
    /// Whether a client has paused the patch.
    var isPaused = false
    /// A document that needs a restart of the patch.
    var restart: PatchReader.Result?
    var events: [AsyncStream<ControlEvent>.Continuation] = []
    var xruns = (underruns: 0, overruns: 0)
    /// How many file events of each kind there were.
    var fileEvents: [ServiceEvent.Kind: Int] = [:]
  }

  /// A document as clients get it.
  private struct KeptDocument {
    let live: LivePatch
    let number: Int
    let document: ControlDocument
  }

  let file: LiveFile
  private let documents = Mutex<KeptDocument?>(nil)
  private let signals: Signals
  private let state: Mutex<State>
  /// Held while a change is made, from reading the document until the new one plays.
  private let changes = Mutex<Void>(())
  let recordings: Takes
  /// Changed only while `changes` is held; reads for display need not hold it.
  let steps = Mutex(LiveHistory())
  let drafts = DraftServer()

  init(_ stage: LiveStage, file: LiveFile, takes: Takes, signals: Signals) {
    self.file = file
    self.signals = signals
    recordings = takes
    state = Mutex(State(stage: stage))
  }

  // MARK: Events

  func begins(_ stage: LiveStage) {
    state.withLock { state in
      state.stage = stage
      state.phase = .playing
      state.isPaused = false
    }
    emit(.started(tag: document(of: stage.live).document.tag))
  }

  func ends(_ end: ControlEnd?) {
    state.withLock { $0.phase = end == nil ? .stopping : .ended }
    guard let end else { return }
    emit(.ended(end))
    let open = state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
    for stream in open { stream.finish() }
  }

  func note(_ changes: [PatchChange], by origin: ControlOrigin) {
    guard !changes.isEmpty else { return }
    let tag = document(of: stage.live).document.tag
    emit(.changed(tag: tag, effects: changes.map(ControlEffect.init), by: origin))
  }

  /// Reports the changes that the timeline has made to the document.
  func noteTimeline(_ pointers: [String]) {
    let effects = pointers.map {
      ControlEffect(pointer: $0, summary: "the timeline has come to it", heard: "")
    }
    emit(.changed(tag: document(of: stage.live).document.tag, effects: effects, by: .timeline))
  }

  func note(refused patch: BuiltPatch, by origin: ControlOrigin) {
    emit(.refused(refusal(patch.diagnostics, in: patch.source), by: origin))
  }

  func noteRoute(_ direction: ControlDirection, _ name: String) {
    emit(.route(direction: direction, name: name))
  }

  func noteInterruption(begins: Bool) {
    state.withLock { state in
      if begins, state.phase == .playing { state.phase = .interrupted }
      if !begins, state.phase == .interrupted { state.phase = .playing }
    }
    emit(.interruption(begins: begins))
  }

  /// Reports that a side of the device is lost or found.
  ///
  /// - Parameter isWaiting: Whether any side is still lost.
  func noteDevice(
    _ direction: ControlDirection, isLost: Bool, isWaiting: Bool, _ message: String
  ) {
    state.withLock { state in
      if isWaiting, [.playing, .interrupted].contains(state.phase) { state.phase = .waiting }
      if !isWaiting, state.phase == .waiting { state.phase = .playing }
    }
    emit(.device(direction: direction, isLost: isLost, message: message))
  }

  func noteXruns(underruns: Int, overruns: Int) {
    let isNew = state.withLock { state in
      defer { state.xruns = (underruns, overruns) }
      return state.xruns != (underruns, overruns)
    }
    if isNew { emit(.xrun(underruns: underruns, overruns: overruns)) }
  }

  /// Reports an underrun of the device or of a file.
  func note(_ underrun: Underrun) {
    emit(
      .underrun(
        ControlUnderrun(
          cause: underrun.cause.rawValue, position: underrun.time, message: underrun.message)))
  }

  func note(_ event: ServiceEvent) {
    if !event.isOngoing { state.withLock { $0.fileEvents[event.kind, default: 0] += 1 } }
    emit(
      .file(
        ControlFileEvent(
          kind: event.kind.rawValue, file: event.file, position: event.time,
          duration: event.duration, frames: event.frameCount, isOngoing: event.isOngoing,
          message: event.message)))
  }

  /// How many file events of each kind there were.
  var fileEvents: [ServiceEvent.Kind: Int] { state.withLock { $0.fileEvents } }

  /// Takes the document that needs a restart, if there is one.
  func takeRestart() -> PatchReader.Result? {
    state.withLock { state in
      defer { state.restart = nil }
      return state.restart
    }
  }

  var stage: LiveStage { state.withLock { $0.stage } }

  /// The stage that plays, and the state of the run.
  var present: (stage: LiveStage, state: ControlState) {
    state.withLock { state in
      let isHeld = state.isPaused && state.phase.isUnderWay
      return (state.stage, isHeld ? .paused : state.phase)
    }
  }

  /// Runs `body` while no client changes the patch.
  func exclusively<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try changes.withLock { _ throws(Failure) in try body() }
  }

  private func emit(_ event: ControlEvent) {
    let streams = state.withLock { $0.events }
    for stream in streams { stream.yield(event) }
  }

  // MARK: Requests

  func events() -> AsyncStream<ControlEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ControlEvent.self, bufferingPolicy: .bufferingNewest(1024))
    state.withLock { $0.events.append(continuation) }
    return stream
  }

  func document() async -> ControlDocument { document(of: stage.live).document }

  /// The running document. It is created once for each revision.
  func document(
    of live: LivePatch
  ) -> (reading: PatchReader.Result, document: ControlDocument) {
    let (number, reading) = live.revision
    return documents.withLock { kept in
      if let kept, kept.live === live, kept.number == number { return (reading, kept.document) }
      let source = reading.source
      let document = ControlDocument(
        text: String(decoding: source.bytes, as: UTF8.self), tag: Self.tag(of: source),
        root: reading.document?.root, isJSON: Self.isJSON(source))
      kept = KeptDocument(live: live, number: number, document: document)
      return (reading, document)
    }
  }

  /// Whether a document has neither comments nor trailing commas.
  private static func isJSON(_ source: SourceText) -> Bool {
    JSONReader.Dialect(fileName: source.name) == .json
      || !JSONReader.read(source, dialect: .json).hasErrors
  }

  func change(
    _ change: ControlChange, ifMatch tag: String?, by origin: ControlOrigin,
    through entrance: ControlEntrance
  ) async -> ControlOutcome {
    changes.withLock { _ in make(change, ifMatch: tag, by: origin, through: entrance) }
  }

  func stop() async { signals.askForEnd() }

  func trigger(_ callback: String, by origin: ControlOrigin) async -> ControlTriggerOutcome {
    changes.withLock { _ in
      guard state.withLock({ $0.phase.isUnderWay }) else { return .notPlaying }
      let live = stage.live
      if let problem = live.triggerProblem(callback) {
        return .refused(message: problem.message, help: problem.help)
      }
      do throws(LivePatch.Refusal) { note(try live.trigger([callback]), by: origin) } catch {
        return .refused(message: "what plays cannot be changed now", help: [])
      }
      return .begun
    }
  }

  func setPaused(_ isPaused: Bool) async -> ControlState {
    let isNew = state.withLock { state in
      guard state.phase.isUnderWay && state.isPaused != isPaused else { return false }
      state.isPaused = isPaused
      let session = state.stage.graph.session
      if isPaused { session?.hold() } else { session?.release() }
      return true
    }
    let reached = present.state
    if isNew { emit(.state(reached)) }
    return reached
  }

  func save(ifMatch tag: String?) async -> ControlSaveOutcome {
    changes.withLock { _ in
      let live = stage.live
      let (playing, document) = self.document(of: live)
      let current = document.tag
      if let tag, tag != current { return .otherTag(current: current) }
      do throws(CommandFailure) {
        let path = try file.save(playing: playing.source) { !live.check($0).hasErrors }
        emit(.saved(file: path, tag: current))
        return .saved(file: path, tag: current)
      } catch {
        return .failed(message: error.message, help: error.help)
      }
    }
  }

  func validate(_ text: String, through entrance: ControlEntrance) async -> ControlRefusal {
    let live = stage.live
    let patch = live.check(
      PatchReader.read(
        SourceText(name: live.reading.source.name, text: text), limits: live.reading.limits),
      isConfined: entrance == .port)
    return refusal(patch.diagnostics, in: patch.source)
  }

  /// - Parameter isRewind: Whether the document comes from the history and so is no new step.
  func make(
    _ change: ControlChange, ifMatch tag: String?, by origin: ControlOrigin,
    through entrance: ControlEntrance, isRewind: Bool = false
  ) -> ControlOutcome {
    guard state.withLock({ $0.phase == .starting || $0.phase.isUnderWay }) else {
      return .failed(message: "the patch is not playing", help: [])
    }
    let live = stage.live
    let (present, document) = self.document(of: live)
    if let tag, tag != document.tag { return .otherTag(current: document.tag) }
    let (result, request) = changed(change, present)
    let source: SourceText
    switch result {
    // A source text without its origin, so that diagnostics refer to the document that was sent.
    case .changed(let text): source = SourceText(name: text.name, bytes: text.bytes)
    case .refused(let diagnostics):
      return refuse(refusal(diagnostics, in: request), by: origin)
    }
    let reading = PatchReader.read(source, limits: present.limits)
    do throws(LivePatch.Refusal) {
      let changes = try live.play(reading, isRequest: true, isConfined: entrance == .port)
      file.follow(from: present, to: source, read: reading)
      let (playing, document) = self.document(of: live)
      if !isRewind { keep(changes, by: origin, from: present, to: playing) }
      note(changes, by: origin)
      return .applied(tag: document.tag, effects: changes.map(ControlEffect.init))
    } catch {
      switch error {
      case .wrong(let patch):
        return refuse(refusal(patch.diagnostics, in: patch.source), by: origin)
      case .restart(let next, let changes):
        let tag = Self.tag(of: next.source)
        let effects = changes.map(ControlEffect.init)
        file.follow(from: present, to: source, read: reading)
        if !isRewind { keep(changes, by: origin, from: present, to: next) }
        state.withLock { $0.restart = next }
        signals.wake()
        emit(.changed(tag: tag, effects: effects, by: origin))
        return .applied(tag: tag, effects: effects)
      }
    }
  }

  /// Records the documents before and after a change in the history.
  func keep(
    _ changes: [PatchChange], by origin: ControlOrigin, from old: PatchReader.Result,
    to new: PatchReader.Result
  ) {
    let effects = changes.map(ControlEffect.init)
    steps.withLock { $0.note(effects, by: origin, from: old.source, to: new.source) }
  }

  /// Makes a change in the text of the document that plays.
  ///
  /// - Returns: The changed document; or why it is unchanged, with the text that the diagnostics
  ///   refer to.
  private func changed(
    _ change: ControlChange, _ present: PatchReader.Result
  ) -> (change: DocumentChange, source: SourceText) {
    guard let tree = present.document?.root.tree else {
      return (.changed(present.source), present.source)
    }
    switch change {
    case .set(let edits): return SettingEdit.apply(edits, to: tree)
    case .replace(let text):
      let source = SourceText(name: present.source.name, text: text)
      return (.changed(source), source)
    case .patch(let text): return changed(by: text) { JSONPatch.apply($0, to: tree) }
    case .merge(let text): return changed(by: text) { MergePatch.apply($0, to: tree) }
    }
  }

  private func changed(
    by request: String, _ make: (JSONValue) -> DocumentChange
  ) -> (change: DocumentChange, source: SourceText) {
    let source = SourceText(name: "request.json", text: request)
    let (tree, diagnostics) = JSONReader.readStrictly(source)
    return (tree.map { make($0.root) } ?? .refused(diagnostics), source)
  }

  private func refuse(_ refusal: ControlRefusal, by origin: ControlOrigin) -> ControlOutcome {
    emit(.refused(refusal, by: origin))
    return .refused(refusal)
  }

  private func refusal(_ diagnostics: [Diagnostic], in source: SourceText) -> ControlRefusal {
    let report = Report(
      [.patch(CheckedPatch(path: source.name, source: source, diagnostics: diagnostics))],
      version: Program.version, rules: RuleCatalog.all)
    let renderer = TextRenderer(source: source, color: false, width: 100)
    return ControlRefusal(
      report: report.json(),
      text: renderer.render(diagnostics) + renderer.summary(of: diagnostics) + "\n")
  }

  /// A hash of the bytes, and their number.
  static func tag(of source: SourceText) -> String {
    ContentHash.digits(source.bytes) + "-" + String(source.bytes.count, radix: 16)
  }
}

extension ControlEffect {
  init(_ change: PatchChange) {
    self.init(
      pointer: change.pointer, summary: change.text,
      heard: change.heard == .nothing ? "" : change.heard.words)
  }
}
