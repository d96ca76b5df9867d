import AudioTypes
import AudioUnits
import RenderCore
import RenderHost

/// What an initialized graph holds: the session, and the kernels that live on from plan to plan.
struct RunningGraph: Sendable {
  let session: RenderSession
  let capture: FrameRing?
  private(set) var kernels: [NodeID: UnitKernels] = [:]
  /// By the serial number of the callback's edit: the links of its chain, the first that pulls first.
  private(set) var sources: [Int: [RenderSource]] = [:]
  private(set) var sinks: [TapID: RenderSink] = [:]
  /// Frames at the device's rate until the last source ends; `nil` for never.
  private(set) var duration: Int?
  private let deviceRate: Double
  /// Frames at the device's rate until the graph ends in any case; `nil` for never.
  private let end: Int?

  init(
    model: GraphModel, preparation: Preparation, grant: HardwareGrant, capture: FrameRing?,
    ramps: [ParameterRamp] = [], stopTime: Double? = nil
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
    var timeline: [RenderTimeline.Ramp] = []
    for ramp in ramps {
      // A unit that has been removed is moved no more.
      guard let unit = model.node(ramp.node)?.instance else { continue }
      do throws(Violation) {
        timeline.append(try ramp.ramp(unit, rate: clientRate ?? deviceRate))
      } catch {
        throw error.of(ramp.node)
      }
    }
    let rate = deviceRate
    end = stopTime.map { Int(max(0, $0 * rate).rounded()) }
    session = RenderSession(
      .init(
        client: isFed ? client?.sampleType : nil, device: isFed ? device : nil,
        channelMap: isFed ? head.map(OutputUnits.playedChannels) ?? [] : [],
        capture: capture, sampleRate: deviceRate,
        clientSampleRate: clientRate),
      timeline: timeline.isEmpty ? nil : RenderTimeline(timeline))
  }

  /// The same samples with all channels in one buffer: what a file or a device takes.
  private static func interleaved(_ format: StreamFormat) -> StreamFormat {
    var copy = format
    copy.flags.remove(.isNonInterleaved)
    copy.bytesPerFrame = UInt32(format.bytesPerSample) * format.channelsPerFrame
    copy.bytesPerPacket = copy.bytesPerFrame
    return copy
  }

  var services: [any RenderService] {
    sources.sorted { $0.key < $1.key }.flatMap { $0.value.compactMap(\.service) }
      + sinks.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap(\.value.service)
  }

  /// Of the taps that measure.
  var readers: [TapID: any TapReader] { sinks.compactMapValues(\.reader) }

  /// Makes what a model needs and has not yet, forgets what it needs no more, and compiles a plan.
  mutating func takeOver(
    _ model: GraphModel, _ preparation: Preparation, observers: [RenderObserver],
    largestSlice: Int
  ) throws(Violation) -> RenderPlan {
    let domains = RateDomains(model, preparation)
    try makeSources(model, preparation, domains, largestSlice)
    try makeSinks(model, preparation, domains, largestSlice)
    duration =
      SoundingTime(
        model: model, preparation: preparation, domains: domains, deviceRate: deviceRate,
        durations: sources.mapValues { $0.map(\.duration) }
      ).frames
    if let end { duration = min(end, duration ?? end) }
    for id in preparation.order {
      guard let instance = model.node(id)?.instance,
        let configuration = preparation.configurations[id],
        kernels[id] == nil || !instance.isInitialized
      else { continue }
      kernels[id] = instance.initialize(configuration)
    }
    kernels = kernels.filter { model.node($0.key) != nil }
    var compiler = PlanCompiler(
      model: model, preparation: preparation, domains: domains, kernels: kernels,
      sources: sources, sinks: sinks, observers: observers, maximumFramesPerSlice: largestSlice)
    return compiler.compile()
  }

  private mutating func makeSources(
    _ model: GraphModel, _ preparation: Preparation, _ domains: RateDomains, _ largestSlice: Int
  ) throws(Violation) {
    var kept: [Int: [RenderSource]] = [:]
    for interaction in model.interactions {
      guard case .callback(let callback) = interaction,
        preparation.pulled.contains(callback.destination),
        let format = preparation.configurations[callback.destination]?
          .inputs[callback.input].format
      else { continue }
      let key = callback.serial
      let domain = domains.domain(
        feeding: BusKey(node: callback.destination, bus: callback.input))
      do throws(CallbackProblem) {
        if let present = sources[key] {
          kept[key] = present
        } else {
          var chain: [RenderSource] = []
          for link in callback.chain {
            var source = try link.makeSource(
              for: format,
              maximumFramesPerSlice: domains.frames(in: domain, for: largestSlice))
            source.service = source.service.map { domains.scaled($0, in: domain) }
            chain.append(source)
          }
          kept[key] = chain
        }
      } catch {
        throw Violation(
          CallbacksReady.rule, status: error.status, error.message,
          at: .init(node: callback.destination, .feed(callback.input)),
          help: error.help.isEmpty ? [] : [error.help])
      }
    }
    sources = kept
  }

  private mutating func makeSinks(
    _ model: GraphModel, _ preparation: Preparation, _ domains: RateDomains, _ largestSlice: Int
  ) throws(Violation) {
    var kept: [TapID: RenderSink] = [:]
    for tap in model.taps where preparation.pulled.contains(tap.node) {
      guard let outputs = preparation.configurations[tap.node]?.outputs else { continue }
      let domain = domains.domain(
        ofOutput: BusKey(node: tap.node, bus: tap.output), head: model.head?.id)
      do throws(CallbackProblem) {
        if let present = sinks[tap.id] {
          kept[tap.id] = present
        } else {
          var sink = try tap.tap.makeSink(
            for: outputs[tap.output].format,
            maximumFramesPerSlice: domains.frames(in: domain, for: largestSlice))
          sink.service = sink.service.map { domains.scaled($0, in: domain) }
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
