import AudioTypes
import AudioUnits
import RenderCore
import RenderHost

/// What an initialized graph holds: the session, and the kernels that live on from plan to plan.
struct RunningGraph: Sendable {
  let session: RenderSession
  let capture: FrameRing?
  private(set) var kernels: [NodeID: UnitKernels] = [:]
  /// By the serial number of the callback's edit.
  private(set) var sources: [Int: RenderSource] = [:]
  private(set) var sinks: [TapID: RenderSink] = [:]
  /// Frames at the device's rate until the last source ends; `nil` for never.
  private(set) var duration: Int?
  private let deviceRate: Double

  init(
    model: GraphModel, preparation: Preparation, grant: HardwareGrant, capture: FrameRing?
  ) {
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
    session = RenderSession(
      .init(
        client: isFed ? client?.sampleType : nil, device: isFed ? device : nil,
        channelMap: isFed
          ? RemoteIO.defaultChannelMap(
            from: client?.channelCount ?? 0, to: device?.channelCount ?? 0) : [],
        capture: capture, sampleRate: deviceRate,
        clientSampleRate: isFed ? client?.sampleRate : heard?.sampleRate))
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
    sources.sorted { $0.key < $1.key }.compactMap(\.value.service)
      + sinks.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap(\.value.service)
  }

  /// Makes what a model needs and has not yet, forgets what it needs no more, and compiles a plan.
  mutating func takeOver(
    _ model: GraphModel, _ preparation: Preparation, observers: [RenderObserver],
    largestSlice: Int
  ) throws(Violation) -> RenderPlan {
    try makeSources(model, preparation, largestSlice)
    try makeSinks(model, preparation, largestSlice)
    for id in preparation.order {
      guard let instance = model.node(id)?.instance,
        let configuration = preparation.configurations[id],
        kernels[id] == nil || !instance.isInitialized
      else { continue }
      kernels[id] = instance.initialize(configuration)
    }
    kernels = kernels.filter { model.node($0.key) != nil }
    var compiler = PlanCompiler(
      model: model, preparation: preparation, kernels: kernels, sources: sources, sinks: sinks,
      observers: observers, maximumFramesPerSlice: largestSlice)
    return compiler.compile()
  }

  private mutating func makeSources(
    _ model: GraphModel, _ preparation: Preparation, _ largestSlice: Int
  ) throws(Violation) {
    var kept: [Int: RenderSource] = [:]
    var longest: Int? = 0
    var isAnyFed = false
    for interaction in model.interactions {
      guard case .callback(let callback) = interaction,
        preparation.pulled.contains(callback.destination),
        let format = preparation.configurations[callback.destination]?
          .inputs[callback.input].format
      else { continue }
      let key = callback.serial
      do throws(CallbackProblem) {
        if let present = sources[key] {
          kept[key] = present
        } else {
          kept[key] = try callback.callback.makeSource(
            for: format, maximumFramesPerSlice: largestSlice)
        }
      } catch {
        throw Violation(
          CallbacksReady.rule, status: error.status, error.message,
          at: .init(node: callback.destination, .feed(callback.input)),
          help: error.help.isEmpty ? [] : [error.help])
      }
      isAnyFed = true
      let frames = kept[key]?.duration.map {
        Int((Double($0) * deviceRate / format.sampleRate).rounded(.up))
      }
      longest = frames.flatMap { frames in longest.map { max($0, frames) } }
    }
    sources = kept
    duration = isAnyFed ? longest : nil
  }

  private mutating func makeSinks(
    _ model: GraphModel, _ preparation: Preparation, _ largestSlice: Int
  ) throws(Violation) {
    var kept: [TapID: RenderSink] = [:]
    for tap in model.taps where preparation.pulled.contains(tap.node) {
      guard let outputs = preparation.configurations[tap.node]?.outputs else { continue }
      do throws(CallbackProblem) {
        if let present = sinks[tap.id] {
          kept[tap.id] = present
        } else {
          kept[tap.id] = try tap.tap.makeSink(
            for: outputs[tap.output].format, maximumFramesPerSlice: largestSlice)
        }
      } catch {
        throw Violation(
          TapsReady.rule, status: error.status, error.message,
          at: .init(node: tap.node, .bus(.output, tap.output)),
          help: error.help.isEmpty ? [] : [error.help])
      }
    }
    sinks = kept
  }
}
