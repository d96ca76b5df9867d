import AudioTypes
import AudioUnits
import RenderCore
import RenderHost

/// What an initialized graph holds: the session, and the kernels that live on from plan to plan.
struct RunningGraph: Sendable {
  /// A callback on the format of one bus.
  private struct Source: Sendable {
    var instance: CallbackInstance
    var source: RenderSource
    /// The most frames that can be asked for at once.
    var maximumFrames: Int
    /// Whether it gives floats that the plan rounds and dithers, in the place of its bus's words.
    var isLeftToPlan: Bool
    /// When the first frame of its sound was played, in frames of the device.
    var birth: Double
  }

  /// What a tap has made for a bus.
  private struct Sink: Sendable {
    var sink: RenderSink
    var format: StreamFormat
  }

  /// From when a graph is played, and how one goes over to it.
  struct Passage {
    /// In frames of the plan; 0 for as soon as can be.
    var frame = 0
    /// In seconds; 0 for at once.
    var fadeDuration = 0.0
    /// What is set at that frame.
    var writes: [ControlWrite] = []
  }

  let session: RenderSession
  let capture: FrameRing?
  /// What measures the kernels; `nil` where nothing does.
  private let meter: RenderMeter?
  private let tapGate: TapGate?
  private(set) var kernels: [NodeID: UnitKernels] = [:]
  private var sources: [SourceKey: Source] = [:]
  private var sinks: [TapID: Sink] = [:]
  /// What delays inputs so that paths which meet are equally late.
  private var delays: [BusKey: InputDelay] = [:]
  /// What the session plays in the end, of all that has been posted.
  private var played: GraphSide?
  private var timeline: RenderTimeline?
  /// The callbacks that it moves.
  private var moved: [Int] = []
  /// What still has to be served until a stage of the session has begun.
  private var leaving: [(services: [any RenderService], stage: Int)] = []
  /// What reads ahead and writes down for the graph, that of sources on their way out included.
  private(set) var services: [any RenderService] = []
  /// Frames at the device's rate until the last source ends; `nil` for never.
  private(set) var duration: Int?
  /// How often live settings have been set that the duration depends on.
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
        dither: head?.dither(.output, RemoteIO.outputElement) ?? .none),
      scheduler: scheduler)
  }

  /// The same samples with all channels in one buffer: what a file or a device takes.
  private static func interleaved(_ format: StreamFormat) -> StreamFormat {
    var copy = format
    copy.flags.remove(.isNonInterleaved)
    copy.bytesPerFrame = UInt32(format.bytesPerSample) * format.channelsPerFrame
    copy.bytesPerPacket = copy.bytesPerFrame
    return copy
  }

  /// Of the taps that measure.
  var readers: [TapID: any TapReader] { sinks.compactMapValues(\.sink.reader) }

  /// Makes what a model needs and has not yet, forgets what it needs no more, and posts the plans that
  /// lead to it: at once where nothing of what is heard changes, else by way of a fade.
  mutating func play(
    _ model: GraphModel, _ preparation: Preparation, observers: [RenderObserver],
    largestSlice: Int, _ passage: Passage = Passage()
  ) throws(Violation) {
    let side = GraphSide(model, preparation)
    let before = (sources: sources, sinks: sinks, duration: duration)
    let (timeline, moved) = try makeTimeline(model)
    let delay = Double(max(0, passage.frame - session.nextFrame)) / clientRate
    let birth = Double(max(passage.frame, session.nextFrame)) * deviceRate / clientRate
    try makeSources(side, largestSlice, birth: birth, delay: delay)
    do throws(Violation) { try makeSinks(side, largestSlice) } catch {
      sources = before.sources
      throw error
    }
    // Until then what plays now is heard.
    measure(
      side, atLeast: passage.frame > 0 ? min(before.duration ?? .max, Int(birth.rounded())) : 0)
    self.timeline = timeline
    self.moved = moved
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
    kernels = kernels.filter { model.index(of: $0.key) != nil }
    let gone =
      before.sources.filter { sources[$0.key] == nil }.sorted { $0.key.serial < $1.key.serial }
      .compactMap { $0.value.source.service }
      + before.sinks.sorted { $0.key.rawValue < $1.key.rawValue }
      .filter { sinks[$0.key]?.sink.service !== $0.value.sink.service }
      .compactMap(\.value.sink.service)
    if !gone.isEmpty { leaving.append((gone, session.postedStages)) }
    listServices()
  }

  /// Works out when the last source ends.
  ///
  /// - Parameter still: In frames of the device: until then something is heard in any case.
  private mutating func measure(_ side: GraphSide, atLeast still: Int) {
    duration =
      SoundingTime(
        model: side.model, preparation: side.preparation, domains: side.domains,
        deviceRate: deviceRate,
        sources: sources.mapValues {
          // As it was when it was made, where nothing has been turned.
          let isTurned = $0.instance.version > 0
          let now = isTurned ? $0.source.durationNow : nil
          return .init(birth: $0.birth, duration: now.map { $0() } ?? $0.source.duration)
        }
      ).frames
    duration = duration.map { max($0, still) }
    if let end = side.model.stopTime.map({ Int(max(0, $0 * deviceRate).rounded()) }) {
      duration = min(end, duration ?? end)
    }
  }

  /// Works the duration out again where a live setting has been turned that it depends on.
  mutating func measureAgain() {
    guard let played else { return }
    let version = sources.values.reduce(0) { sum, source in
      source.source.durationNow == nil ? sum : sum + source.instance.version
    }
    guard version != measuredVersion else { return }
    measuredVersion = version
    measure(played, atLeast: 0)
  }

  /// What moves the controls of a model, and the numbers of the callbacks among what is moved: the
  /// timeline there is, where nothing has changed.
  private func makeTimeline(
    _ model: GraphModel
  ) throws(Violation) -> (timeline: RenderTimeline?, moved: [Int]) {
    let moved = model.ramps.compactMap { $0.instance(in: model)?.serial }
    if let played, played.model.ramps == model.ramps, moved == self.moved {
      return (timeline, moved)
    }
    var ramps: [RenderTimeline.Ramp] = []
    for ramp in model.ramps {
      if ramp.callback != nil {
        // One that does not play is moved by nothing.
        guard let instance = ramp.instance(in: model) else { continue }
        ramps.append(try ramp.ramp(instance, rate: clientRate))
        continue
      }
      // A unit that has been removed is moved no more.
      guard let unit = model.node(ramp.node)?.instance else { continue }
      do throws(Violation) {
        ramps.append(try ramp.ramp(unit, rate: clientRate))
      } catch {
        throw error.of(ramp.node)
      }
    }
    return (ramps.isEmpty ? nil : RenderTimeline(ramps), moved)
  }

  /// Posts the plans that lead from what is played to a graph.
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
      // Longer than the fade: what is pulled at a pace of its own may be some frames behind.
      let frames = Int((passage.fadeDuration * 1.25 * clientRate).rounded(.up))
      if let both = PlanRoutes(from: played, to: side, changes) {
        let waiting = Int((wait * clientRate).rounded(.up))
        post(both, sinks, lasting: frames + waiting, waits: true)
      } else {
        // What fades out is watched as it has been: a tap whose bus is another one goes over with it.
        post(PlanRoutes(leaving: played, changes), earlierSinks, lasting: frames)
        post(PlanRoutes(entering: side, changes), sinks, lasting: frames)
      }
    }
    post(PlanRoutes(side), sinks)
    played = side
  }

  /// How long, in seconds, what enters takes until it sounds: a unit that comes and looks ahead is silent
  /// for so long, and is not gone over to before.
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

  /// Makes the delays that a graph needs and has not yet. Returns what is to be set on those that it has:
  /// one that is needed no more stays, and goes to 0.
  private mutating func makeDelays(_ side: GraphSide) -> [ControlWrite] {
    let wanted = side.preparation.latencies.delays
    var writes: [ControlWrite] = []
    for (key, delay) in delays where wanted[key] == nil {
      writes.append(ControlWrite(delay.block, 0, word: 0))
    }
    // A unit none of whose inputs waits needs none.
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

  /// Keeps what a unit that is to join renders with.
  mutating func hold(_ unit: UnitKernels, for node: NodeID) { kernels[node] = unit }

  /// Puts the controls that the timeline moves back where they were, while nothing renders.
  func restartTimeline() { timeline?.restart() }

  /// Takes away the services that nothing needs any more.
  mutating func takeFinishedServices() -> [any RenderService] {
    guard let first = leaving.first, session.begunStages >= first.stage else { return [] }
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
  ///   - birth: When what is made anew is played first, in frames of the device.
  ///   - delay: The same in seconds from now.
  private mutating func makeSources(
    _ side: GraphSide, _ largestSlice: Int, birth: Double, delay: Double
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
      // Floats have too few bits for the words of 32, which the callback rounds to itself.
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
            birth: goesOn ? before?.birth ?? birth : birth)
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

  /// What plays of a callback, on whatever format, or of the one that it takes the place of.
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
