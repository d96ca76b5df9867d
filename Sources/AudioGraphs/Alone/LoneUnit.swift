import AudioTypes
import AudioUnits
import RenderCore
import RenderHost
import Synchronization

/// Renders a unit that is in no graph, and everything upstream of it.
///
/// It owns a hidden `AudioGraph`, so that units outside of a graph run the same kernels and follow
/// the same rules as units in a graph. The hidden graph is made when the unit first renders or
/// starts; each render brings it up to date with the client's connections.
final class LoneUnit: UnitHost {
  /// What feeds an input of the inner graph.
  private enum Feed: Equatable {
    case unit(ObjectIdentifier, output: Int)
    case callback(Int)
  }

  private struct Input: Hashable {
    var unit: ObjectIdentifier
    var bus: Int
  }

  /// The hidden graph, and the nodes and feeds that it has been built from.
  private struct Inside {
    let graph: AudioGraph
    /// The node of each unit. The graph retains the units.
    var nodes: [ObjectIdentifier: NodeID] = [:]
    var feeds: [Input: Feed] = [:]
    /// Pulls slices, where no device does.
    var pull: SlicePull?
    var maximumFrames: Int
  }

  private struct State {
    weak var unit: UnitInstance?
    /// The unit's kernels while it is initialized; `nil` for an output unit, whose kernels the
    /// graph makes.
    var kernels: UnitKernels?
    var hardware: (any AudioHardware)?
    var inside: Inside?
    /// The value of the static `wiring` when `inside` was last brought up to date.
    var wiring = -1
    var nextFrame = 0.0
  }

  private let state: Mutex<State>
  /// Counts the connections, initializations and observer changes of all units outside of graphs.
  private static let wiring = Atomic<Int>(0)

  init(_ unit: UnitInstance) { state = Mutex(State(unit: unit)) }

  /// The `LoneUnit` of a unit outside of a graph; `nil` where a graph owns the unit.
  static func of(_ unit: UnitInstance) -> LoneUnit? {
    guard !unit.isInGraph else { return nil }
    let loneRenderer = unit.loneRenderer { LoneUnit(unit) }
    if unit.host == nil { unit.setHost(loneRenderer) }
    return loneRenderer
  }

  // MARK: UnitHost

  var keepsFeeds: Bool { false }

  var cpuLoad: Float { graph?.cpuLoad ?? 0 }

  func collectRenderErrors() { graph?.collectRenderErrors() }

  func connect(_ connection: UnitConnection, to unit: UnitInstance) throws(Violation) {
    throw Self.notAGraph
  }

  func setRenderCallback(
    _ callback: (any RenderCallback)?, of unit: UnitInstance, _ input: Int
  ) throws(Violation) {
    throw Self.notAGraph
  }

  private static var notAGraph: Violation {
    Violation(
      UnitRules.unitInGraph, status: .cannotDoInCurrentContext, "the unit is in no graph",
      at: .graph)
  }

  func arrivingFormat(at input: Int, of unit: UnitInstance) -> StreamFormat? {
    guard case .unit(let source, let output)? = unit.feeds[input], let source = source.unit else {
      return nil
    }
    let outputs = source.configuration().outputs
    return outputs.indices.contains(output) ? outputs[output].format : nil
  }

  func replan(for unit: UnitInstance) {
    Self.wiring.wrappingAdd(1, ordering: .releasing)
    // A device pulls without calling `render`, so that the graph is updated now. The next start
    // throws errors that are ignored here.
    if graph?.isRunning == true { try? bringUpToDate() }
  }

  func reset(_ unit: UnitInstance) {
    guard let lone = Self.of(unit), !unit.description.isOutput, unit.isInitialized else { return }
    let kernels = unit.initialize(unit.configuration())
    lone.state.withLock { $0.kernels = kernels }
    let found = state.withLock { state -> (AudioGraph, NodeID)? in
      guard let inside = state.inside, let node = inside.nodes[ObjectIdentifier(unit)] else {
        return nil
      }
      return (inside.graph, node)
    }
    if let (graph, node) = found { graph.hold(kernels, for: node) }
  }

  private var graph: AudioGraph? { state.withLock { $0.inside?.graph } }

  // MARK: States

  /// Sets the device of an I/O unit.
  func setHardware(_ hardware: any AudioHardware, of unit: UnitInstance) throws(Violation) {
    guard !unit.isInitialized else {
      throw Violation(
        UnitRules.unitDevice, status: .initialized,
        "a device is given to a unit before it is initialized", at: Self.place)
    }
    state.withLock { $0.hardware = hardware }
    unit.setDevice(output: hardware.grant.outputFormat, input: hardware.grant.inputFormat)
  }

  func initialize(_ unit: UnitInstance) throws(Violation) {
    guard !unit.isInitialized else { return }
    try unit.takeConnectedFormats()
    var configuration = unit.configuration()
    let isOutput = unit.description.isOutput
    if unit.isIO {
      guard let grant = state.withLock({ $0.hardware })?.grant else {
        throw Violation(
          UnitRules.unitDevice, status: .failedInitialization,
          "the I/O unit has been given no device", at: Self.place,
          help: ["useDevice(_:) gives it one: PulseHardware.open(HardwareRequest()), say"])
      }
      configuration.device = DeviceSides(
        output: grant.outputFormat, input: grant.inputFormat,
        ioBufferFrames: max(1, grant.ioBufferFrames))
    } else if isOutput, configuration.outputs[0].origin == .initial {
      configuration.outputs[0].format = configuration.inputs[0].format
      configuration.outputs[0].origin = .followsInput
    }
    let refusals = unit.unit.violations(in: configuration).filter { $0.severity == .error }
    if let first = refusals.first { throw first }
    let kernels = unit.initialize(configuration)
    state.withLock { $0.kernels = isOutput ? nil : kernels }
    unit.host?.replan(for: unit)
  }

  func uninitialize(_ unit: UnitInstance) {
    guard unit.isInitialized else { return }
    stop(unit)
    let inside = state.withLock { state in
      defer {
        state.inside = nil
        state.kernels = nil
      }
      return state.inside
    }
    inside?.graph.close(keepingUnits: true)
    unit.forgetConfiguration()
    unit.host?.replan(for: unit)
  }

  func start(_ unit: UnitInstance) throws(GraphStartError) {
    guard unit.description.isOutput else {
      throw .refused(
        Violation(
          UnitRules.unitRender, status: .invalidProperty,
          "only an output unit is started: '\(unit.description.name)' is pulled by one",
          at: Self.place))
    }
    guard unit.isInitialized else { throw .refused(Self.uninitialized(unit)) }
    // A Generic Output has no device: its client pulls it.
    guard unit.isIO else { return unit.noteRunning(true) }
    do throws(Violation) { try bringUpToDate() } catch { throw .refused(error) }
    try graph?.start()
  }

  func stop(_ unit: UnitInstance) {
    if unit.isIO {
      graph?.stop()
    } else if unit.description.isOutput, unit.isInitialized {
      unit.noteRunning(false)
    }
  }

  // MARK: Rendering

  /// Renders the next slice of an output element.
  func render(
    _ unit: UnitInstance, _ output: Int, at timeStamp: TimeStamp, into buffers: SampleBuffers
  ) -> (status: Status, isSilent: Bool) {
    let status = refusal(unit, output, buffers)
    guard status == .ok else { return (fail(unit, status), false) }
    do throws(Violation) { try bringUpToDate() } catch { return (fail(unit, error.status), false) }
    guard
      let (graph, pull, maximum) = state.withLock({ state in
        state.inside.flatMap { inside in
          inside.pull.map { (inside.graph, $0, inside.maximumFrames) }
        }
      })
    else { return (fail(unit, .uninitialized), false) }
    guard buffers.frameCount <= maximum else { return (fail(unit, .tooManyFramesToProcess), false) }
    for service in graph.services {
      do throws(ServiceError) { try service.service(atLeast: buffers.frameCount) } catch {
        return (fail(unit, .fileFailed), false)
      }
    }
    let result = pull.pull(at: timeStamp, into: buffers)
    state.withLock { $0.nextFrame = timeStamp.sampleTime + Double(buffers.frameCount) }
    graph.collect()
    guard result.status != .ok else { return result }
    // Rows after the one that failed did not run, so their observers are called here.
    for observer in unit.renderObservers {
      observer.notify(.postRenderWithError, timeStamp, buffers.frameCount)
    }
    graph.collectRenderErrors()
    return (result.status, false)
  }

  /// The sample time after the last frame rendered.
  var nextFrame: Double { state.withLock { $0.nextFrame } }

  /// The checks of `AudioUnitRender`, in its order.
  private func refusal(_ unit: UnitInstance, _ output: Int, _ buffers: SampleBuffers) -> Status {
    guard unit.isInitialized else { return .uninitialized }
    let configuration = unit.configuration()
    guard buffers.frameCount <= configuration.maximumFramesPerSlice else {
      return .tooManyFramesToProcess
    }
    guard configuration.outputs.indices.contains(output) else { return .invalidElement }
    // An I/O unit hands the microphone's samples to the callback of the property
    // `setInputCallback`.
    guard !unit.isIO else { return .cannotDoInCurrentContext }
    let format = configuration.outputs[output].format
    guard buffers.count == format.bufferCount, buffers.sample == format.sampleType,
      buffers.bytesPerSample == format.bytesPerSample,
      buffers.channelsPerBuffer == (format.isInterleaved ? format.channelCount : 1)
    else { return .parameterError }
    return .ok
  }

  private func fail(_ unit: UnitInstance, _ status: Status) -> Status {
    unit.noteRenderError(status)
    return status
  }

  // MARK: The inner graph

  /// Makes the hidden graph match the client's units and connections.
  ///
  /// - Throws: `kAudioUnitErr_Uninitialized` where a unit upstream is not initialized, and what an
  ///   initialized graph refuses.
  private func bringUpToDate() throws(Violation) {
    let wiring = Self.wiring.load(ordering: .acquiring)
    guard let unit = state.withLock({ $0.wiring == wiring ? nil : $0.unit }) else { return }
    let units = try upstream(of: unit)
    var inside = try inside(for: unit, units)
    do throws(Violation) {
      try follow(units, &inside)
      if !inside.graph.isInitialized { try inside.graph.initialize() }
      inside.graph.replan()
      do throws(GraphUpdateError) { try inside.graph.update() } catch { throw error.violation }
    } catch {
      // Drops the half-edited graph; the next render builds a new one.
      inside.graph.close(keepingUnits: true)
      state.withLock { $0.inside = nil }
      mark(units)
      throw error
    }
    mark(units)
    if inside.pull == nil, !unit.isIO, let session = inside.graph.session {
      inside.pull = SlicePull(session, capacity: inside.maximumFrames)
    }
    let made = inside
    state.withLock { state in
      state.inside = made
      state.wiring = wiring
    }
  }

  /// A unit and every unit upstream of it. Throws where one of them is not initialized.
  private func upstream(of unit: UnitInstance) throws(Violation) -> [UnitInstance] {
    var units: [UnitInstance] = []
    var seen: Set<ObjectIdentifier> = []
    var queue = [unit]
    while let next = queue.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      guard next.isInitialized else { throw Self.uninitialized(next) }
      units.append(next)
      for (_, feed) in next.feeds.sorted(by: { $0.key < $1.key }) {
        if case .unit(let source, _) = feed, let unit = source.unit { queue.append(unit) }
      }
    }
    return units
  }

  /// The present hidden graph, or a new one where there is none or the slice size has changed.
  private func inside(
    for unit: UnitInstance, _ units: [UnitInstance]
  ) throws(Violation) -> Inside {
    let maximum =
      units.filter { !$0.description.sizesItsOwnSlices }
      .map { $0.configuration().maximumFramesPerSlice }.min() ?? 4096
    let (present, hardware) = state.withLock { ($0.inside, $0.hardware) }
    if let present, present.maximumFrames == maximum || unit.isIO { return present }
    present?.graph.close(keepingUnits: true)
    let grant =
      hardware?.grant
      ?? HardwareGrant(outputFormat: nil, inputFormat: nil, ioBufferFrames: maximum)
    let graph = AudioGraph(hiddenOn: unit.isIO ? hardware : nil, grant)
    graph.fadeDuration = 0
    try graph.open()
    var inside = Inside(graph: graph, maximumFrames: maximum)
    if unit.description.isOutput {
      inside.nodes[ObjectIdentifier(unit)] = graph.adopt(unit, nil)
    } else {
      let head = UnitInstance(GenericOutput.self)
      try head.setProperty(.maximumFramesPerSlice, to: .uint32(1_048_576))
      let node = graph.adopt(unit, kernels(of: unit))
      inside.nodes[ObjectIdentifier(unit)] = node
      try graph.connect(node, to: graph.adopt(head, nil))
    }
    return inside
  }

  private func kernels(of unit: UnitInstance) -> UnitKernels? {
    Self.of(unit)?.state.withLock { $0.kernels }
  }

  /// Adds, disconnects, connects and removes until the hidden graph matches `units`.
  private func follow(_ units: [UnitInstance], _ inside: inout Inside) throws(Violation) {
    var wanted: [Input: Feed] = [:]
    var callbacks: [Input: any RenderCallback] = [:]
    for unit in units {
      let id = ObjectIdentifier(unit)
      if inside.nodes[id] == nil { inside.nodes[id] = inside.graph.adopt(unit, kernels(of: unit)) }
      unit.setHost(self)
      for (bus, feed) in unit.feeds {
        let input = Input(unit: id, bus: bus)
        switch feed {
        case .unit(let source, let output):
          guard let unit = source.unit else { continue }
          wanted[input] = .unit(ObjectIdentifier(unit), output: output)
        case .callback(let callback, let serial):
          wanted[input] = .callback(serial)
          callbacks[input] = callback
        }
      }
    }
    // Disconnect first: an output feeds one input, so a new connection may need the output freed.
    for (input, feed) in inside.feeds where wanted[input] != feed {
      if let node = inside.nodes[input.unit] { try inside.graph.disconnect(node, input.bus) }
    }
    for (input, feed) in wanted where inside.feeds[input] != feed {
      guard let node = inside.nodes[input.unit] else { continue }
      switch feed {
      case .unit(let source, let output):
        guard let source = inside.nodes[source] else { continue }
        try inside.graph.connect(source, output, to: node, input.bus)
      case .callback:
        guard let callback = callbacks[input] else { continue }
        try inside.graph.setInputCallback(callback, of: node, input.bus)
      }
    }
    inside.feeds = wanted
    let here = Set(units.map { ObjectIdentifier($0) })
    for (unit, node) in inside.nodes where !here.contains(unit) {
      try inside.graph.removeNode(node)
      inside.nodes[unit] = nil
    }
  }

  /// Restores the client's use marks of the units, which edits of the hidden graph overwrite.
  private func mark(_ units: [UnitInstance]) {
    for unit in units {
      for (input, feed) in unit.feeds {
        switch feed {
        case .unit(let source, let output):
          unit.setUse(.connection, .input, input)
          source.unit?.setUse(.connection, .output, output)
        case .callback: unit.setUse(.callback, .input, input)
        }
      }
    }
  }

  // MARK: Violations

  private static let place = Violation.Place(node: nil, .whole)

  static func uninitialized(_ unit: UnitInstance) -> Violation {
    Violation(
      UnitRules.unitInitialized, status: .uninitialized,
      "\(withArticle(unit.description.name)) that is to render has not been initialized", at: place,
      help: ["call initialize() on each unit, after its formats have been set"])
  }
}

extension UnitInstance {
  fileprivate var isIO: Bool { description.isOutput && description.property(.enableIO) != nil }
}

extension RenderActionFlags {
  /// `.postRender` and `kAudioUnitRenderAction_PostRenderError`.
  fileprivate static let postRenderWithError = RenderActionFlags(rawValue: 8 | 256)
}

// MARK: - Hidden graph

extension AudioGraph {
  /// Adds a node for an existing, initialized unit.
  ///
  /// - Parameter kernels: The unit's kernels; `nil` for an output unit, whose kernels are made for
  ///   the device.
  func adopt(_ unit: UnitInstance, _ kernels: UnitKernels?) -> NodeID {
    state.withLock { state in
      let id = state.model.add(unit.unit, name: unit.description.name, instance: unit)
      guard let kernels else { return id }
      if state.running == nil {
        state.adopted[id] = kernels
      } else {
        state.running?.hold(kernels, for: id)
      }
      return id
    }
  }

  /// Renders a node with other kernels from the next slice on.
  func hold(_ kernels: UnitKernels, for node: NodeID) {
    state.withLock { state in
      guard state.running != nil else {
        state.adopted[node] = kernels
        return
      }
      state.running?.hold(kernels, for: node)
      replan(&state)
    }
  }

  /// Resets an initialized unit of the graph: new kernels, with empty state, replace its own.
  func reset(_ unit: UnitInstance) {
    state.withLock { state in
      guard let node = state.model.nodes.first(where: { $0.instance === unit })?.id,
        state.running != nil, unit.isInitialized,
        let configuration = prepare(state.model, state).configurations[node]
      else { return }
      state.running?.hold(unit.initialize(configuration), for: node)
      replan(&state)
    }
  }

  /// Stops and uninitializes the graph; the units stay initialized.
  func close(keepingUnits: Bool) {
    stopRunning()
    state.withLock { endInitialization(&$0) }
  }
}
