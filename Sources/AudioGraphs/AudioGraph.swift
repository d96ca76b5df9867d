public import AudioTypes
public import AudioUnits
import Glibc
import RenderCore
public import RenderHost
import Synchronization

/// A graph of audio units: Core Audio's `AUGraph`, usable without a patch.
///
/// Callable from any thread but the render thread. While the graph is initialized, connections,
/// disconnections, callbacks and removals wait for `update()`; before, they take effect at once.
///
///     let graph = AudioGraph(hardware: try PulseHardware.open(HardwareRequest()))
///     let io = try graph.addNode(RemoteIO.description.component, name: "io")
///     try graph.open()
///     graph.defaultStreamFormat = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
///     try graph.setInputCallback(ToneCallback(frequency: 440), of: io)
///     try graph.initialize()
///     try graph.start()
public final class AudioGraph: Sendable {
  struct State {
    let present: GraphPresent
    var model = GraphModel() { didSet { examined = nil } }
    var pending: [GraphEdit] = [] { didSet { present.setPendingEditCount(pending.count) } }
    var isOpen = false
    var isInitialized = false
    var isRunning = false
    var defaultFormat: StreamFormat? { didSet { examined = nil } }
    var memoryLimit: Int? { didSet { examined = nil } }
    var category: SessionCategory? { didSet { examined = nil } }
    /// The last preparation, and the sum of the units' configuration versions at that time; `nil`
    /// after an edit of the graph.
    var examined: (preparation: Preparation, unitVersions: Int)?
    /// The settled nodes of the last preparation, which the next one reuses.
    var settled = SettledNodes() { didSet { examined = nil } }
    /// The meter for the kernels from the next initialization on; `nil` for none.
    var meter: RenderMeter?
    var running: RunningGraph? {
      didSet {
        let session = running?.session
        present.withLock { $0.session = session }
      }
    }
    var observers: [Int: RenderObserver] = [:]
    var nextToken = 0
    var lastUpdateError = Status.ok
    var fadeDuration = 0.02
    /// The kernels of adopted units, until the graph is initialized.
    var adopted: [NodeID: UnitKernels] = [:]
    var renderThreadCount = 1
    /// Keeps taps from running until `openTaps()`; `nil` for no gate.
    var tapGate: TapGate?

    init(_ present: GraphPresent) { self.present = present }
  }

  /// Identifies a render notification for `removeRenderNotification(_:)`.
  public struct ObserverToken: Hashable, Sendable {
    let number: Int
  }

  /// The components that `addNode` searches.
  public let catalog: UnitCatalog
  /// What the device has granted, or the assumed grant of a graph without a device.
  public let grant: HardwareGrant
  let hardware: (any AudioHardware)?
  /// Whether this is the hidden graph of a `LoneUnit`, which leaves the client's units initialized
  /// and does not require formats.
  let isHidden: Bool
  let serviceThread = ServiceThread()
  let unitHost = GraphUnitHost()
  let scheduler = ParameterScheduler()
  let present: GraphPresent
  let state: Mutex<State>

  /// A graph whose I/O unit runs on `hardware` once it is started.
  public init(hardware: any AudioHardware, catalog: UnitCatalog = .standard) {
    present = GraphPresent()
    state = Mutex(State(present))
    self.catalog = catalog
    self.hardware = hardware
    grant = hardware.grant
    isHidden = false
    unitHost.setGraph(self)
  }

  /// A graph without a device, for validation or for an `OfflineDevice` with the same grant.
  public init(assuming grant: HardwareGrant, catalog: UnitCatalog = .standard) {
    present = GraphPresent()
    state = Mutex(State(present))
    self.catalog = catalog
    hardware = nil
    self.grant = grant
    isHidden = false
    unitHost.setGraph(self)
  }

  /// The hidden graph of a `LoneUnit`.
  init(hiddenOn hardware: (any AudioHardware)?, _ grant: HardwareGrant) {
    present = GraphPresent()
    state = Mutex(State(present))
    catalog = .standard
    self.hardware = hardware
    self.grant = grant
    isHidden = true
  }

  deinit {
    stopRunning()
    if hardware != nil { serviceThread.stop() }
  }

  /// The greatest number of threads that render the graph, from the next initialization on; 1 until
  /// set. Independent branches are rendered in parallel where they take long enough. On a device
  /// other threads help only where one is loaded: by a third of the time that a slice lasts, at
  /// least. The samples do not depend on the number.
  ///
  /// One thread renders a graph with client code: native callbacks, closures, render notifications of
  /// units.
  public var renderThreadCount: Int {
    get { state.withLock { $0.renderThreadCount } }
    set {
      precondition(newValue > 0, "somebody renders")
      state.withLock { $0.renderThreadCount = newValue }
    }
  }

  // MARK: States

  /// Between `open` and `close`. Any thread but the render thread.
  public var isOpen: Bool { state.withLock { $0.isOpen } }
  /// Between `initialize` and `uninitialize`. Any thread but the render thread.
  public var isInitialized: Bool { state.withLock { $0.isInitialized } }
  /// Between `start` and `stop`. Any thread but the render thread.
  public var isRunning: Bool { state.withLock { $0.isRunning } }

  /// Makes every node's unit. No effect on an open graph.
  public func open() throws(Violation) {
    state.withLock { state in
      guard !state.isOpen else { return }
      for (index, node) in state.model.nodes.enumerated() where node.instance == nil {
        state.model.setInstance(makeInstance(node.unit), at: index)
      }
      for interaction in state.model.interactions {
        state.model.mark(interaction, isThere: true)
      }
      state.isOpen = true
    }
  }

  /// Releases the units; nodes and interactions stay. Stops and uninitializes the graph first.
  public func close() {
    stopRunning()
    state.withLock { state in
      endInitialization(&state)
      for index in state.model.nodes.indices {
        state.model.nodes[index].instance?.setHost(nil)
        state.model.setInstance(nil, at: index)
      }
      state.isOpen = false
    }
  }

  /// Propagates stream formats along the connections, validates the graph, initializes the units
  /// that take part in interactions, and makes the render plan.
  ///
  /// - Throws: The first of `violations()` that is an error. Nothing is initialized then.
  public func initialize() throws(Violation) {
    try state.withLock { state throws(Violation) in
      guard state.isOpen else { throw GraphStates.notOpen() }
      guard !state.isInitialized else { return }
      let capture = captureRing(for: state.model)
      let preparation =
        capture == nil
        ? examine(&state) : prepare(state.model, state, capture: capture)
      state.settled = preparation.settled
      state.examined = nil
      if let first = preparation.violations.first(where: { $0.severity == .error }) { throw first }
      var running = try RunningGraph(
        model: state.model, preparation: preparation, grant: grant, capture: capture,
        scheduler: scheduler, isLive: hardware != nil,
        threadCount: state.renderThreadCount, meter: state.meter, tapGate: state.tapGate)
      for (node, kernels) in state.adopted { running.hold(kernels, for: node) }
      state.adopted = [:]
      try play(state.model, preparation, on: running, &state)
      let model = state.model
      present.withLock { $0.model = model }
      state.isInitialized = true
    }
  }

  /// Initializes the unit of a new node of an initialized graph, with the formats that have been
  /// set on it, so that the slow work is done before the update. Without this call the update
  /// initializes the unit. No effect on an initialized unit.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAudioUnitErr_Uninitialized` before `open()`;
  ///   `kAUGraphErr_CannotDoInCurrentContext` before `initialize()`; what the unit refuses.
  public func initializeUnit(of node: NodeID) throws(Violation) {
    try state.withLock { state throws(Violation) in
      guard let found = state.model.node(node) else { throw NodesExist.violation(node) }
      guard let instance = found.instance else { throw GraphStates.notOpen() }
      guard state.running != nil else { throw GraphStates.notInitialized() }
      guard !instance.isInitialized else { return }
      let configuration = instance.configuration()
      let refusals = found.unit.violations(in: configuration).filter { $0.severity == .error }
      if let first = refusals.first { throw first.at(node: node) }
      state.running?.hold(instance.initialize(configuration), for: node)
    }
  }

  /// Stops the graph and releases what `initialize()` has made.
  ///
  /// - Throws: `badComponentInstance` on a graph that is not open, as a closed `AUGraph` does.
  public func uninitialize() throws(Violation) {
    try state.withLock { state throws(Violation) in
      guard state.isOpen else { throw GraphStates.closed() }
    }
    stopRunning()
    state.withLock { endInitialization(&$0) }
  }

  /// Starts the output unit, and with it the graph. No effect on a running graph.
  ///
  /// - Throws: `GraphStartError`: `kAUGraphErr_CannotDoInCurrentContext` before `initialize()`, or
  ///   the device's error.
  public func start() throws(GraphStartError) {
    let (session, services) = try state.withLock {
      state throws(GraphStartError) -> (RenderSession?, [any RenderService]) in
      guard let running = state.running, state.isInitialized else {
        throw .refused(GraphStates.notInitialized())
      }
      guard !state.isRunning else { return (nil, []) }
      return (running.session, running.services)
    }
    guard let session else { return }
    if let hardware {
      do throws(HardwareError) {
        try serviceThread.start(services) { [weak self] in
          guard let self else { return .infinity }
          carryOutRequestedUpdate()
          return updatePollInterval
        }
        let timing = startTiming()
        if session.hasAdvanced {
          session.continueAfterAdvance(beginning: timing.start)
        } else {
          session.restart(keepingTime: timing.keepsTime, beginning: timing.start)
        }
        try hardware.start(session) { [serviceThread] in serviceThread.serve(inStepFor: $0) }
      } catch {
        throw .hardware(error)
      }
    }
    let head = state.withLock { state in
      state.isRunning = true
      return state.model.head?.instance
    }
    // Listeners are called without the lock: they may call the graph.
    head?.noteRunning(true)
  }

  /// Stops the output unit; `start()` resumes. No effect on a graph that is not running.
  /// `uninitialize()` and `close()` finish recordings.
  public func stop() { stopRunning() }

  // MARK: Inside

  var largestSlice: Int { max(1, grant.ioBufferFrames) }

  func captureRing(for model: GraphModel) -> FrameRing? {
    guard let head = model.head?.instance?.configuration(), head.isOn(.enableIO, .input, 1),
      let input = grant.inputFormat
    else { return nil }
    // A second: enough for a long drift of two clocks.
    return FrameRing(
      channelCount: input.channelCount,
      minimumCapacity: max(Int(input.sampleRate), 16 * largestSlice))
  }

  func observers(_ state: State) -> [RenderObserver] {
    state.observers.sorted { $0.key < $1.key }.map(\.value)
  }

  func makeInstance(_ unit: any AudioUnit.Type, inputCount: Int? = nil) -> UnitInstance {
    let instance = UnitInstance(unit, inputCount: inputCount)
    instance.setHost(unitHost)
    instance.setDevice(output: grant.outputFormat, input: grant.inputFormat)
    return instance
  }

  /// The start options among the output unit's properties. A start time applies to one start only.
  func startTiming() -> (keepsTime: Bool, start: StartTime?) {
    let head = state.withLock { $0.model.head?.instance }
    let fromZero = try? head?.property(.startTimestampsAtZero)
    return (fromZero == .uint32(0), head?.takeStartTime())
  }

  // MARK: Render errors

  /// Reports failed renders to the unit that failed and to every unit downstream of it, because an
  /// error passes through a chain of pulls: sets their property `lastRenderError`, and calls its
  /// listeners on this thread. Reading the property and stopping the graph do the same.
  public func collectRenderErrors() {
    let failures = state.withLock { state -> [(UnitInstance, Status)] in
      let model = state.model
      let failed = model.nodes.indices.compactMap { index -> (index: Int, status: Status)? in
        guard let status = model.nodes[index].instance?.takeFailure(), status != .ok else {
          return nil
        }
        return (index, status)
      }
      guard !failed.isEmpty else { return [] }
      let links = model.interactions.compactMap { interaction -> Neighbours.Link? in
        guard let source = (interaction.link?.source).flatMap(model.index(of:)),
          let destination = model.index(of: interaction.destination)
        else { return nil }
        return (source, destination)
      }
      let takers = Neighbours(links, count: model.nodes.count)
      var found: [(UnitInstance, Status)] = []
      for (node, status) in failed {
        var seen: Set<Int> = []
        var queue = [node]
        while let index = queue.popLast() {
          guard seen.insert(index).inserted else { continue }
          if let instance = model.nodes[index].instance { found.append((instance, status)) }
          queue += takers.of(index)
        }
      }
      return found
    }
    for (unit, status) in failures { unit.noteRenderError(status) }
  }

  func node(of unit: UnitInstance) -> NodeID? {
    state.withLock { $0.model.nodes.first { $0.instance === unit }?.id }
  }

  func replan() { state.withLock { replan(&$0) } }

  func stopRunning() {
    let wasRunning = state.withLock { state in
      let wasRunning = state.isRunning
      state.isRunning = false
      return wasRunning
    }
    guard wasRunning else { return }
    hardware?.stop()
    collectRenderErrors()
    state.withLock { $0.model.head?.instance }?.noteRunning(false)
  }

  func endInitialization(_ state: inout State) {
    guard state.isInitialized else { return }
    if hardware != nil { serviceThread.stop() }
    if !isHidden { for node in state.model.nodes { node.instance?.forgetConfiguration() } }
    state.running?.restartTimeline()
    state.running = nil
    state.isInitialized = false
    // Pending edits are applied to the model now, for the next `initialize()`.
    let pending = state.pending
    state.pending = []
    for edit in pending { try? state.model.apply(edit) }
  }
}

/// Why a graph did not start.
public enum GraphStartError: Error, Hashable, Sendable {
  /// A state of the graph or the unit forbids the start, or a rule is broken.
  case refused(Violation)
  /// The device did not start.
  case hardware(HardwareError)
}
