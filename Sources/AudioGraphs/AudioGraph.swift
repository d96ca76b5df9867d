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
    /// What the last examination has found, and how often anything had been set on the units then;
    /// `nil` where the graph has been edited since.
    var examined: (preparation: Preparation, unitVersions: Int)?
    /// What the last preparation has left for the next.
    var settled = SettledNodes() { didSet { examined = nil } }
    /// What measures the kernels of the graph that is initialized next.
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
    /// What units that have been adopted render with, until the graph is initialized.
    var adopted: [NodeID: UnitKernels] = [:]
    var renderThreadCount = 1
    /// What keeps taps from what is rendered before a graph is heard; `nil` for nothing.
    var tapGate: TapGate?

    init(_ present: GraphPresent) { self.present = present }
  }

  /// What takes a render notification away again.
  public struct ObserverToken: Hashable, Sendable {
    let number: Int
  }

  /// The units that can be added.
  public let catalog: UnitCatalog
  /// What the device has granted, or what is assumed of one.
  public let grant: HardwareGrant
  let hardware: (any AudioHardware)?
  /// Whether the units are a client's, connected to one another, that this graph renders without having
  /// been asked to: it leaves them initialized, and does not ask for formats.
  let isUnseen: Bool
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
    isUnseen = false
    unitHost.setGraph(self)
  }

  /// A graph without a device: to be validated, or pulled by `OfflineDevice` with the same grant.
  public init(assuming grant: HardwareGrant, catalog: UnitCatalog = .standard) {
    present = GraphPresent()
    state = Mutex(State(present))
    self.catalog = catalog
    hardware = nil
    self.grant = grant
    isUnseen = false
    unitHost.setGraph(self)
  }

  /// A graph for units that are in none.
  init(unseenOn hardware: (any AudioHardware)?, _ grant: HardwareGrant) {
    present = GraphPresent()
    state = Mutex(State(present))
    catalog = .standard
    self.hardware = hardware
    self.grant = grant
    isUnseen = true
  }

  deinit {
    stopRunning()
    if hardware != nil { serviceThread.stop() }
  }

  /// How many threads render the graph, from the next initialization on, where it is pulled by an
  /// offline device: branches that do not wait for each other are rendered side by side, where there
  /// is enough of them. The samples are the same, whatever their number. 1 until it is set.
  ///
  /// A graph with a client's own code in it, such as native callbacks, closures and render
  /// notifications, is rendered by one, and so is one on a device.
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

  /// Instantiates every node's unit. An open graph stays as it is.
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

  /// Disposes of the units; nodes and interactions stay. Stops and uninitializes first.
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

  /// Everything that `initialize()` would refuse, in its order, and what it would accept and the
  /// user regret. `initialize()` succeeds exactly where none of these is an error.
  public func violations() -> [Violation] {
    state.withLock { state in
      guard state.isOpen else { return [GraphStates.notOpen()] }
      return prepare(state.model, state, capture: nil).violations
    }
  }

  /// Propagates stream formats along the connections, validates, initializes the units that take
  /// part, and makes the render plan.
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
        // A meter counts on one thread.
        threadCount: hardware == nil && state.meter == nil ? state.renderThreadCount : 1,
        meter: state.meter, tapGate: state.tapGate)
      for (node, kernels) in state.adopted { running.hold(kernels, for: node) }
      state.adopted = [:]
      try running.play(
        state.model, preparation, observers: observers(state), largestSlice: largestSlice)
      state.running = running
      let model = state.model
      present.withLock { present in
        present.readers = running.readers
        present.model = model
      }
      state.isInitialized = true
    }
  }

  /// Initializes the unit of a node that is to join an initialized graph, with the formats that have
  /// been set on it: what takes long is done before the update then. A unit that is initialized stays
  /// as it is, and one that is not is initialized by the update.
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
      if let first = refusals.first { throw first.of(node) }
      state.running?.hold(instance.initialize(configuration), for: node)
    }
  }

  /// Gives back what `initialize()` took.
  ///
  /// - Throws: `badComponentInstance` on a graph that is not open, as on an `AUGraph` that has been
  ///   closed.
  public func uninitialize() throws(Violation) {
    try state.withLock { state throws(Violation) in
      guard state.isOpen else { throw GraphStates.closed() }
    }
    stopRunning()
    state.withLock { endInitialization(&$0) }
  }

  /// Starts the output unit, and with it the graph. A running graph stays as it is.
  ///
  /// - Throws: `GraphStartError`: `kAUGraphErr_CannotDoInCurrentContext` before `initialize()`, or
  ///   what the device says.
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
          carryOutWantedUpdate()
          return secondsToWishes
        }
        let timing = startTiming()
        if session.hasAdvanced {
          session.goOn(beginning: timing.start)
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
    // Listeners are called without the lock: they may ask the graph.
    head?.noteRunning(true)
  }

  /// Stops the output unit; `start()` goes on from there. A graph that is not running stays as it
  /// is. Recordings are finished by `uninitialize()` and `close()`.
  public func stop() { stopRunning() }

  // MARK: Inside

  var largestSlice: Int { max(1, grant.ioBufferFrames) }

  func prepare(
    _ model: GraphModel, _ state: State, capture: FrameRing?
  ) -> Preparation {
    var preparer = Preparer(
      model: model, played: state.running == nil ? nil : state.model, demandsFormats: !isUnseen,
      category: state.category,
      device: DeviceSides(
        output: grant.outputFormat, input: grant.inputFormat, ioBufferFrames: largestSlice,
        isSynchronous: hardware?.isSynchronous ?? true, capture: capture ?? state.running?.capture),
      defaultFormat: state.defaultFormat, known: state.settled)
    var preparation = preparer.prepare()
    if let limit = state.memoryLimit,
      let violation = MemoryFits.violation(in: model, preparation.configurations, limit: limit)
    {
      preparation.violations.append(violation)
    }
    // The elements of a unit may have changed since the ramp was added.
    for ramp in model.ramps {
      guard let unit = model.node(ramp.node)?.instance else { continue }
      guard ramp.callback == nil else {
        preparation.violations += LiveSettingsMove.violations(
          ramp, in: model, preparation.configurations)
        continue
      }
      do throws(Violation) {
        _ = try unit.rampControl(
          ramp.parameter, ramp.scope, ramp.element, to: ramp.target, goesAround: true)
      } catch {
        preparation.violations.append(error.of(ramp.node))
      }
    }
    return preparation
  }

  /// A preparation of the graph as it is: the last one, where nothing has been edited or set since.
  func examine(_ state: inout State) -> Preparation {
    var versions = 0
    for node in state.model.nodes {
      versions += node.instance?.configurationVersion.version ?? 0
    }
    if let examined = state.examined, examined.unitVersions == versions {
      return examined.preparation
    }
    let preparation = prepare(state.model, state, capture: nil)
    state.settled = preparation.settled
    // What is wrong may be put right outside of the graph: a file that was not there.
    if state.running == nil, preparation.violations.allSatisfy({ $0.severity != .error }) {
      state.examined = (preparation, versions)
    }
    return preparation
  }

  func captureRing(for model: GraphModel) -> FrameRing? {
    guard let head = model.head?.instance?.configuration(), head.isOn(.enableIO, .input, 1),
      let input = grant.inputFormat
    else { return nil }
    // A second: two clocks may drift apart for long before the distance matters.
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

  /// What the output unit's properties say of the next start. A start time is for one start only.
  func startTiming() -> (keepsTime: Bool, start: StartTime?) {
    let head = state.withLock { $0.model.head?.instance }
    let fromZero = try? head?.property(.startTimestampsAtZero)
    return (fromZero == .uint32(0), head?.takeStartTime())
  }

  // MARK: What a unit asks of its graph

  /// Tells units of renders that have failed since the last call: the unit where it happened and every
  /// one downstream of it, as an error passes through a chain of pulls. Their property
  /// `lastRenderError` has it then, and its listeners are called on this thread. Reading the property
  /// does it too, and so does stopping the graph.
  public func collectRenderErrors() {
    let failures = state.withLock { state -> [(UnitInstance, Status)] in
      var found: [(UnitInstance, Status)] = []
      for node in state.model.nodes {
        guard let status = node.instance?.takeFailure(), status != .ok else { continue }
        var seen: Set<NodeID> = []
        var queue = [node.id]
        while let id = queue.popLast() {
          guard seen.insert(id).inserted else { continue }
          if let instance = state.model.node(id)?.instance { found.append((instance, status)) }
          queue += state.model.interactions.compactMap { interaction in
            interaction.link?.source == id ? interaction.destination : nil
          }
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

  func replan(_ state: inout State) {
    guard var running = state.running else { return }
    let preparation = prepare(state.model, state, capture: nil)
    guard
      (try? running.play(
        state.model, preparation, observers: observers(state), largestSlice: largestSlice)) != nil
    else { return }
    state.running = running
    present.withLock { $0.readers = running.readers }
    // Somebody may look on now who has wishes.
    serviceThread.wake()
  }

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
    if !isUnseen { for node in state.model.nodes { node.instance?.forgetConfiguration() } }
    state.running?.restartTimeline()
    state.running = nil
    state.isInitialized = false
    // What was still pending is carried out by the next initialize: in the model, at once.
    let pending = state.pending
    state.pending = []
    for edit in pending { try? state.model.apply(edit) }
  }
}

/// Why a graph did not start.
public enum GraphStartError: Error, Hashable, Sendable {
  case refused(Violation)
  case hardware(HardwareError)
}
