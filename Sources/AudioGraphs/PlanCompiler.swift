import AudioTypes
import AudioUnits
import RenderCore

/// Turns an initialized graph into a render plan: rows in order, buses resolved.
///
/// Every bus carries what its format can hold. Units compute with floats, so between a unit and a
/// bus of another sample type stands a row that rounds or converts.
struct PlanCompiler {
  let model: GraphModel
  let preparation: Preparation
  let kernels: [NodeID: UnitKernels]
  let sources: [Int: RenderSource]
  let sinks: [TapID: RenderSink]
  let observers: [RenderObserver]
  let maximumFramesPerSlice: Int

  private var rows: [RenderPlan.Row] = []
  private var busChannelCounts = [1]
  /// The bus that holds what an output element puts out, in its format's own words.
  private var outputBuses: [BusKey: Int] = [:]
  private var silentBuses: [Int: Int] = [:]

  init(
    model: GraphModel, preparation: Preparation, kernels: [NodeID: UnitKernels],
    sources: [Int: RenderSource], sinks: [TapID: RenderSink], observers: [RenderObserver],
    maximumFramesPerSlice: Int
  ) {
    self.model = model
    self.preparation = preparation
    self.kernels = kernels
    self.sources = sources
    self.sinks = sinks
    self.observers = observers
    self.maximumFramesPerSlice = maximumFramesPerSlice
  }

  mutating func compile() -> RenderPlan {
    if let head = model.head { compileMicrophone(head) }
    for id in preparation.order where preparation.pulled.contains(id) {
      guard let node = model.node(id), let configuration = preparation.configurations[id] else {
        continue
      }
      let inputs = configuration.inputs.indices.map { input in
        compileInput(BusKey(node: id, bus: input), configuration.inputs[input], isHead: isHead(id))
      }
      guard let kernel = kernels[id]?.main, !node.unit.description.isOutput else { continue }
      let outputs = configuration.outputs.indices.map { output in
        (BusKey(node: id, bus: output), configuration.outputs[output].format)
      }
      let floats = outputs.map { newBus($0.1.channelCount) }
      let row = rows.count
      rows.append(.init(kernel: kernel, inputs: inputs, outputs: floats))
      for (float, output) in zip(floats, outputs) {
        outputBuses[output.0] = words(of: float, from: row, format: output.1, for: output.0)
        compileTaps(output.0)
      }
    }
    return RenderPlan(
      rows: rows, busChannelCounts: busChannelCounts,
      maximumFramesPerSlice: maximumFramesPerSlice, observers: observers)
  }

  private func isHead(_ id: NodeID) -> Bool { model.head?.id == id }

  private mutating func compileMicrophone(_ head: GraphModel.Node) {
    guard let kernel = kernels[head.id]?.input,
      let format = preparation.configurations[head.id]?.outputs[RemoteIO.inputElement].format
    else { return }
    let key = BusKey(node: head.id, bus: RemoteIO.inputElement)
    let bus = feedsHead(key) ? clientBus(format.channelCount) : newBus(format.channelCount)
    rows.append(.init(kernel: kernel, inputs: [], outputs: [bus]))
    outputBuses[key] = bus
    compileTaps(key)
  }

  /// The bus that a unit reads one of its inputs from, as floats; for the head, in bus words.
  private mutating func compileInput(
    _ key: BusKey, _ element: UnitConfiguration.Element, isHead: Bool
  ) -> Int {
    let format = element.format
    switch model.feeds[key] {
    case .connection(let connection)?:
      guard let bus = outputBuses[BusKey(node: connection.source, bus: connection.output)] else {
        return silentBus(format.channelCount)
      }
      return isHead ? bus : floats(of: bus, format: format)
    case .callback(let callback)?:
      guard let source = sources[callback.serial] else { return silentBus(format.channelCount) }
      let isClient = isHead && key.bus == 0
      let isReady = source.writesBusWords || format.sampleType == .float32
      let bus =
        isReady && isClient ? clientBus(format.channelCount) : newBus(format.channelCount)
      rows.append(.init(kernel: source.kernel, inputs: [], outputs: [bus]))
      if isReady { return isHead ? bus : floats(of: bus, format: format) }
      let rounded = convert(bus, format, isClient: isClient)
      return isHead ? rounded : floats(of: rounded, format: format)
    case nil:
      return silentBus(format.channelCount)
    }
  }

  /// From floats that the unit of a row has put out to the words of its output's format.
  private mutating func words(
    of bus: Int, from row: Int, format: StreamFormat, for key: BusKey
  ) -> Int {
    let isClient = feedsHead(key)
    guard format.sampleType == .float32 else { return convert(bus, format, isClient: isClient) }
    guard isClient else { return bus }
    // The unit's own bus becomes the client's.
    let client = clientBus(format.channelCount)
    rows[row].outputs = rows[row].outputs.map { $0 == bus ? client : $0 }
    return client
  }

  private mutating func convert(_ bus: Int, _ format: StreamFormat, isClient: Bool) -> Int {
    let sample = format.sampleType ?? .float32
    let target = isClient ? clientBus(format.channelCount) : newBus(format.channelCount)
    rows.append(
      .init(
        kernel: sample.fitsFloat
          ? .holding(QuantizeKernel(sample: sample)) : .holding(EncodeKernel(sample: sample)),
        inputs: [bus], outputs: [target]))
    return target
  }

  /// From the words of a bus to floats for a unit.
  private mutating func floats(of bus: Int, format: StreamFormat) -> Int {
    guard let sample = format.sampleType, !sample.fitsFloat else { return bus }
    let target = newBus(format.channelCount)
    rows.append(
      .init(kernel: .holding(DecodeKernel(sample: sample)), inputs: [bus], outputs: [target]))
    return target
  }

  private mutating func compileTaps(_ key: BusKey) {
    for tap in model.taps where tap.node == key.node && tap.output == key.bus {
      guard let sink = sinks[tap.id], let bus = outputBuses[key] else { continue }
      rows.append(.init(kernel: sink.kernel, inputs: [bus], outputs: []))
    }
  }

  private func feedsHead(_ key: BusKey) -> Bool {
    guard let head = model.head, let taker = model.takers[key] else { return false }
    return taker.destination == head.id && taker.input == 0
  }

  private mutating func clientBus(_ channelCount: Int) -> Int {
    busChannelCounts[RenderPlan.clientBus] = channelCount
    return RenderPlan.clientBus
  }

  private mutating func newBus(_ channelCount: Int) -> Int {
    busChannelCounts.append(channelCount)
    return busChannelCounts.count - 1
  }

  private mutating func silentBus(_ channelCount: Int) -> Int {
    if let bus = silentBuses[channelCount] { return bus }
    let bus = newBus(channelCount)
    silentBuses[channelCount] = bus
    return bus
  }
}
