import AudioGraphs
import AudioTypes
import AudioUnits
import Control
import Diagnostics
import PatchGraph
import PatchSyntax
import PulseIO
import RenderCore
import RenderHost
import Reports
import Synchronization

/// What a patch that plays shows to the control room.
final class LiveControl: ControlledPatch {
  private struct State {
    var stage: LiveStage
    var phase = ControlState.starting
    /// A document that takes a new beginning.
    var restart: PatchReader.Result?
    var events: [AsyncStream<ControlEvent>.Continuation] = []
    var xruns = (underruns: 0, overruns: 0)
  }

  private let file: String
  private let signals: Signals
  private let state: Mutex<State>
  /// Held from the document that a change is made on until it plays.
  private let changes = Mutex<Void>(())

  init(_ stage: LiveStage, file: String, signals: Signals) {
    self.file = file == "-" ? "<stdin>" : file
    self.signals = signals
    state = Mutex(State(stage: stage))
  }

  // MARK: What the run says

  func begins(_ stage: LiveStage) {
    state.withLock { state in
      state.stage = stage
      state.phase = .playing
    }
    emit(.started(tag: Self.tag(of: stage.live.reading.source)))
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
    let tag = Self.tag(of: stage.live.reading.source)
    emit(.changed(tag: tag, effects: changes.map(ControlEffect.init), by: origin))
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

  func noteXruns(underruns: Int, overruns: Int) {
    let isNew = state.withLock { state in
      defer { state.xruns = (underruns, overruns) }
      return state.xruns != (underruns, overruns)
    }
    if isNew { emit(.xrun(underruns: underruns, overruns: overruns)) }
  }

  /// A document that takes a new beginning, taken away.
  func takeRestart() -> PatchReader.Result? {
    state.withLock { state in
      defer { state.restart = nil }
      return state.restart
    }
  }

  private var stage: LiveStage { state.withLock { $0.stage } }

  private func emit(_ event: ControlEvent) {
    let streams = state.withLock { $0.events }
    for stream in streams { stream.yield(event) }
  }

  // MARK: What the control room asks

  func events() -> AsyncStream<ControlEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ControlEvent.self, bufferingPolicy: .bufferingNewest(1024))
    state.withLock { $0.events.append(continuation) }
    return stream
  }

  func document() async -> ControlDocument {
    let source = stage.live.reading.source
    return ControlDocument(
      text: String(decoding: source.bytes, as: UTF8.self), tag: Self.tag(of: source))
  }

  func change(
    _ change: ControlChange, ifMatch tag: String?, by origin: ControlOrigin
  ) async -> ControlOutcome { changes.withLock { _ in make(change, ifMatch: tag, by: origin) } }

  func stop() async { signals.askForEnd() }

  private func make(
    _ change: ControlChange, ifMatch tag: String?, by origin: ControlOrigin
  ) -> ControlOutcome {
    guard state.withLock({ [.starting, .playing, .interrupted].contains($0.phase) }) else {
      return .failed(message: "the patch is not playing", help: [])
    }
    let live = stage.live
    let present = live.reading
    let current = Self.tag(of: present.source)
    if let tag, tag != current { return .otherTag(current: current) }
    let source: SourceText
    switch changed(change, present) {
    case .changed(let text): source = text
    case .refused(let diagnostics, let text):
      return refuse(refusal(diagnostics, in: text), by: origin)
    }
    let reading = PatchReader.read(source)
    do throws(LivePatch.Refusal) {
      let changes = try live.play(reading)
      note(changes, by: origin)
      return .applied(
        tag: Self.tag(of: live.reading.source), effects: changes.map(ControlEffect.init))
    } catch {
      switch error {
      case .wrong(let patch):
        return refuse(refusal(patch.diagnostics, in: patch.source), by: origin)
      case .restart(let next, let changes):
        let tag = Self.tag(of: next.source)
        let effects = changes.map(ControlEffect.init)
        state.withLock { $0.restart = next }
        signals.wake()
        emit(.changed(tag: tag, effects: effects, by: origin))
        return .applied(tag: tag, effects: effects)
      }
    }
  }

  private enum Edited {
    case changed(SourceText)
    case refused([Diagnostic], SourceText)
  }

  private func changed(_ change: ControlChange, _ present: PatchReader.Result) -> Edited {
    guard let tree = present.document?.root.tree else { return .changed(present.source) }
    switch change {
    case .replace(let text):
      return .changed(SourceText(name: present.source.name, text: text))
    case .patch(let text):
      let source = SourceText(name: "request.json", text: text)
      let (value, diagnostics) = DocumentChange.read(source)
      guard let value else { return .refused(diagnostics, source) }
      let reading = JSONPatch.read(value, manner: .lenient)
      guard let patch = reading.patch else { return .refused(reading.diagnostics, source) }
      return edited(patch.apply(to: tree), source)
    case .merge(let text):
      let source = SourceText(name: "request.json", text: text)
      let (value, diagnostics) = DocumentChange.read(source)
      guard let value else { return .refused(diagnostics, source) }
      return edited(MergePatch.apply(value, to: tree), source)
    }
  }

  private func edited(_ change: DocumentChange, _ source: SourceText) -> Edited {
    switch change {
    // As a text of its own: what is said of it is about the document that was asked for.
    case .changed(let text): .changed(SourceText(name: text.name, bytes: text.bytes))
    case .refused(let diagnostics): .refused(diagnostics, source)
    }
  }

  private func refuse(_ refusal: ControlRefusal, by origin: ControlOrigin) -> ControlOutcome {
    emit(.refused(refusal, by: origin))
    return .refused(refusal)
  }

  private func refusal(_ diagnostics: [Diagnostic], in source: SourceText) -> ControlRefusal {
    let report = Report(
      [.patch(CheckedPatch(path: source.name, source: source, diagnostics: diagnostics))],
      version: Patchrun.version, rules: RuleCatalog.all)
    let renderer = TextRenderer(source: source, color: false, width: 100)
    return ControlRefusal(
      report: report.json(),
      text: renderer.render(diagnostics) + renderer.summary(of: diagnostics) + "\n")
  }

  /// A number that another text hardly has, and the length.
  private static func tag(of source: SourceText) -> String {
    ContentHash.digits(source.bytes) + "-" + String(source.bytes.count, radix: 16)
  }

  // MARK: How it plays

  func status() async -> ControlStatus {
    let (stage, phase) = state.withLock { ($0.stage, $0.phase) }
    let (graph, hardware) = (stage.graph, stage.hardware)
    let (session, statistics, grant) = (graph.session, hardware.statistics, hardware.grant)
    let rate = session?.configuration.sampleRate ?? grant.sampleRate
    let reading = stage.live.reading
    return ControlStatus(
      title: reading.document?.title?.value, file: file, state: phase,
      position: Double(session?.renderedFrames ?? 0) / max(1, rate),
      duration: session?.endFrame.map { Double($0) / max(1, rate) },
      tag: Self.tag(of: reading.source),
      grant: ControlGrant(
        sink: grant.outputFormat.map {
          .init(name: grant.outputName, channels: $0.channelCount, latency: grant.outputLatency)
        },
        source: grant.inputFormat.map {
          .init(name: grant.inputName, channels: $0.channelCount, latency: grant.inputLatency)
        }, sampleRate: grant.sampleRate, sliceFrames: grant.ioBufferFrames,
        scheduling: hardware.schedulingDescription),
      load: session?.load ?? 0, peakLoad: Double(graph.takeMaximumCPULoad()),
      underruns: statistics.underruns, overruns: statistics.overruns,
      failedSlices: session?.failedSlices.count ?? 0, lostFrames: graph.lostFrames,
      pendingStages: session?.waitingStages ?? 0)
  }

  func drawing() async -> ControlDocument {
    let (reading, drawing) = stage.live.drawing
    return ControlDocument(text: drawing?.svgForPage() ?? "", tag: Self.tag(of: reading.source))
  }

  func settings() async -> ControlSettings {
    let (reading, controls) = stage.live.controls
    return ControlSettings(
      tag: Self.tag(of: reading.source), settings: controls.map(ControlSetting.init))
  }

  func meters() async -> [ControlMeter] {
    let graph = stage.graph
    return graph.readings.map { ControlMeter($0) }
      + graph.nodes.flatMap { busMeters($0, in: graph) }
  }

  /// The buses of a node whose metering is on.
  private func busMeters(_ node: NodeID, in graph: AudioGraph) -> [ControlMeter] {
    guard let info = try? graph.nodeInfo(node), let unit = info.unit,
      unit.info(.meteringMode) != nil
    else { return [] }
    var meters: [ControlMeter] = []
    for scope in [Scope.input, .output] {
      for element in 0..<unit.elementCount(scope)
      where (try? unit.property(.meteringMode, scope, element)) == .uint32(1) {
        guard let behind = levels(unit, "post", scope, element) else { continue }
        meters.append(
          ControlMeter(
            place: .bus(node: info.name, isInput: scope == .input, element: element),
            levels: behind, preFaderLevels: levels(unit, "pre", scope, element)))
      }
    }
    return meters
  }

  private func levels(
    _ unit: UnitInstance, _ side: String, _ scope: Scope, _ element: Int
  ) -> [ControlLevel]? {
    let channels = ["", "Right"].compactMap { channel -> ControlLevel? in
      guard let average = unit.parameterInfo(named: side + "AveragePower" + channel, scope),
        let peak = unit.parameterInfo(named: side + "PeakHoldLevel" + channel, scope),
        let mean = try? unit.parameter(average.id, scope, element),
        let top = try? unit.parameter(peak.id, scope, element)
      else { return nil }
      return ControlLevel(average: Double(mean), peak: Double(top))
    }
    return channels.isEmpty ? nil : channels
  }
}

extension ControlEffect {
  init(_ change: PatchChange) {
    self.init(
      pointer: change.pointer, summary: change.text,
      heard: change.heard == .nothing ? "" : change.heard.words)
  }
}

extension ControlSetting {
  init(_ control: PatchControl) {
    self.init(
      pointer: control.pointer.description, node: control.node, component: control.component,
      scope: control.scope.description, element: control.element,
      elementName: control.elementName, isUsed: control.isUsed, name: control.key,
      title: control.title, summary: control.summary,
      kind: Kind(rawValue: control.kind.rawValue) ?? .number, unit: control.unit.name,
      symbol: control.unit.symbol, range: control.range,
      isRangeEnforced: control.isRangeEnforced, defaultValue: control.defaultValue,
      value: control.value,
      choices: control.choices.map { Choice(value: $0.value, title: $0.title) },
      isWritable: control.isWritable, isInDocument: control.isInDocument,
      isProperty: control.isProperty, isScheduled: control.isScheduled)
  }
}

extension ControlMeter {
  /// What a tap has read.
  fileprivate init(_ measurement: TapMeasurement) {
    self.init(place: .tap(name: measurement.name), levels: [])
    switch measurement.reading {
    case .meter(let meter):
      levels = meter.channels.map { ControlLevel(average: $0.rms, peak: $0.heldPeak) }
    case .loudness(let loudness):
      readings = [
        .init(name: "momentary", unit: "LUFS", values: [loudness.momentary]),
        .init(name: "shortTerm", unit: "LUFS", values: [loudness.shortTerm]),
        .init(name: "integrated", unit: "LUFS", values: [loudness.integrated]),
        .init(name: "range", unit: "LU", values: [loudness.range]),
        .init(name: "truePeak", unit: "dBTP", values: loudness.truePeaks),
      ]
    case .spectrum(let spectrum):
      readings = [
        .init(name: "spectrum", unit: "dBFS", values: spectrum.recent.levels.map(Double.init)),
        .init(
          name: "peakFrequency", unit: "Hz",
          values: [spectrum.recent.peakFrequency].compactMap(\.self)),
      ]
    }
  }
}
