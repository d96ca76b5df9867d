import AudioTypes
import AudioUnits
import RenderCore
import RenderHost

/// The contents of an initialized graph: the session, and the kernels that are kept from plan to
/// plan.
struct RunningGraph: Sendable {
  /// A callback that renders in the format of one bus.
  private struct Source: Sendable {
    var instance: CallbackInstance
    var source: RenderSource
    /// The most frames of one pull.
    var maximumFrames: Int
    /// Whether it renders floats, which the plan rounds and dithers, instead of its bus's words.
    var isLeftToPlan: Bool
    /// The time of the first frame of its sound, in frames of the device.
    var startFrame: Double
  }

  /// The sink of a tap, for a bus of one format.
  private struct Sink: Sendable {
    var sink: RenderSink
    var format: StreamFormat
  }

  /// The time and the fade of the transition to a new model.
  struct Passage {
    /// In frames of the plan; 0 for as soon as possible.
    var frame = 0
    /// In seconds; 0 for at once.
    var fadeDuration = 0.0
    /// Values to set at that frame.
    var writes: [ControlWrite] = []
  }

  let session: RenderSession
  let capture: FrameRing?
  /// Measures the kernels; `nil` measures nothing.
  private let meter: RenderMeter?
  private let tapGate: TapGate?
  private(set) var kernels: [NodeID: UnitKernels] = [:]
  private var sources: [SourceKey: Source] = [:]
  private var sinks: [TapID: Sink] = [:]
  /// The delays of inputs, which make paths that meet equally late.
  private var delays: [BusKey: InputDelay] = [:]
  /// The graph that the session plays once all posted stages have begun.
  private var played: GraphSide?
  private var timeline: RenderTimeline?
  /// The serials of the callbacks that the timeline moves.
  private var moved: [Int] = []
  /// Services of removed sources and sinks, kept until a stage of the session has begun.
  private var leaving: [(services: [any RenderService], stage: Int)] = []
  /// The services that read and write files for the graph, those of sources that fade out included.
  private(set) var services: [any RenderService] = []
  /// Frames at the device's rate until the last source ends; `nil` for never.
  private(set) var duration: Int?
  /// The versions of the live settings that `duration` has been computed from, added up.
  private var measuredVersion = 0
  private let deviceRate: Double
  private let clientRate: Double

  init(
    model: GraphModel, preparation: Preparation, grant: HardwareGrant, capture: FrameRing?,
    scheduler: ParameterScheduler, isLive: Bool = false, threadCount: Int = 1,
    meter: RenderMeter? = nil, tapGate: TapGate? = nil
  ) throws(Violation) {
    self.capture = capture
    self.meter = meter
    self.tapGate = tapGate
    let head = model.head.flatMap { preparation.configurations[$0.id] }
    let client = head?.inputs[0].format
    let isFed = head?.inputs[0].isUsed == true
    let heard =
      capture == nil ? nil : head?.outputs[RemoteIO.inputElement].format
    let device =
      model.head?.unit.description.property(.enableIO) == nil
      ? head.map { Self.interleaved($0.outputs[0].format) } : grant.outputFormat
    deviceRate = device?.sampleRate ?? grant.sampleRate
    let clientRate = isFed ? client?.sampleRate : heard?.sampleRate
    self.clientRate = clientRate ?? deviceRate
    session = RenderSession(
      .init(
        client: isFed ? client?.sampleType : nil, device: isFed ? device : nil,
        channelMap: isFed ? head.map(OutputUnits.playedChannels) ?? [] : [],
        capture: capture, sampleRate: deviceRate,
        clientSampleRate: clientRate, silencesNonFinite: isLive, threadCount: threadCount,
        inRealTime: isLive,
        dither: head?.dither(.output, RemoteIO.outputElement) ?? .none),
      scheduler: scheduler)
  }

  /// The same format with all channels in one buffer, as files and devices need it.
  private static func interleaved(_ format: StreamFormat) -> StreamFormat {
    var copy = format
    copy.flags.remove(.isNonInterleaved)
    copy.bytesPerFrame = UInt32(format.bytesPerSample) * format.channelsPerFrame
    copy.bytesPerPacket = copy.bytesPerFrame
    return copy
  }

  /// The readers of the taps that measure.
  var readers: [TapID: any TapReader] { sinks.compactMapValues(\.sink.reader) }

  /// Plays a model: makes missing kernels, sources and sinks, releases those that are no longer
  /// needed, and posts the plans for the transition, with a cross-fade where a change is heard.
  mutating func play(
    _ model: GraphModel, _ preparation: Preparation, observers: [RenderObserver],
    largestSlice: Int, _ passage: Passage = Passage()
  ) throws(Violation) {
    let side = GraphSide(model, preparation)
    let before = (sources: sources, sinks: sinks, duration: duration)
    let (timeline, moved) = try makeTimeline(model)
    let delay = Double(max(0, passage.frame - session.nextFrame)) / clientRate
    let startFrame = Double(max(passage.frame, session.nextFrame)) * deviceRate / clientRate
    try makeSources(side, largestSlice, startFrame: startFrame, delay: delay)
    do throws(Violation) { try makeSinks(side, largestSlice) } catch {
      sources = before.sources
      throw error
    }
    // The present graph is heard until the new one takes over.
    measure(
      side, atLeast: passage.frame > 0 ? min(before.duration ?? .max, Int(startFrame.rounded())) : 0
    )
    self.timeline = timeline
    self.moved = moved
    kernels.reserveCapacity(preparation.order.count)
    for id in preparation.order {
      guard let instance = model.node(id)?.instance,
        let configuration = preparation.configurations[id]
      else { continue }
      if kernels[id] == nil || !instance.isInitialized {
        kernels[id] = instance.initialize(configuration)
      } else if instance.unit.takesFormatsLive {
        instance.takeFormats(of: configuration.inputs)
      }
    }
    var passage = passage
    passage.writes += makeDelays(side)
    post(side, observers, largestSlice, passage, with: before.sources, before.sinks)
    delays = delays.filter { model.index(of: $0.key.node) != nil }
    // Only where a node has gone: a filter copies all.
    if kernels.keys.contains(where: { model.index(of: $0) == nil }) {
      kernels = kernels.filter { model.index(of: $0.key) != nil }
    }
    let gone =
      before.sources.filter { sources[$0.key] == nil }.sorted { $0.key.serial < $1.key.serial }
      .compactMap { $0.value.source.service }
      + before.sinks.sorted { $0.key.rawValue < $1.key.rawValue }
      .filter { sinks[$0.key]?.sink.service !== $0.value.sink.service }
      .compactMap(\.value.sink.service)
    if !gone.isEmpty { leaving.append((gone, session.postedStages)) }
    listServices()
  }

  /// Computes when the last source ends.
  ///
  /// - Parameter still: The smallest result, in frames of the device: the time until which the
  ///   present graph is heard.
  private mutating func measure(_ side: GraphSide, atLeast still: Int) {
    duration =
      SoundingTime(
        side, deviceRate: deviceRate,
        sources: sources.mapValues {
          // Without a changed setting, the duration measured when the source was made holds.
          let wasChanged = $0.instance.version > 0
          let now = wasChanged ? $0.source.durationNow : nil
          return .init(startFrame: $0.startFrame, duration: now.map { $0() } ?? $0.source.duration)
        }
      ).frames
    duration = duration.map { max($0, still) }
    if let end = side.model.stopTime.map({ Int(max(0, $0 * deviceRate).rounded()) }) {
      duration = min(end, duration ?? end)
    }
  }

  /// Computes the duration again after a change of a live setting that it depends on.
  mutating func measureAgain() {
    guard let played else { return }
    let version = sources.values.reduce(0) { sum, source in
      source.source.durationNow == nil ? sum : sum + source.instance.version
    }
    guard version != measuredVersion else { return }
    measuredVersion = version
    measure(played, atLeast: 0)
  }

  /// The timeline of a model, and the serials of the callbacks that it moves. Returns the present
  /// timeline where nothing has changed.
  private func makeTimeline(
    _ model: GraphModel
  ) throws(Violation) -> (timeline: RenderTimeline?, moved: [Int]) {
    let moved = model.ramps.compactMap { $0.instance(in: model)?.serial }
    if let played, played.model.ramps == model.ramps, moved == self.moved {
      return (timeline, moved)
    }
    var ramps: [RenderTimeline.Ramp] = []
    for ramp in model.ramps {
      if let ramp = try ramp.ramp(in: model, rate: clientRate) { ramps.append(ramp) }
    }
    return (ramps.isEmpty ? nil : RenderTimeline(ramps), moved)
  }

  /// Posts the plans that lead from the graph that plays to another.
  private mutating func post(
    _ side: GraphSide, _ observers: [RenderObserver], _ largestSlice: Int, _ passage: Passage,
    with before: [SourceKey: Source], _ earlierSinks: [TapID: Sink]
  ) {
    let links = before.merging(sources) { $1 }.mapValues(\.source)
    let (kernels, sinks, session, meter) = (kernels, sinks, session, meter)
    let delays = delays.mapValues(\.kernel)
    let changes = played.map { PlanRoutes.changes(from: $0, to: side) } ?? .init()
    var passage = passage
    if changes.areOnsets {
      passage.fadeDuration = min(passage.fadeDuration, CrossfadeKernel.onsetDuration)
    }
    let wait = played.map { Self.wait(from: $0, to: side, changes) } ?? 0
    func plan(
      _ routes: PlanRoutes, _ sinks: [TapID: Sink], waits: Bool = false
    ) -> RenderPlan {
      var compiler = PlanCompiler(
        routes: routes, kernels: kernels, sources: links, sinks: sinks.mapValues(\.sink),
        observers: observers, maximumFramesPerSlice: largestSlice,
        fadeDuration: passage.fadeDuration, threadCount: session.configuration.threadCount,
        inRealTime: session.configuration.inRealTime,
        meter: meter, delays: delays, fadeWait: waits ? wait : 0)
      return compiler.compile()
    }
    var (frame, writes) = (passage.frame, passage.writes)
    func post(
      _ routes: PlanRoutes, _ sinks: [TapID: Sink], lasting frames: Int = 0, waits: Bool = false
    ) {
      session.play(
        PlanStage(
          plan(routes, sinks, waits: waits), earliest: frame, minimumFrames: frames, writes: writes,
          timeline: timeline))
      (frame, writes) = (0, [])
    }
    if let played, passage.fadeDuration > 0, !changes.isEmpty {
      // Longer than the fade, because a domain with its own pace may be some frames behind.
      let frames = Int((passage.fadeDuration * 1.25 * clientRate).rounded(.up))
      if let both = PlanRoutes(from: played, to: side, changes) {
        let waiting = Int((wait * clientRate).rounded(.up))
        post(both, sinks, lasting: frames + waiting, waits: true)
      } else {
        // The plan that fades out keeps its sinks; a tap that moves to another bus moves with the
        // fade-in.
        post(PlanRoutes(played, changes.leaving), earlierSinks, lasting: frames)
        post(PlanRoutes(side, changes.entering), sinks, lasting: frames)
      }
    }
    post(PlanRoutes(side), sinks)
    played = side
  }

  /// The time before a cross-fade, in seconds: a new unit with look-ahead is silent for that long.
  private static func wait(
    from old: GraphSide, to new: GraphSide, _ changes: PlanRoutes.Changes
  ) -> Double {
    let latencies = new.preparation.latencies
    guard
      new.preparation.pulled.contains(where: {
        !old.isPulled($0) && latencies.own($0) > 0
      })
    else { return 0 }
    return min(1, changes.inputs.keys.map { latencies.inputs[$0] ?? 0 }.max() ?? 0)
  }

  /// Makes missing delays. Returns the writes to existing ones; a delay that is no longer needed
  /// stays, and is set to 0.
  private mutating func makeDelays(_ side: GraphSide) -> [ControlWrite] {
    let wanted = side.preparation.latencies.delays
    var writes: [ControlWrite] = []
    for (key, delay) in delays where wanted[key] == nil {
      writes.append(ControlWrite(delay.block, 0, word: 0))
    }
    // A unit needs no delays where none of its inputs has to wait.
    let waiting = Set(wanted.filter { $0.value > 0 }.map(\.key.node))
    for (key, frames) in wanted {
      guard let configuration = side.preparation.configurations[key.node],
        let node = side.model.node(key.node)
      else { continue }
      let format = configuration.inputs[key.bus].format
      if let present = delays[key], present.format == format, frames < present.capacity {
        writes.append(ControlWrite(present.block, 0, word: UInt32(frames)))
      } else if waiting.contains(key.node) {
        let asWords =
          kernels[key.node]?.mainUsesBusWords == true && format.sampleType?.fitsFloat == false
        delays[key] = InputDelay(
          format, frames, startsDelayed: played == nil || played?.model.index(of: node.id) == nil,
          fades: !asWords)
      }
    }
    return writes
  }

  /// Keeps the kernels of a unit that is to join the graph.
  mutating func hold(_ unit: UnitKernels, for node: NodeID) { kernels[node] = unit }

  /// Puts the controls that the timeline moves back to where they were. Called while nothing
  /// renders.
  func restartTimeline() { timeline?.restart() }

  /// Whether there are services that are no longer needed.
  var hasFinishedServices: Bool {
    leaving.first.map { session.begunStages >= $0.stage } ?? false
  }

  /// Removes and returns the services that are no longer needed.
  mutating func takeFinishedServices() -> [any RenderService] {
    guard hasFinishedServices else { return [] }
    let finished = leaving.prefix { session.begunStages >= $0.stage }
    leaving.removeFirst(finished.count)
    listServices()
    return finished.flatMap(\.services)
  }

  private mutating func listServices() {
    services =
      sources.sorted { $0.key.serial < $1.key.serial }
      .compactMap { $0.value.source.service }
      + sinks.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap(\.value.sink.service)
      + leaving.flatMap(\.services)
  }

  /// - Parameters:
  ///   - startFrame: When a new source is first played, in frames of the device.
  ///   - delay: The same in seconds from now.
  private mutating func makeSources(
    _ side: GraphSide, _ largestSlice: Int, startFrame: Double, delay: Double
  ) throws(Violation) {
    var kept: [SourceKey: Source] = [:]
    kept.reserveCapacity(sources.count)
    for interaction in side.model.interactions {
      guard case .callback(let callback) = interaction, side.isPulled(callback.destination),
        let configuration = side.preparation.configurations[callback.destination]
      else { continue }
      let format = configuration.inputs[callback.input].format
      let domain = side.domains.domain(
        feeding: BusKey(node: callback.destination, bus: callback.input))
      let frames = side.domains.frames(in: domain, for: largestSlice)
      // Floats have too few bits for 32-bit words, so that the callback rounds to those itself.
      let isDithered =
        configuration.dither(.input, callback.input).dither != .none
        && format.sampleType != .int32
      for (behind, instance) in callback.instances.enumerated() {
        let key = SourceKey(serial: instance.serial, format: format)
        let isLeftToPlan = isDithered && instance.canLeaveRounding
        if let present = sources[key], present.maximumFrames >= frames,
          present.isLeftToPlan == isLeftToPlan
        {
          kept[key] = present
          continue
        }
        let before = present(instance)
        do throws(CallbackProblem) {
          var source = try instance.makeSource(
            for: isLeftToPlan ? Self.floats(like: format) : format, maximumFramesPerSlice: frames,
            after: before?.source.clock.map { SourceContinuation($0, delay: delay) })
          source.service = source.service.map { side.domains.scaled($0, in: domain) }
          if isLeftToPlan { source.writesBusWords = false }
          let goesOn = before?.source.clock != nil && source.clock != nil
          kept[key] = Source(
            instance: instance, source: source, maximumFrames: frames, isLeftToPlan: isLeftToPlan,
            startFrame: goesOn ? before?.startFrame ?? startFrame : startFrame)
        } catch {
          throw CallbacksReady.violation(error, callback, behind: behind)
        }
      }
    }
    sources = kept
  }

  private static func floats(like format: StreamFormat) -> StreamFormat {
    .platformCanonical(channels: format.channelCount, sampleRate: format.sampleRate)
  }

  /// The present source of a callback in any format, or of the callback that it replaces.
  private func present(_ instance: CallbackInstance) -> Source? {
    func find(_ serial: Int) -> Source? { sources.first { $0.key.serial == serial }?.value }
    return find(instance.serial) ?? instance.predecessor.flatMap(find)
  }

  private mutating func makeSinks(
    _ side: GraphSide, _ largestSlice: Int
  ) throws(Violation) {
    var kept: [TapID: Sink] = [:]
    for tap in side.model.taps where side.isPulled(tap.node) {
      guard let outputs = side.preparation.configurations[tap.node]?.outputs else { continue }
      let domain = side.domains.domain(
        ofOutput: BusKey(node: tap.node, bus: tap.output), head: side.model.head?.id)
      do throws(CallbackProblem) {
        let format = outputs[tap.output].format
        if let present = sinks[tap.id], present.format == format {
          kept[tap.id] = present
        } else {
          var sink = try tap.tap.makeSink(
            for: format,
            maximumFramesPerSlice: side.domains.frames(in: domain, for: largestSlice))
          sink.service = sink.service.map { side.domains.scaled($0, in: domain) }
          if let tapGate { sink.kernel = tapGate.gated(sink.kernel) }
          kept[tap.id] = Sink(sink: sink, format: format)
        }
      } catch {
        throw TapsReady.refusal(error, tap)
      }
    }
    sinks = kept
  }
}
