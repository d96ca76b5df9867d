import AudioTypes
import AudioUnits
import RenderCore

/// A callback that renders in one format.
struct SourceKey: Hashable, Sendable {
  /// The serial of the callback's instance.
  var serial: Int
  var format: StreamFormat

  /// The serial is enough: a callback has one format, or two during a cross-fade.
  func hash(into hasher: inout Hasher) { hasher.combine(serial) }
}

/// Compiles an initialized graph into a render plan: an ordered list of rows with their buses.
///
/// Each rate domain becomes a plan. The device pulls the main plan, which is the output unit's.
/// Every other plan belongs to an input that is pulled at a pace of its own; its slices are shorter
/// than the main plan's where one of its units takes no longer ones.
struct PlanCompiler {
  let routes: PlanRoutes
  let kernels: [NodeID: UnitKernels]
  let sources: [SourceKey: RenderSource]
  let sinks: [TapID: RenderSink]
  let observers: [RenderObserver]
  let maximumFramesPerSlice: Int
  /// The duration of cross-fades, in seconds.
  let fadeDuration: Double
  /// The time before a cross-fade, in seconds, until the new feed sounds.
  private let fadeWait: Double
  /// The output unit.
  private let headID: NodeID?
  /// The output that the output unit plays, where it does not fade; `nil` for none.
  private let playedOutput: BusKey?
  /// How many threads may render the main plan.
  private let threadCount: Int
  private let inRealTime: Bool

  /// Measures the kernels, whose parts are in `parts`; without a meter `parts` is empty.
  private let meter: RenderMeter?
  private var parts: [ObjectIdentifier: RenderMeter.Part] = [:]

  /// Kernels that delay inputs so that paths that meet are equally late.
  private let delays: [BusKey: KernelBox]
  private let taps: [BusKey: [GraphModel.Tap]]
  private var builders = PlanBuilders()
  /// The bus of each output element, in its format's own words.
  private var outputBuses: [BusKey: Int] = [:]
  /// The bus of each callback, and whether it holds its format's own words.
  private var callbackBuses: [SourceKey: (bus: Int, isReady: Bool)] = [:]

  init(
    routes: PlanRoutes, kernels: [NodeID: UnitKernels], sources: [SourceKey: RenderSource],
    sinks: [TapID: RenderSink], observers: [RenderObserver], maximumFramesPerSlice: Int,
    fadeDuration: Double, threadCount: Int = 1, inRealTime: Bool = false, meter: RenderMeter? = nil,
    delays: [BusKey: KernelBox] = [:], fadeWait: Double = 0
  ) {
    self.fadeWait = fadeWait
    headID = routes.head?.id
    if let headID,
      case .steady(.output(let source)?) = routes.feed(
        BusKey(node: headID, bus: RemoteIO.outputElement))
    {
      playedOutput = source
    } else {
      playedOutput = nil
    }
    self.delays = delays
    self.meter = meter
    self.routes = routes
    self.kernels = kernels
    self.sources = sources
    self.sinks = sinks
    self.observers = observers
    self.maximumFramesPerSlice = maximumFramesPerSlice
    self.fadeDuration = fadeDuration
    // A unit with an `output` kernel shares state with its microphone side outside of the buses, so
    // that one thread must render both.
    self.threadCount = kernels.values.contains { $0.output != nil } ? 1 : threadCount
    self.inRealTime = inRealTime
    outputBuses.reserveCapacity(routes.order.count)
    builders.reserveCapacity(nodes: routes.order.count)
    callbackBuses.reserveCapacity(sources.count)
    taps = Dictionary(grouping: routes.taps) { BusKey(node: $0.node, bus: $0.output) }
  }

  mutating func compile() -> RenderPlan {
    if let head = routes.head { compileMicrophone(head) }
    for id in routes.order {
      guard let node = routes.node(id), let configuration = routes.configuration(id) else {
        continue
      }
      compile(node, configuration)
    }
    let limit = kernels.values.compactMap(\.maximumSlice).min() ?? maximumFramesPerSlice
    return builders[.main].plan(
      to: RenderPlan.clientBus, interleaved: true,
      maximumFramesPerSlice: max(1, min(maximumFramesPerSlice, limit)),
      observers: observers + (routes.head?.instance?.renderObservers ?? []),
      threadCount: threadCount, inRealTime: inRealTime, measuring: measuring)
  }

  /// Notes the part that a kernel belongs to, where a meter is set.
  private mutating func note(_ kernel: KernelBox, as part: RenderMeter.Part) {
    guard meter != nil else { return }
    parts[ObjectIdentifier(kernel)] = part
  }

  /// Wraps a kernel in the meter; `nil` without a meter.
  private var measuring: ((KernelBox) -> KernelBox)? {
    guard let meter else { return nil }
    return { [parts] in meter.measured($0, as: parts[ObjectIdentifier($0)] ?? .conversion) }
  }

  private mutating func compile(_ node: GraphModel.Node, _ configuration: UnitConfiguration) {
    let domain = routes.domain(of: node.id)
    let isHead = headID == node.id
    let kernels = kernels[node.id]
    let usesWords = kernels?.mainUsesBusWords == true
    let elements = configuration.inputs
    var inputs = BusList()
    var pulled: [Int: PulledInput] = [:]
    for index in elements.indices {
      let key = BusKey(node: node.id, bus: index)
      let format = elements[index].format
      let bus = delayed(
        compileInput(key, format, isHead: isHead, asWords: isHead || usesWords), key, format)
      guard routes.isPulled(key) else {
        inputs.append(bus)
        continue
      }
      pulled[index] = PulledInput(plan(of: .input(key), to: bus), bus: bus)
      inputs.append(builders[domain].silentBus(format.channelCount))
    }
    if isHead, let watcher = kernels?.output, let first = inputs.first {
      note(watcher, as: .unit(node.name))
      let floats = builders[domain]
        .floats(of: first, format: elements[0].format)
      builders[domain]
        .add(
          .init(
            kernel: watcher, inputs: BusList(floats), outputs: [], failure: node.instance?.failure))
    }
    guard let kernel = kernels?.main, !node.isOutput else { return }
    note(kernel, as: .unit(node.name))
    let outputs = configuration.outputs
    var floats = BusList()
    let isInPlace = worksInPlace(node, configuration)
    for output in outputs.indices {
      if !isInPlace {
        floats.append(builders.newBus(outputs[output].format.channelCount, in: domain))
      } else if output < inputs.count {
        floats.append(inputs[output])
      }
    }
    let observers = node.instance?.renderObservers ?? []
    tell(observers, .preRender, in: domain)
    builders.add(
      .init(
        kernel: kernel, inputs: inputs, outputs: floats, pulled: pulled,
        failure: node.instance?.failure), in: domain)
    tell(observers, .postRender, in: domain)
    for output in outputs.indices {
      let key = BusKey(node: node.id, bus: output)
      outputBuses[key] = words(
        of: floats[output], format: outputs[output].format, isReady: usesWords, for: key, in: domain
      )
    }
    guard !taps.isEmpty else { return }
    for output in outputs.indices { compileTaps(BusKey(node: node.id, bus: output), in: domain) }
  }

  /// The bus behind the delay of an input; `bus` itself where the input has no delay.
  private mutating func delayed(_ bus: Int, _ key: BusKey, _ format: StreamFormat) -> Int {
    guard let kernel = delays[key] else { return bus }
    let domain = routes.domain(feeding: key)
    let target = builders[domain].newBus(format.channelCount)
    builders[domain].add(.init(kernel: kernel, inputs: [bus], outputs: [target]))
    return target
  }

  /// Adds rows that call a unit's observers.
  private mutating func tell(
    _ observers: [RenderObserver], _ flags: RenderActionFlags, in domain: RateDomains.Domain
  ) {
    for observer in observers {
      builders[domain]
        .add(
          .init(
            kernel: .calling(ObserverKernel(observer, flags), with: observer), inputs: [],
            outputs: []))
    }
  }

  /// Whether an effect renders its output into the memory of its input. `false` where nothing feeds
  /// the input: its memory is the silent bus, which other units read too; and where a source may lend
  /// its frames to it.
  ///
  /// Changes nothing: for another kind of call the whole compiler would be copied.
  private mutating func worksInPlace(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration
  ) -> Bool {
    // During a cross-fade the input may also feed something else, so it must not be overwritten.
    guard !routes.isCrossfading, let info = node.unit.description.property(.inPlaceProcessing),
      case .steady(let feed?) = routes.feed(BusKey(node: node.id, bus: 0)),
      configuration.inputs[0].format.channelCount == configuration.outputs[0].format.channelCount
    else { return false }
    switch feed {
    case .output(let source):
      guard outputBuses[source] != nil else { return false }
    case .link(let callback, let index):
      let key = SourceKey(
        serial: callback.instances[index].serial, format: configuration.inputs[0].format)
      // What a source lends is not written to: working in place would copy it first.
      guard let source = sources[key], !source.kernel.lendsMemory else { return false }
    }
    let isAsked =
      configuration.properties[PropertyPlace(.inPlaceProcessing, .global, 0)] ?? info.defaultValue
    let ownMemory = configuration.properties[PropertyPlace(.shouldAllocateBuffer, .output, 0)]
    return isAsked == .uint32(1) || ownMemory == .uint32(0)
  }

  /// The plan of everything upstream of a pulled input, or of a microphone that only a tap
  /// observes.
  ///
  /// - Parameter bus: The bus that the input is filled from.
  private func plan(of domain: RateDomains.Domain, to bus: Int) -> RenderPlan {
    let nodes = routes.order.filter { routes.domain(of: $0) == domain }
    let longest = nodes.compactMap { routes.configuration($0)?.maximumFramesPerSlice }.min()
    let asked = routes.frames(in: domain, for: maximumFramesPerSlice)
    return builders[domain].plan(
      to: bus, maximumFramesPerSlice: max(1, min(maximumFramesPerSlice, asked, longest ?? .max)),
      measuring: measuring)
  }

  private mutating func compileMicrophone(_ head: GraphModel.Node) {
    guard let kernel = kernels[head.id]?.input,
      let format = routes.configuration(head.id)?.outputs[RemoteIO.inputElement].format
    else { return }
    note(kernel, as: .unit(head.name))
    let key = BusKey(node: head.id, bus: RemoteIO.inputElement)
    let domain = routes.domain(ofOutput: key)
    let isClient = playedOutput == key && domain == .main
    let bus =
      isClient
      ? builders[domain].clientBus(format.channelCount)
      : builders[domain].newBus(format.channelCount)
    compileMicrophone(head, kernel, into: bus, in: domain)
    outputBuses[key] = bus
    compileTaps(key, in: domain)
    if let watcher = head.instance?.inputCallbackKernel {
      let floats = builders[domain].floats(of: bus, format: format)
      builders[domain].add(.init(kernel: watcher, inputs: [floats], outputs: []))
    }
    if let watcher = head.instance?.mutedSpeechKernel {
      builders[domain].add(.init(kernel: watcher, inputs: [], outputs: []))
    }
    guard domain == .microphone, let rate = routes.mainRate else { return }
    let input = PulledInput(plan(of: domain, to: bus), bus: bus)
    let silent = builders[.main].silentBus(format.channelCount)
    builders[.main]
      .add(
        .init(
          kernel: .holding(PacedPull(ratio: format.sampleRate / rate)), inputs: [silent],
          outputs: [], pulled: [0: input]))
  }

  /// Adds the rows from the microphone to the bus that the graph hears it on.
  private mutating func compileMicrophone(
    _ head: GraphModel.Node, _ kernel: KernelBox, into bus: Int, in domain: RateDomains.Domain
  ) {
    let failure = head.instance?.failure
    guard let map = kernels[head.id]?.inputMap,
      let hardware = routes.configuration(head.id)?.inputs[RemoteIO.inputElement].format
    else {
      builders[domain]
        .add(.init(kernel: kernel, inputs: [], outputs: [bus], failure: failure))
      return
    }
    let heard = builders[domain].newBus(hardware.channelCount)
    builders[domain]
      .add(.init(kernel: kernel, inputs: [], outputs: [heard], failure: failure))
    builders[domain]
      .add(.init(kernel: .holding(ChannelMapKernel(map: map)), inputs: [heard], outputs: [bus]))
  }

  /// The bus, in the domain of its feed, that a unit reads an input from, as floats or in bus
  /// words.
  private mutating func compileInput(
    _ key: BusKey, _ format: StreamFormat, isHead: Bool, asWords: Bool
  ) -> Int {
    let domain = routes.domain(feeding: key)
    let isClient = isHead && key.bus == RemoteIO.outputElement
    switch routes.feed(key) {
    case .steady(let feed):
      return compile(feed, format, isClient: isClient, asWords: asWords, in: domain)
    case .changing(let change):
      let leaving = compile(change.from, format, isClient: false, asWords: false, in: domain)
      let entering = compile(change.to, format, isClient: false, asWords: false, in: domain)
      var builder = builders.take(domain)
      defer { builders[domain] = builder }
      let isReady = format.sampleType == .float32
      let mix =
        isReady && isClient
        ? builder.clientBus(format.channelCount) : builder.newBus(format.channelCount)
      let speed = format.sampleRate * min(1, routes.speed(of: key))
      builder.add(
        .init(
          kernel: .holding(fade(at: speed, isOnset: change.isOnset)),
          inputs: [leaving, entering], outputs: [mix]))
      guard !isReady else { return mix }
      let words = builder.words(
        of: mix, format: format, dither: dither(.input, key), isClient: isClient)
      return asWords ? words : builder.floats(of: words, format: format)
    }
  }

  /// The cross-fade between two feeds.
  ///
  /// - Parameters:
  ///   - speed: Frames in a second of the graph.
  ///   - isOnset: Whether a sound restarts.
  private func fade(at speed: Double, isOnset: Bool) -> CrossfadeKernel {
    guard !isOnset else {
      let duration = min(fadeDuration, CrossfadeKernel.onsetDuration)
      return CrossfadeKernel(length: max(1, Int((duration * speed).rounded())), isOnset: true)
    }
    return CrossfadeKernel(
      length: max(1, Int((fadeDuration * speed).rounded())),
      after: Int((fadeWait * speed).rounded()))
  }

  /// The bus that a connection or a callback fills; the silent bus for `nil`.
  private mutating func compile(
    _ feed: LinkFeed?, _ format: StreamFormat, isClient: Bool, asWords: Bool,
    in domain: RateDomains.Domain
  ) -> Int {
    switch feed {
    case .output(let source)?:
      guard let bus = outputBuses[source] else {
        return builders[domain].silentBus(format.channelCount)
      }
      return asWords ? bus : builders.floats(of: bus, format: format, in: domain)
    case .link(let callback, _)?:
      return compile(callback, format, isClient: isClient, asWords: asWords, in: domain)
    case nil:
      return builders[domain].silentBus(format.channelCount)
    }
  }

  /// Adds the rows of a chain of callbacks, from the one that pulls first, and returns the last
  /// one's bus.
  private mutating func compile(
    _ callback: InputCallback, _ format: StreamFormat, isClient: Bool, asWords: Bool,
    in domain: RateDomains.Domain
  ) -> Int {
    // Removed for now, so that its rows are not copied.
    var builder = builders.take(domain)
    defer { builders[domain] = builder }
    guard let last = compile(callback, 0, format, isClient: isClient, &builder) else {
      return builder.silentBus(format.channelCount)
    }
    let words =
      last.isReady
      ? last.bus
      : builder.words(
        of: last.bus, format: format,
        dither: dither(.input, BusKey(node: callback.destination, bus: callback.input)),
        isClient: isClient)
    return asWords ? words : builder.floats(of: words, format: format)
  }

  /// The bus of a callback in a chain, and whether it holds the words of its format; `nil` where
  /// there is no such callback.
  private mutating func compile(
    _ callback: InputCallback, _ index: Int, _ format: StreamFormat, isClient: Bool,
    _ builder: inout PlanBuilder
  ) -> (bus: Int, isReady: Bool)? {
    // From the end of the chain, so that the feed of each callback has been compiled before it,
    // without recursion in a long chain.
    for behind in stride(from: callback.instances.count - 1, to: index, by: -1) {
      _ = compileLink(callback, behind, format, isClient: false, &builder)
    }
    return compileLink(callback, index, format, isClient: isClient, &builder)
  }

  /// The same for one callback. A callback with two readers, during a cross-fade, is rendered once.
  private mutating func compileLink(
    _ callback: InputCallback, _ index: Int, _ format: StreamFormat, isClient: Bool,
    _ builder: inout PlanBuilder
  ) -> (bus: Int, isReady: Bool)? {
    let key = SourceKey(serial: callback.instances[index].serial, format: format)
    if let bus = callbackBuses[key] { return bus }
    guard let source = sources[key] else { return nil }
    let input = input(of: callback, index, key, &builder)
    let isReady = source.writesBusWords || format.sampleType == .float32
    let bus =
      isReady && isClient
      ? builder.clientBus(format.channelCount) : builder.newBus(format.channelCount)
    let owner = meter == nil ? nil : routes.node(callback.destination)?.name
    note(
      source.kernel, as: .callback(node: owner ?? "", input: callback.input, behind: index))
    builder.add(
      .init(
        kernel: source.kernel, inputs: input.map { [$0] } ?? [], outputs: [bus],
        failure: routes.node(callback.destination)?.instance?.failure, element: callback.input))
    callbackBuses[key] = (bus, isReady)
    return (bus, isReady)
  }

  /// The bus of floats that a callback pulls; `nil` where it pulls nothing.
  private mutating func input(
    of callback: InputCallback, _ index: Int, _ key: SourceKey, _ builder: inout PlanBuilder
  ) -> Int? {
    guard let change = routes.change(of: key) else {
      return callback.upstream(of: index).map { floats(of: $0, key.format, &builder) }
    }
    let silent = builder.silentBus(key.format.channelCount)
    let leaving = change.from.map { floats(of: $0, key.format, &builder) } ?? silent
    let entering = change.to.map { floats(of: $0, key.format, &builder) } ?? silent
    let mix = builder.newBus(key.format.channelCount)
    let speed = routes.speed(of: BusKey(node: callback.destination, bus: callback.input))
    builder.add(
      .init(
        kernel: .holding(
          fade(at: key.format.sampleRate * min(1, speed), isOnset: change.isOnset)),
        inputs: [leaving, entering], outputs: [mix]))
    return mix
  }

  private mutating func floats(
    of feed: LinkFeed, _ format: StreamFormat, _ builder: inout PlanBuilder
  ) -> Int {
    switch feed {
    case .output(let key):
      guard let bus = outputBuses[key],
        let pulled = routes.configuration(key.node)?.outputs[key.bus].format
      else { return builder.silentBus(format.channelCount) }
      return builder.floats(of: bus, format: pulled)
    case .link(let callback, let index):
      let key = SourceKey(serial: callback.instances[index].serial, format: format)
      guard
        let found = callbackBuses[key]
          ?? compile(callback, index, format, isClient: false, &builder)
      else { return builder.silentBus(format.channelCount) }
      return sources[key]?.writesBusWords == true
        ? builder.floats(of: found.bus, format: format) : found.bus
    }
  }

  /// The bus with a unit's floats in the words of its output's format; `bus` itself where it has
  /// them already.
  private mutating func words(
    of bus: Int, format: StreamFormat, isReady: Bool, for key: BusKey,
    in domain: RateDomains.Domain
  ) -> Int {
    let isClient = playedOutput == key
    guard isReady || format.sampleType == .float32 else {
      return builders[domain].words(
        of: bus, format: format, dither: dither(.output, key), isClient: isClient)
    }
    guard isClient else { return bus }
    // The unit's own bus becomes the client's.
    let client = builders[domain].clientBus(format.channelCount)
    builders[domain].redirect(from: bus, to: client)
    return client
  }

  /// The dither of a bus.
  private func dither(_ scope: Scope, _ key: BusKey) -> BusDither {
    routes.configuration(key.node)?.dither(scope, key.bus) ?? .none
  }

  private mutating func compileTaps(_ key: BusKey, in domain: RateDomains.Domain) {
    for tap in taps[key] ?? [] {
      guard let sink = sinks[tap.id], let bus = outputBuses[key] else { continue }
      note(sink.kernel, as: .tap(tap.name))
      builders[domain].add(.init(kernel: sink.kernel, inputs: [bus], outputs: []))
    }
  }
}
