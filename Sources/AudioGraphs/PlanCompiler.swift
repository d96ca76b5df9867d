import AudioTypes
import AudioUnits
import RenderCore

/// Turns an initialized graph into a render plan: rows in order, buses resolved.
///
/// Each rate domain becomes a plan. The main one, the output unit's, is what the device pulls; any
/// other belongs to the input that is pulled at a pace of its own, and has shorter slices than the
/// main one where a unit in it takes no longer ones.
struct PlanCompiler {
  let model: GraphModel
  let preparation: Preparation
  let domains: RateDomains
  let kernels: [NodeID: UnitKernels]
  /// By the serial number of the callback's edit: the links of its chain, the first that pulls first.
  let sources: [Int: [RenderSource]]
  let sinks: [TapID: RenderSink]
  let observers: [RenderObserver]
  let maximumFramesPerSlice: Int

  private let taps: [BusKey: [GraphModel.Tap]]
  private var builders: [RateDomains.Domain: PlanBuilder] = [:]
  /// The bus that holds what an output element puts out, in its format's own words.
  private var outputBuses: [BusKey: Int] = [:]

  init(
    model: GraphModel, preparation: Preparation, domains: RateDomains,
    kernels: [NodeID: UnitKernels], sources: [Int: [RenderSource]], sinks: [TapID: RenderSink],
    observers: [RenderObserver], maximumFramesPerSlice: Int
  ) {
    self.model = model
    self.preparation = preparation
    self.domains = domains
    self.kernels = kernels
    self.sources = sources
    self.sinks = sinks
    self.observers = observers
    self.maximumFramesPerSlice = maximumFramesPerSlice
    taps = Dictionary(grouping: model.taps) { BusKey(node: $0.node, bus: $0.output) }
  }

  mutating func compile() -> RenderPlan {
    if let head = model.head { compileMicrophone(head) }
    for id in preparation.order where preparation.pulled.contains(id) {
      guard let node = model.node(id), let configuration = preparation.configurations[id] else {
        continue
      }
      compile(node, configuration)
    }
    let limit = kernels.values.compactMap(\.maximumSlice).min() ?? maximumFramesPerSlice
    return (builders[.main] ?? PlanBuilder())
      .plan(
        maximumFramesPerSlice: max(1, min(maximumFramesPerSlice, limit)), observers: observers)
  }

  private mutating func compile(_ node: GraphModel.Node, _ configuration: UnitConfiguration) {
    let domain = domains.domain(of: node.id)
    let isHead = isHead(node.id)
    let usesWords = kernels[node.id]?.mainUsesBusWords == true
    var inputs: [Int] = []
    var pulled: [Int: PulledInput] = [:]
    for (index, element) in configuration.inputs.enumerated() {
      let key = BusKey(node: node.id, bus: index)
      let bus = compileInput(key, element.format, isHead: isHead, asWords: isHead || usesWords)
      guard domains.isPulled(key) else {
        inputs.append(bus)
        continue
      }
      pulled[index] = PulledInput(plan(of: .input(key)), bus: bus)
      inputs.append(builders[domain, default: .init()].silentBus(element.format.channelCount))
    }
    if isHead, let watcher = kernels[node.id]?.output, let first = inputs.first {
      let floats = builders[domain, default: .init()]
        .floats(of: first, format: configuration.inputs[0].format)
      builders[domain, default: .init()]
        .add(
          .init(
            kernel: watcher, inputs: [floats], outputs: [], failure: node.instance?.failure))
    }
    guard let kernel = kernels[node.id]?.main, !node.unit.description.isOutput else { return }
    let formats = configuration.outputs.map(\.format)
    let floats =
      worksInPlace(node, configuration)
      ? inputs : formats.map { builders[domain, default: .init()].newBus($0.channelCount) }
    builders[domain, default: .init()]
      .add(
        .init(
          kernel: kernel, inputs: inputs, outputs: floats, pulled: pulled,
          failure: node.instance?.failure))
    for (output, format) in formats.enumerated() {
      let key = BusKey(node: node.id, bus: output)
      outputBuses[key] = words(
        of: floats[output], format: format, isReady: usesWords, for: key, in: domain)
    }
    for output in formats.indices { compileTaps(BusKey(node: node.id, bus: output), in: domain) }
  }

  /// Whether an effect renders its output into the memory of its input. Where nothing feeds the input
  /// that memory is the zeros of others too.
  private func worksInPlace(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration
  ) -> Bool {
    guard let info = node.unit.description.property(.inPlaceProcessing),
      let feed = model.feeds[BusKey(node: node.id, bus: 0)],
      configuration.inputs[0].format.channelCount == configuration.outputs[0].format.channelCount
    else { return false }
    switch feed {
    case .connection(let connection):
      guard outputBuses[BusKey(node: connection.source, bus: connection.output)] != nil else {
        return false
      }
    case .callback(let callback):
      guard sources[callback.serial]?.isEmpty == false else { return false }
    }
    let isAsked =
      configuration.properties[PropertyPlace(.inPlaceProcessing, .global, 0)] ?? info.defaultValue
    let ownMemory = configuration.properties[PropertyPlace(.shouldAllocateBuffer, .output, 0)]
    return isAsked == .uint32(1) || ownMemory == .uint32(0)
  }

  /// Everything upstream of a pulled input, or of a microphone that is only watched.
  private func plan(of domain: RateDomains.Domain) -> RenderPlan {
    let nodes = preparation.order.filter {
      preparation.pulled.contains($0) && domains.domain(of: $0) == domain
    }
    let longest = nodes.compactMap { preparation.configurations[$0]?.maximumFramesPerSlice }.min()
    let asked = domains.frames(in: domain, for: maximumFramesPerSlice)
    return (builders[domain] ?? PlanBuilder())
      .plan(maximumFramesPerSlice: max(1, min(maximumFramesPerSlice, asked, longest ?? .max)))
  }

  private func isHead(_ id: NodeID) -> Bool { model.head?.id == id }

  private mutating func compileMicrophone(_ head: GraphModel.Node) {
    guard let kernel = kernels[head.id]?.input,
      let format = preparation.configurations[head.id]?.outputs[RemoteIO.inputElement].format
    else { return }
    let key = BusKey(node: head.id, bus: RemoteIO.inputElement)
    let domain = domains.domain(ofOutput: key, head: head.id)
    let isClient = feedsHead(key) && domain == .main
    let bus =
      isClient
      ? builders[domain, default: .init()].clientBus(format.channelCount)
      : builders[domain, default: .init()].newBus(format.channelCount)
    compileMicrophone(head, kernel, into: bus, in: domain)
    outputBuses[key] = bus
    compileTaps(key, in: domain)
    if let watcher = head.instance?.inputCallbackKernel {
      let floats = builders[domain, default: .init()].floats(of: bus, format: format)
      builders[domain, default: .init()].add(.init(kernel: watcher, inputs: [floats], outputs: []))
    }
    if let watcher = head.instance?.mutedSpeechKernel {
      builders[domain, default: .init()].add(.init(kernel: watcher, inputs: [], outputs: []))
    }
    guard domain == .microphone, let rate = domains.mainRate else { return }
    let input = PulledInput(plan(of: domain), bus: bus)
    let silent = builders[.main, default: .init()].silentBus(format.channelCount)
    builders[.main, default: .init()]
      .add(
        .init(
          kernel: .holding(PacedPull(ratio: format.sampleRate / rate)), inputs: [silent],
          outputs: [], pulled: [0: input]))
  }

  /// The rows from the microphone to the bus that the graph hears it on.
  private mutating func compileMicrophone(
    _ head: GraphModel.Node, _ kernel: KernelBox, into bus: Int, in domain: RateDomains.Domain
  ) {
    let failure = head.instance?.failure
    guard let map = kernels[head.id]?.inputMap,
      let hardware = preparation.configurations[head.id]?.inputs[RemoteIO.inputElement].format
    else {
      builders[domain, default: .init()]
        .add(.init(kernel: kernel, inputs: [], outputs: [bus], failure: failure))
      return
    }
    let heard = builders[domain, default: .init()].newBus(hardware.channelCount)
    builders[domain, default: .init()]
      .add(.init(kernel: kernel, inputs: [], outputs: [heard], failure: failure))
    builders[domain, default: .init()]
      .add(.init(kernel: .holding(ChannelMapKernel(map: map)), inputs: [heard], outputs: [bus]))
  }

  /// The bus, in the domain of what feeds it, that a unit reads one of its inputs from, as floats or in
  /// bus words.
  private mutating func compileInput(
    _ key: BusKey, _ format: StreamFormat, isHead: Bool, asWords: Bool
  ) -> Int {
    let domain = domains.domain(feeding: key)
    switch model.feeds[key] {
    case .connection(let connection)?:
      guard let bus = outputBuses[BusKey(node: connection.source, bus: connection.output)] else {
        return builders[domain, default: .init()].silentBus(format.channelCount)
      }
      return asWords ? bus : builders[domain, default: .init()].floats(of: bus, format: format)
    case .callback(let callback)?:
      return compileCallback(callback, format, isHead: isHead, asWords: asWords, in: domain)
    case nil:
      return builders[domain, default: .init()].silentBus(format.channelCount)
    }
  }

  /// The rows of a chain of callbacks: what the first pulls, then each with what the one before it puts
  /// out.
  private mutating func compileCallback(
    _ callback: InputCallback, _ format: StreamFormat, isHead: Bool, asWords: Bool,
    in domain: RateDomains.Domain
  ) -> Int {
    // Taken out, so that its rows are not copied.
    var builder = builders.removeValue(forKey: domain) ?? PlanBuilder()
    defer { builders[domain] = builder }
    guard let chain = sources[callback.serial], !chain.isEmpty else {
      return builder.silentBus(format.channelCount)
    }
    let isClient = isHead && callback.input == 0
    var floats: Int?
    if let source = callback.source {
      if let bus = outputBuses[source],
        let pulled = preparation.configurations[source.node]?.outputs[source.bus].format
      {
        floats = builder.floats(of: bus, format: pulled)
      } else {
        floats = builder.silentBus(format.channelCount)
      }
    }
    for (index, link) in chain.enumerated() {
      let isLast = index == chain.count - 1
      let isReady = link.writesBusWords || format.sampleType == .float32
      let bus =
        isLast && isReady && isClient
        ? builder.clientBus(format.channelCount) : builder.newBus(format.channelCount)
      builder.add(
        .init(
          kernel: link.kernel, inputs: floats.map { [$0] } ?? [], outputs: [bus],
          failure: model.node(callback.destination)?.instance?.failure))
      guard isLast else {
        floats = link.writesBusWords ? builder.floats(of: bus, format: format) : bus
        continue
      }
      let words = isReady ? bus : builder.words(of: bus, format: format, isClient: isClient)
      return asWords ? words : builder.floats(of: words, format: format)
    }
    preconditionFailure("a chain has a last link")
  }

  /// From floats that a unit has put out to the words of its output's format, unless they are those
  /// already.
  private mutating func words(
    of bus: Int, format: StreamFormat, isReady: Bool, for key: BusKey,
    in domain: RateDomains.Domain
  ) -> Int {
    let isClient = feedsHead(key)
    guard isReady || format.sampleType == .float32 else {
      return builders[domain, default: .init()].words(of: bus, format: format, isClient: isClient)
    }
    guard isClient else { return bus }
    // The unit's own bus becomes the client's.
    let client = builders[domain, default: .init()].clientBus(format.channelCount)
    builders[domain, default: .init()].redirect(from: bus, to: client)
    return client
  }

  private mutating func compileTaps(_ key: BusKey, in domain: RateDomains.Domain) {
    for tap in taps[key] ?? [] {
      guard let sink = sinks[tap.id], let bus = outputBuses[key] else { continue }
      builders[domain, default: .init()].add(.init(kernel: sink.kernel, inputs: [bus], outputs: []))
    }
  }

  /// Whether an output is connected to what the output unit plays.
  private func feedsHead(_ key: BusKey) -> Bool {
    guard let head = model.head, let taker = model.takers[key] else { return false }
    let input = BusKey(node: taker.destination, bus: taker.input)
    return input == BusKey(node: head.id, bus: RemoteIO.outputElement)
      && model.feeds[input]?.connection != nil
  }
}
