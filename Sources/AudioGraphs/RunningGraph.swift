import AudioTypes
import AudioUnits
import RenderCore
import RenderHost

/// What an initialized graph holds: the session, and the kernels that live on from plan to plan.
struct RunningGraph: Sendable {
  /// A chain of callbacks on one bus.
  private struct Chain: Sendable {
    var links: [RenderSource]
    /// The most frames that can be asked for at once.
    var maximumFrames: Int
    /// When the first frame is played, in frames of the device.
    var birth: Double
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
  private(set) var kernels: [NodeID: UnitKernels] = [:]
  /// The links of each chain of callbacks, the first that pulls first.
  private var sources: [SourceKey: Chain] = [:]
  private var sinks: [TapID: RenderSink] = [:]
  /// What the session plays in the end, of all that has been posted.
  private var played: GraphSide?
  private var timeline: RenderTimeline?
  /// What still has to be served until a stage of the session has begun.
  private var leaving: [(services: [any RenderService], stage: Int)] = []
  /// What reads ahead and writes down for the graph, that of sources on their way out included.
  private(set) var services: [any RenderService] = []
  /// Frames at the device's rate until the last source ends; `nil` for never.
  private(set) var duration: Int?
  private let deviceRate: Double
  private let clientRate: Double

  init(
    model: GraphModel, preparation: Preparation, grant: HardwareGrant, capture: FrameRing?,
    scheduler: ParameterScheduler
  ) throws(Violation) {
    self.capture = capture
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
        clientSampleRate: clientRate),
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
  var readers: [TapID: any TapReader] { sinks.compactMapValues(\.reader) }

  /// Makes what a model needs and has not yet, forgets what it needs no more, and posts the plans that
  /// lead to it: at once where nothing of what is heard changes, else by way of a fade.
  mutating func play(
    _ model: GraphModel, _ preparation: Preparation, observers: [RenderObserver],
    largestSlice: Int, _ passage: Passage = Passage()
  ) throws(Violation) {
    let side = GraphSide(model, preparation)
    let before = (sources: sources, sinks: sinks, duration: duration)
    let timeline = try makeTimeline(model)
    let birth = Double(max(passage.frame, session.nextFrame)) * deviceRate / clientRate
    try makeSources(side, largestSlice, birth: birth)
    do throws(Violation) { try makeSinks(side, largestSlice) } catch {
      sources = before.sources
      throw error
    }
    duration =
      SoundingTime(
        model: model, preparation: preparation, domains: side.domains, deviceRate: deviceRate,
        sources: sources.mapValues { .init(birth: $0.birth, durations: $0.links.map(\.duration)) }
      ).frames
    if passage.frame > 0 {
      // Until then what plays now is heard.
      let still = min(before.duration ?? .max, Int(birth.rounded()))
      duration = duration.map { max($0, still) }
    }
    if let end = model.stopTime.map({ Int(max(0, $0 * deviceRate).rounded()) }) {
      duration = min(end, duration ?? end)
    }
    self.timeline = timeline
    for id in preparation.order {
      guard let instance = model.node(id)?.instance,
        let configuration = preparation.configurations[id],
        kernels[id] == nil || !instance.isInitialized
      else { continue }
      kernels[id] = instance.initialize(configuration)
    }
    post(side, observers, largestSlice, passage, with: before.sources)
    kernels = kernels.filter { model.node($0.key) != nil }
    let gone =
      before.sources.filter { sources[$0.key] == nil }.sorted { $0.key.serial < $1.key.serial }
      .flatMap { $0.value.links.compactMap(\.service) }
      + before.sinks.filter { sinks[$0.key] == nil }.sorted { $0.key.rawValue < $1.key.rawValue }
      .compactMap(\.value.service)
    if !gone.isEmpty { leaving.append((gone, session.postedStages)) }
    listServices()
  }

  /// What moves the controls of a model: the timeline there is, where nothing has changed.
  private func makeTimeline(_ model: GraphModel) throws(Violation) -> RenderTimeline? {
    if let played, played.model.ramps == model.ramps { return timeline }
    var ramps: [RenderTimeline.Ramp] = []
    for ramp in model.ramps {
      // A unit that has been removed is moved no more.
      guard let unit = model.node(ramp.node)?.instance else { continue }
      do throws(Violation) {
        ramps.append(try ramp.ramp(unit, rate: clientRate))
      } catch {
        throw error.of(ramp.node)
      }
    }
    return ramps.isEmpty ? nil : RenderTimeline(ramps)
  }

  /// Posts the plans that lead from what is played to a graph.
  private mutating func post(
    _ side: GraphSide, _ observers: [RenderObserver], _ largestSlice: Int, _ passage: Passage,
    with before: [SourceKey: Chain]
  ) {
    let links = before.merging(sources) { $1 }.mapValues(\.links)
    let (kernels, sinks) = (kernels, sinks)
    func plan(_ routes: PlanRoutes) -> RenderPlan {
      var compiler = PlanCompiler(
        routes: routes, kernels: kernels, sources: links, sinks: sinks, observers: observers,
        maximumFramesPerSlice: largestSlice, fadeDuration: passage.fadeDuration)
      return compiler.compile()
    }
    var (frame, writes) = (passage.frame, passage.writes)
    func post(_ routes: PlanRoutes, lasting frames: Int = 0) {
      session.play(
        PlanStage(
          plan(routes), earliest: frame, minimumFrames: frames, writes: writes,
          timeline: timeline))
      (frame, writes) = (0, [])
    }
    let changes = played.map { PlanRoutes.changes(from: $0, to: side) } ?? [:]
    if let played, passage.fadeDuration > 0, !changes.isEmpty {
      // Longer than the fade: what is pulled at a pace of its own may be some frames behind.
      let frames = Int((passage.fadeDuration * 1.25 * clientRate).rounded(.up))
      if let both = PlanRoutes(from: played, to: side, changes) {
        post(both, lasting: frames)
      } else {
        post(PlanRoutes(leaving: played, changes), lasting: frames)
        post(PlanRoutes(entering: side, changes), lasting: frames)
      }
    }
    post(PlanRoutes(side))
    played = side
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
      .flatMap { $0.value.links.compactMap(\.service) }
      + sinks.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap(\.value.service)
      + leaving.flatMap(\.services)
  }

  private mutating func makeSources(
    _ side: GraphSide, _ largestSlice: Int, birth: Double
  ) throws(Violation) {
    var kept: [SourceKey: Chain] = [:]
    kept.reserveCapacity(sources.count)
    for interaction in side.model.interactions {
      guard case .callback(let callback) = interaction, side.isPulled(callback.destination),
        let format = side.preparation.configurations[callback.destination]?
          .inputs[callback.input].format
      else { continue }
      let key = SourceKey(serial: callback.serial, format: format)
      let domain = side.domains.domain(
        feeding: BusKey(node: callback.destination, bus: callback.input))
      let frames = side.domains.frames(in: domain, for: largestSlice)
      if let present = sources[key], present.maximumFrames >= frames {
        kept[key] = present
        continue
      }
      var chain: [RenderSource] = []
      for (index, link) in callback.chain.enumerated() {
        do throws(CallbackProblem) {
          var source = try link.makeSource(for: format, maximumFramesPerSlice: frames)
          source.service = source.service.map { side.domains.scaled($0, in: domain) }
          chain.append(source)
        } catch {
          throw CallbacksReady.violation(
            error, callback, behind: callback.chain.count - 1 - index)
        }
      }
      kept[key] = Chain(links: chain, maximumFrames: frames, birth: birth)
    }
    sources = kept
  }

  private mutating func makeSinks(
    _ side: GraphSide, _ largestSlice: Int
  ) throws(Violation) {
    var kept: [TapID: RenderSink] = [:]
    for tap in side.model.taps where side.isPulled(tap.node) {
      guard let outputs = side.preparation.configurations[tap.node]?.outputs else { continue }
      let domain = side.domains.domain(
        ofOutput: BusKey(node: tap.node, bus: tap.output), head: side.model.head?.id)
      do throws(CallbackProblem) {
        if let present = sinks[tap.id] {
          kept[tap.id] = present
        } else {
          var sink = try tap.tap.makeSink(
            for: outputs[tap.output].format,
            maximumFramesPerSlice: side.domains.frames(in: domain, for: largestSlice))
          sink.service = sink.service.map { side.domains.scaled($0, in: domain) }
          kept[tap.id] = sink
        }
      } catch {
        throw Violation(
          TapsReady.rule, status: error.status, error.message,
          at: tap.place,
          help: error.help.isEmpty ? [] : [error.help])
      }
    }
    sinks = kept
  }
}
