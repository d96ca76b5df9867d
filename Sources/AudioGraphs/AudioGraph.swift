public import AudioTypes
public import AudioUnits
import Glibc
public import RenderCore
public import RenderHost
import Synchronization

/// A graph of audio units: Core Audio's `AUGraph`, usable without a patch.
///
/// Callable from any thread but the render thread. While the graph is initialized, connections,
/// disconnections, callbacks and removals wait for `update()`; before, they take effect at once.
///
///     let graph = AudioGraph(hardware: try PulseHardware.open(PulseRequest()))
///     let io = try graph.addNode(RemoteIO.description.component, name: "io")
///     try graph.open()
///     graph.defaultStreamFormat = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
///     try graph.setInputCallback(ToneCallback(frequency: 440), of: io)
///     try graph.initialize()
///     try graph.start()
public final class AudioGraph: Sendable {
  private struct State {
    var model = GraphModel()
    var pending: [GraphEdit] = []
    var isOpen = false
    var isInitialized = false
    var isRunning = false
    var defaultFormat: StreamFormat?
    var running: RunningGraph?
    var observers: [Int: RenderObserver] = [:]
    var nextToken = 0
    var lastUpdateError = Status.ok
    /// Of the taps that measure, also when the graph has ended.
    var readers: [TapID: any TapReader] = [:]
    var fadeDuration = 0.02
    /// Whether somebody who does not wait has asked for the pending edits to be carried out.
    var wantsUpdate = false
    /// What that failed with.
    var wantedUpdateError: GraphUpdateError?
    var finishErrors: [ServiceError] = []
    var finishedLostFrames = 0
  }

  /// What takes a render notification away again.
  public struct ObserverToken: Hashable, Sendable {
    fileprivate let number: Int
  }

  public let catalog: UnitCatalog
  /// What the device has granted, or what is assumed of one.
  public let grant: HardwareGrant
  private let hardware: (any AudioHardware)?
  private let isOffline: Bool
  private let serviceThread = ServiceThread()
  private let unitHost = GraphUnitHost()
  let scheduler = ParameterScheduler()
  private let state = Mutex(State())

  /// A graph whose I/O unit runs on `hardware` once it is started.
  public init(hardware: any AudioHardware, catalog: UnitCatalog = .standard) {
    self.catalog = catalog
    self.hardware = hardware
    grant = hardware.grant
    isOffline = false
    unitHost.setGraph(self)
  }

  /// A graph without a device: to be validated, or pulled by `OfflineDevice` with the same grant.
  public init(assuming grant: HardwareGrant, catalog: UnitCatalog = .standard) {
    self.catalog = catalog
    hardware = nil
    self.grant = grant
    isOffline = true
    unitHost.setGraph(self)
  }

  deinit {
    stopRunning()
    if hardware != nil { serviceThread.stop() }
  }

  // MARK: Nodes

  /// Adds a node. In an open graph its unit is there at once; it is initialized when it first takes
  /// part in an interaction.
  ///
  /// - Parameter name: What diagnostics and listings call it.
  /// - Throws: `kAUGraphErr_OutputNodeErr` for a second output unit, `kAUGraphErr_InvalidAudioUnit`
  ///   where the description does not find exactly one component.
  @discardableResult
  public func addNode(
    _ description: ComponentDescription, name: String? = nil
  ) throws(Violation) -> NodeID {
    let unit = try ComponentsFound.find(description, in: catalog)
    return try state.withLock { state throws(Violation) in
      if unit.description.isOutput,
        let violation = OneOutputUnit.violation(adding: name ?? "", in: state.model)
      {
        throw violation
      }
      return state.model.add(
        unit.description.component, unit, name: name,
        instance: state.isOpen ? makeInstance(unit) : nil)
    }
  }

  /// Adds the output unit of a sub-graph: a Generic Output that hands what it is fed on to another
  /// node, in the format of its output element, instead of ending the graph.
  ///
  /// - Parameter name: What diagnostics and listings call it.
  @discardableResult
  public func addSubgraphOutput(name: String? = nil) -> NodeID {
    state.withLock { state in
      state.model.add(
        SubgraphOutput.description.component, SubgraphOutput.self, name: name,
        instance: state.isOpen ? makeInstance(SubgraphOutput.self) : nil)
    }
  }

  /// Adds a node whose unit is a copy of another, with all that has been set on that, formats
  /// included.
  ///
  /// - Parameter streamFormat: As `setDefaultStreamFormat(_:of:)` has it.
  /// - Throws: As `addNode(_:name:)`; `kAudioUnitErr_Uninitialized` before `open()`.
  @discardableResult
  public func addNode(
    copying unit: UnitInstance, name: String? = nil, streamFormat: StreamFormat? = nil
  ) throws(Violation) -> NodeID {
    try state.withLock { state throws(Violation) in
      guard state.isOpen else { throw GraphStates.notOpen() }
      if unit.description.isOutput,
        let violation = OneOutputUnit.violation(adding: name ?? "", in: state.model)
      {
        throw violation
      }
      let copy = unit.copy()
      copy.setHost(unitHost)
      let node = state.model.add(
        unit.description.component, unit.unit, name: name, instance: copy)
      _ = state.model.setDefaultFormat(streamFormat, of: node)
      return node
    }
  }

  /// Takes a node out, with its interactions. Pending while the graph is initialized.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_OutputNodeErr` for the output unit of a
  ///   running graph.
  public func removeNode(_ node: NodeID) throws(Violation) {
    try state.withLock { state throws(Violation) in
      guard let found = state.model.node(node) else { throw NodesExist.violation(node) }
      if found.unit.description.isOutput && state.isRunning {
        throw Violation(
          OneOutputUnit.rule, status: .outputNode,
          "the output unit '\(found.name)' cannot be removed while the graph is running",
          at: .init(node: node, .whole), help: ["stop the graph first"])
      }
      try make(.remove(node), &state)
    }
  }

  public var nodeCount: Int { state.withLock { $0.model.nodes.count } }

  /// The nodes in the order of their addition.
  public var nodes: [NodeID] { state.withLock { $0.model.nodes.map(\.id) } }

  /// A node by its place in the order of addition.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound` (our choice; Core Audio documents none).
  public func node(at index: Int) throws(Violation) -> NodeID {
    try state.withLock { state throws(Violation) in
      guard state.model.nodes.indices.contains(index) else {
        throw NodesExist.violation(NodeID(rawValue: Int32(clamping: index)))
      }
      return state.model.nodes[index].id
    }
  }

  /// What a node is, and its unit once the graph is open.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func nodeInfo(
    _ node: NodeID
  ) throws(Violation) -> (component: ComponentDescription, name: String, unit: UnitInstance?) {
    try state.withLock { state throws(Violation) in
      guard let found = state.model.node(node) else { throw NodesExist.violation(node) }
      return (found.component, found.name, found.instance)
    }
  }

  /// The unit of a node of an open graph.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAudioUnitErr_Uninitialized` before `open()`.
  public func unit(_ node: NodeID) throws(Violation) -> UnitInstance {
    guard let unit = try nodeInfo(node).unit else { throw GraphStates.notOpen() }
    return unit
  }

  // MARK: Interactions

  /// Connects an output element to an input element. Whether the buses exist, and whether the
  /// formats fit, is found at `initialize()` or `update()`.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_InvalidConnection` where the input is fed
  ///   already, the output taken, or a node would feed itself (an I/O unit's element 1 may feed its
  ///   element 0).
  public func connect(
    _ source: NodeID, _ output: Int = 0, to destination: NodeID, _ input: Int = 0
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.connect(Connection(from: source, output, to: destination, input)), &state)
    }
  }

  /// Feeds an input element by a callback.
  ///
  /// - Parameter feed: What a callback that processes pulls; `nil` for nothing.
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_InvalidConnection` where the input is fed
  ///   already, or something else takes from the output that is pulled.
  public func setInputCallback(
    _ callback: any RenderCallback, of node: NodeID, _ input: Int = 0,
    from feed: CallbackFeed? = nil
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      state.nextToken += 1
      let serial = state.nextToken
      try make(
        .callback(
          InputCallback(
            callback: callback, destination: node, input: input, feed: feed, serial: serial)),
        &state)
    }
  }

  /// Removes what feeds an input element.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_InvalidConnection` where nothing feeds it
  ///   (our choice; Core Audio documents no code).
  public func disconnect(_ node: NodeID, _ input: Int = 0) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.disconnect(BusKey(node: node, bus: input)), &state)
    }
  }

  /// Takes away what feeds an input, to be put to another by `attachFeed(_:to:_:)`: a callback goes on
  /// there where it is.
  ///
  /// - Throws: As `disconnect(_:_:)`.
  public func detachFeed(of node: NodeID, _ input: Int = 0) throws(Violation) -> FeedToken {
    try state.withLock { state throws(Violation) in
      state.nextToken += 1
      let token = FeedToken(number: state.nextToken)
      try make(.detach(BusKey(node: node, bus: input), token), &state)
      return token
    }
  }

  /// Feeds an input by what has been taken from another, once.
  ///
  /// - Throws: As `connect(_:_:to:_:)`; `kAUGraphErr_InvalidConnection` where it has been attached
  ///   already.
  public func attachFeed(
    _ token: FeedToken, to node: NodeID, _ input: Int = 0
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.attach(token, to: BusKey(node: node, bus: input)), &state)
    }
  }

  /// Removes every connection and every callback.
  public func clearConnections() throws(Violation) {
    try state.withLock { state throws(Violation) in try make(.clear, &state) }
  }

  /// Connections and callbacks in the order in which they were made.
  public var interactions: [Interaction] { state.withLock { $0.model.interactions } }

  /// The interactions that a node is an end of.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func interactions(of node: NodeID) throws(Violation) -> [Interaction] {
    try state.withLock { state throws(Violation) in
      guard state.model.node(node) != nil else { throw NodesExist.violation(node) }
      return state.model.interactions.filter {
        $0.destination == node || $0.link?.source == node
      }
    }
  }

  /// Watches an output element. Pending while the graph is initialized.
  ///
  /// - Parameter name: What listings call it; not given, "tap" and its number.
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  @discardableResult
  public func addTap(
    _ tap: any RenderTap, at node: NodeID, _ output: Int = 0, name: String? = nil
  ) throws(Violation) -> TapID {
    try state.withLock { state throws(Violation) in
      state.nextToken += 1
      let id = TapID(rawValue: state.nextToken)
      let tap = GraphModel.Tap(
        id: id, node: node, output: output, name: name ?? "tap \(id.rawValue)", tap: tap)
      try make(.addTap(tap), &state)
      return id
    }
  }

  /// Watches no longer. Pending while the graph is initialized; one that is not there is no mistake.
  public func removeTap(_ tap: TapID) throws(Violation) {
    try state.withLock { state throws(Violation) in try make(.removeTap(tap), &state) }
  }

  /// What the taps that measure have read so far, in the order of addition; after the graph has been
  /// stopped or closed, in all. None before `initialize()`.
  ///
  /// Any thread but the render thread, which is neither waited for nor made to wait.
  public var readings: [TapMeasurement] {
    let (taps, readers) = state.withLock { ($0.model.taps, $0.readers) }
    return taps.compactMap { tap in
      readers[tap.id].map {
        TapMeasurement(
          id: tap.id, name: tap.name, node: tap.node, output: tap.output, reading: $0.reading)
      }
    }
  }

  /// What a tap has read so far; `nil` where it measures nothing, as in `readings`.
  public func reading(of tap: TapID) -> TapReading? {
    state.withLock { $0.readers[tap] }?.reading
  }

  /// The format of every bus that must be given one and is given none. Set before `initialize()`.
  public var defaultStreamFormat: StreamFormat? {
    get { state.withLock { $0.defaultFormat } }
    set { state.withLock { $0.defaultFormat = newValue } }
  }

  /// Gives the buses of one node another format than `defaultStreamFormat` for where none is given;
  /// `nil` takes it away again. Set before `initialize()`.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func setDefaultStreamFormat(
    _ format: StreamFormat?, of node: NodeID
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      guard state.model.setDefaultFormat(format, of: node) else {
        throw NodesExist.violation(node)
      }
    }
  }

  /// The format that `setDefaultStreamFormat(_:of:)` has given a node; `nil` for none.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func defaultStreamFormat(of node: NodeID) throws(Violation) -> StreamFormat? {
    try state.withLock { state throws(Violation) in
      guard let found = state.model.node(node) else { throw NodesExist.violation(node) }
      return found.defaultFormat
    }
  }

  // MARK: States

  public var isOpen: Bool { state.withLock { $0.isOpen } }
  public var isInitialized: Bool { state.withLock { $0.isInitialized } }
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
      let preparation = prepare(state.model, state, capture: capture)
      if let first = preparation.violations.first(where: { $0.severity == .error }) { throw first }
      var running = try RunningGraph(
        model: state.model, preparation: preparation, grant: grant, capture: capture,
        scheduler: scheduler)
      try running.play(
        state.model, preparation, observers: observers(state), largestSlice: largestSlice)
      state.running = running
      state.readers = running.readers
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
        try serviceThread.start(services) { [weak self] in self?.carryOutWantedUpdate() }
        let timing = startTiming()
        session.restart(keepingTime: timing.keepsTime, beginning: timing.start)
        try hardware.start(session)
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

  // MARK: Pending edits

  /// How many edits wait for `update()`.
  public var pendingEditCount: Int { state.withLock { $0.pending.count } }

  /// How long, in seconds, a change of what feeds a unit takes in a graph that plays: what leaves fades
  /// out while what enters fades in, and the two gains add up to 1. 0 changes at once; 0.02 until set.
  public var fadeDuration: Double {
    get { state.withLock { $0.fadeDuration } }
    set { state.withLock { $0.fadeDuration = newValue.isFinite ? min(max(0, newValue), 10) : 0 } }
  }

  /// Carries out the edits that are pending, between two slices of a running graph.
  ///
  /// Waits until the graph plays them, at the most a second: not where no device pulls it, not while
  /// its session pauses, and not in a render notification, which it must not hold up. What fades is
  /// then on its way.
  ///
  /// - Returns: Whether nothing is left to do.
  /// - Throws: `GraphUpdateError` with the edit that failed. It is dropped, those before it are
  ///   carried out, those after it stay pending. Where edits taken together leave a graph that
  ///   could not be initialized, none of them is carried out, and they stay pending.
  @discardableResult
  public func update() throws(GraphUpdateError) -> Bool {
    guard session?.isRenderingHere != true else { return try updateWithoutWaiting() }
    let stage = try carryOut(.init())
    guard hardware != nil, isRunning, let session else { return true }
    let begin = monotonicNanoseconds()
    while session.begunStages < stage {
      guard isRunning, !session.isPaused, monotonicNanoseconds() - begin < 1_000_000_000
      else { return false }
      usleep(500)
    }
    return true
  }

  /// Carries out the edits that are pending without waiting: those of a graph that a device pulls are
  /// left to the thread that reads its files, and those that a render notification asks for to whoever
  /// calls `collect()`.
  ///
  /// Callable from a render notification: it takes a lock, and does nothing else there. Called again it
  /// tells how far that is.
  ///
  /// - Returns: Whether nothing is left to do: `false` while edits are outstanding.
  /// - Throws: What the edits of an earlier call failed with, once, as `update()`.
  @discardableResult
  public func updateWithoutWaiting() throws(GraphUpdateError) -> Bool {
    let isHere = session?.isRenderingHere == true
    let isLeft = isHere || (hardware != nil && isRunning)
    let outcome = state.withLock { state -> (error: GraphUpdateError?, isIdle: Bool) in
      defer { state.wantedUpdateError = nil }
      if isLeft && !state.pending.isEmpty && state.wantedUpdateError == nil {
        state.wantsUpdate = true
      }
      return (state.wantedUpdateError, state.pending.isEmpty)
    }
    if let error = outcome.error { throw error }
    if isLeft { return outcome.isIdle && session?.waitingStages ?? 0 == 0 }
    _ = try carryOut(.init())
    return true
  }

  private func carryOutWantedUpdate() {
    let isWanted = state.withLock { state in
      defer { state.wantsUpdate = false }
      return state.wantsUpdate
    }
    guard isWanted else { return }
    do throws(GraphUpdateError) { _ = try carryOut(.init()) } catch {
      state.withLock { $0.wantedUpdateError = error }
    }
  }

  /// Makes edits that take effect at one frame: those of the graph that `edits` makes, and everything
  /// that it sets on units which play already. The same with every size of slices, where the graph has
  /// not come to the frame yet; else as soon as can be.
  ///
  /// - Parameter time: Seconds from the start of the graph.
  /// - Throws: As `update()`. What was set on units stays set then.
  public func update(
    at time: Double, _ edits: () throws(GraphUpdateError) -> Void
  ) throws(GraphUpdateError) {
    let units = state.withLock { state in
      state.model.nodes.compactMap { state.isInitialized ? $0.instance : nil }
    }
    for unit in units { unit.holdWrites() }
    var writes: [ControlWrite] = []
    do throws(GraphUpdateError) { try edits() } catch {
      for unit in units { unit.releaseWrites() }
      throw error
    }
    for unit in units { writes += unit.takeHeldWrites() }
    let rate = session?.configuration.clientSampleRate ?? grant.sampleRate
    let frame = Int((max(0, time) * rate).rounded())
    do throws(GraphUpdateError) {
      _ = try carryOut(.init(frame: frame, writes: writes), evenIfNothingIsPending: true)
    } catch {
      for write in writes { write.block[word: write.index] = write.word }
      throw error
    }
  }

  /// Carries out what is pending. Returns the number of the first stage that plays it.
  private func carryOut(
    _ passage: RunningGraph.Passage, evenIfNothingIsPending: Bool = false
  ) throws(GraphUpdateError) -> Int {
    let stage: Int
    do throws(GraphUpdateError) {
      stage = try carryOutPendingEdits(passage, evenIfNothingIsPending: evenIfNothingIsPending)
    } catch {
      state.withLock { $0.lastUpdateError = error.violation.status }
      throw error
    }
    state.withLock { $0.lastUpdateError = .ok }
    return stage
  }

  /// What the last `update()` failed with; `ok` where it did not.
  public var lastUpdateError: Status { state.withLock { $0.lastUpdateError } }

  private func carryOutPendingEdits(
    _ passage: RunningGraph.Passage, evenIfNothingIsPending: Bool
  ) throws(GraphUpdateError) -> Int {
    try state.withLock { state throws(GraphUpdateError) in
      let stage = (state.running?.session.postedStages ?? 0) + 1
      guard !state.pending.isEmpty || evenIfNothingIsPending else { return stage - 1 }
      var model = state.model
      let edits = state.pending
      for (index, edit) in edits.enumerated() {
        do throws(Violation) { try model.apply(edit) } catch {
          state.pending.remove(at: index)
          // What went well before the failing edit is carried out, as Core Audio's header says.
          if index > 0, (try? commit(model, passage, &state)) != nil {
            state.pending.removeFirst(index)
          }
          restoreMarks(state.model)
          throw GraphUpdateError(violation: error, editIndex: index)
        }
      }
      do throws(Violation) { try commit(model, passage, &state) } catch {
        restoreMarks(state.model)
        throw GraphUpdateError(violation: error, editIndex: nil)
      }
      state.pending = []
      return stage
    }
  }

  /// Takes back every edit that is pending.
  public func discardPendingEdits() { state.withLock { $0.pending = [] } }

  // MARK: Render notifications and load

  /// Calls an observer before and after each slice, on the render thread. Before it, it may schedule
  /// parameter changes for the slice, with what `parameterSchedule(of:)` has given it.
  public func addRenderNotification(_ body: @escaping RenderObserver.Body) -> ObserverToken {
    state.withLock { state in
      state.nextToken += 1
      state.observers[state.nextToken] = RenderObserver(body)
      replan(&state)
      return ObserverToken(number: state.nextToken)
    }
  }

  public func removeRenderNotification(_ token: ObserverToken) {
    state.withLock { state in
      state.observers[token.number] = nil
      replan(&state)
    }
  }

  /// The share of the slices' duration that rendering took on average: 0 to 1, and above 1 where
  /// it could not keep up.
  public var cpuLoad: Float { Float(session?.load ?? 0) }

  /// The largest share since the last call, or since the start.
  public func takeMaximumCPULoad() -> Float { Float(session?.takePeakLoad() ?? 0) / 1_000_000 }

  // MARK: What a host needs

  /// What a device pulls; there while the graph is initialized.
  public var session: RenderSession? { state.withLock { $0.running?.session } }

  /// The halves of callbacks and taps that wait for disks. A running graph calls them itself; an
  /// offline host does.
  public var services: [any RenderService] { state.withLock { $0.running?.services ?? [] } }

  /// What went wrong with files while the graph ran.
  public var serviceErrors: [ServiceError] {
    serviceThread.errors + state.withLock { $0.finishErrors }
  }

  /// Frames of files and recordings that were not there, or not written, in time.
  public var lostFrames: Int {
    serviceThread.lostFrames + state.withLock { $0.finishedLostFrames }
  }

  /// Frees what the render thread has finished with, and closes the files that nothing reads or writes
  /// any more; carries out what `updateWithoutWaiting()` has left. A host calls it now and then, not
  /// in the thread that renders.
  public func collect() {
    carryOutWantedUpdate()
    let finished = state.withLock { state -> [any RenderService] in
      state.running?.session.collect()
      return state.running?.takeFinishedServices() ?? []
    }
    for service in finished {
      guard hardware == nil else {
        serviceThread.remove(service)
        continue
      }
      do throws(ServiceError) { try service.finish() } catch {
        state.withLock { $0.finishErrors.append(error) }
      }
      let lost = service.lostFrames
      state.withLock { $0.finishedLostFrames += lost }
    }
  }

  /// Frames until the last source that is pulled ends, or `stopTime`, at the rate of the device; `nil`
  /// where one of them never does, and where nothing but a microphone is pulled.
  public var duration: Int? { state.withLock { $0.running?.duration } }

  /// The configuration of a node as initialization has settled it, or would settle it.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAudioUnitErr_Uninitialized` before `open()`.
  public func configuration(_ node: NodeID) throws(Violation) -> UnitConfiguration {
    try state.withLock { state throws(Violation) in
      guard let found = state.model.node(node) else { throw NodesExist.violation(node) }
      guard let instance = found.instance else { throw GraphStates.notOpen() }
      return prepare(state.model, state, capture: nil).configurations[node]
        ?? instance.configuration()
    }
  }

  /// `violations()`, and the configurations that they were found in, of one look at the graph. Nodes
  /// that take part in nothing have none.
  public func examination() -> (
    violations: [Violation], configurations: [NodeID: UnitConfiguration]
  ) {
    state.withLock { state in
      guard state.isOpen else { return ([GraphStates.notOpen()], [:]) }
      let preparation = prepare(state.model, state, capture: nil)
      return (preparation.violations, preparation.configurations)
    }
  }

  /// The configurations of all nodes of an open graph; of one that is not open, none.
  public var configurations: [NodeID: UnitConfiguration] {
    state.withLock { state in
      guard state.isOpen else { return [:] }
      var found = prepare(state.model, state, capture: nil).configurations
      for node in state.model.nodes where found[node.id] == nil {
        found[node.id] = node.instance?.configuration()
      }
      return found
    }
  }

  // MARK: The timeline

  /// Moves a parameter at a time that is known beforehand: each start of the graph finds every
  /// parameter where it was at initialization, and plays the same.
  ///
  /// - Throws: As `UnitInstance.setParameter`; `kAudioUnitErr_InvalidParameter` also for a parameter
  ///   that does not ramp; `kAUGraphErr_NodeNotFound`; `paramErr` for a time that never comes, and
  ///   where another ramp moves the parameter; `kAudioUnitErr_Initialized` in an initialized graph;
  ///   `kAudioUnitErr_Uninitialized` before `open()`.
  public func addRamp(_ ramp: ParameterRamp) throws(Violation) {
    try state.withLock { state throws(Violation) in
      guard let node = state.model.node(ramp.node) else { throw NodesExist.violation(ramp.node) }
      guard let unit = node.instance else { throw GraphStates.notOpen() }
      guard !state.isInitialized else { throw GraphStates.initialized("a ramp is added") }
      do throws(Violation) {
        _ = try unit.rampControl(ramp.parameter, ramp.scope, ramp.element, to: ramp.target)
      } catch {
        throw error.of(ramp.node)
      }
      if let violation = RampsApart.violation(adding: ramp, to: state.model.ramps) {
        throw violation
      }
      state.model.ramps.append(ramp)
    }
  }

  /// The ramps that have been added.
  public var ramps: [ParameterRamp] { state.withLock { $0.model.ramps } }

  /// Sets all ramps anew, and when the graph ends. Pending while the graph is initialized: from the
  /// update on, ramps that have ended are over, and those that are on their way go on.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; the update, or `initialize()`, what `addRamp(_:)` refuses.
  public func setTimeline(
    _ ramps: [ParameterRamp], stopTime: Double? = nil
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.timeline(ramps, stopTime: stopTime), &state)
    }
  }

  /// When the graph ends whether its sources have ended or not, in seconds from its start; `nil` for
  /// when they have. Taken up by `initialize()`.
  public var stopTime: Double? {
    get { state.withLock { $0.model.stopTime } }
    set { state.withLock { $0.model.stopTime = newValue } }
  }

  // MARK: Inside

  private var largestSlice: Int { max(1, grant.ioBufferFrames) }

  private func prepare(
    _ model: GraphModel, _ state: State, capture: FrameRing?
  ) -> Preparation {
    var preparer = Preparer(
      model: model,
      device: DeviceSides(
        output: grant.outputFormat, input: grant.inputFormat, ioBufferFrames: largestSlice,
        isSynchronous: isOffline, capture: capture ?? state.running?.capture),
      defaultFormat: state.defaultFormat)
    var preparation = preparer.prepare()
    // The elements of a unit may have changed since the ramp was added.
    for ramp in model.ramps {
      guard let unit = model.node(ramp.node)?.instance else { continue }
      do throws(Violation) {
        _ = try unit.rampControl(ramp.parameter, ramp.scope, ramp.element, to: ramp.target)
      } catch {
        preparation.violations.append(error.of(ramp.node))
      }
    }
    return preparation
  }

  private func captureRing(for model: GraphModel) -> FrameRing? {
    guard let head = model.head?.instance?.configuration(), head.isOn(.enableIO, .input, 1),
      let input = grant.inputFormat
    else { return nil }
    // A second: two clocks may drift apart for long before the distance matters.
    return FrameRing(
      channelCount: input.channelCount,
      minimumCapacity: max(Int(input.sampleRate), 16 * largestSlice))
  }

  private func observers(_ state: State) -> [RenderObserver] {
    state.observers.sorted { $0.key < $1.key }.map(\.value)
  }

  private func make(_ edit: GraphEdit, _ state: inout State) throws(Violation) {
    if state.isInitialized {
      // What no other edit could mend is refused at once.
      for id in edit.nodes where state.model.node(id) == nil { throw NodesExist.violation(id) }
      if case .connect(let connection) = edit,
        let violation = NoSelfConnection.violation(connection, in: state.model)
      {
        throw violation
      }
      state.pending.append(edit)
    } else {
      try state.model.apply(edit)
    }
  }

  /// Edits mark units as they go; a batch that is given up puts the marks back.
  private func restoreMarks(_ model: GraphModel) {
    for node in model.nodes {
      guard let instance = node.instance else { continue }
      instance.clearUses()
    }
    for interaction in model.interactions { model.mark(interaction, isThere: true) }
  }

  private func commit(
    _ model: GraphModel, _ passage: RunningGraph.Passage, _ state: inout State
  ) throws(Violation) {
    let preparation = prepare(model, state, capture: nil)
    if let first = preparation.violations.first(where: { $0.severity == .error }) { throw first }
    guard var running = state.running else {
      state.model = model
      return
    }
    var passage = passage
    // What nobody hears yet need not fade.
    let isHeard = hardware == nil ? running.session.nextFrame > 0 : state.isRunning
    passage.fadeDuration = isHeard || passage.frame > 0 ? state.fadeDuration : 0
    let before = running.services
    try running.play(
      model, preparation, observers: observers(state), largestSlice: largestSlice, passage)
    if hardware != nil {
      for service in running.services where !before.contains(where: { $0 === service }) {
        serviceThread.add(service)
      }
    }
    for node in state.model.nodes where model.node(node.id) == nil {
      node.instance?.uninitialize()
      node.instance?.setHost(nil)
    }
    state.running = running
    state.readers = running.readers
    state.model = model
  }

  private func makeInstance(_ unit: any AudioUnit.Type) -> UnitInstance {
    let instance = UnitInstance(unit)
    instance.setHost(unitHost)
    return instance
  }

  /// What the output unit's properties say of the next start. A start time is for one start only.
  private func startTiming() -> (keepsTime: Bool, start: StartTime?) {
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

  private func replan(_ state: inout State) {
    guard var running = state.running else { return }
    let preparation = prepare(state.model, state, capture: nil)
    guard
      (try? running.play(
        state.model, preparation, observers: observers(state), largestSlice: largestSlice)) != nil
    else { return }
    state.running = running
    state.readers = running.readers
  }

  private func stopRunning() {
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

  private func endInitialization(_ state: inout State) {
    guard state.isInitialized else { return }
    if hardware != nil { serviceThread.stop() }
    for node in state.model.nodes { node.instance?.uninitialize() }
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

/// Why an update stopped.
public struct GraphUpdateError: Error, Hashable, Sendable {
  public var violation: Violation
  /// The edit that failed, counted from 0 among those that were pending; `nil` where each could be
  /// made and the graph they lead to could not be initialized.
  public var editIndex: Int?

  public init(violation: Violation, editIndex: Int? = nil) {
    self.violation = violation
    self.editIndex = editIndex
  }
}
