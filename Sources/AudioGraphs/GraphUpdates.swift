public import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import RenderHost
import Synchronization

/// Changes of a graph: a copy to try one, edits that wait while the graph is initialized, and the
/// update that makes them heard.
extension AudioGraph {
  // MARK: A copy

  /// A copy of the graph for trying a change: the same nodes, interactions and taps, open, not
  /// initialized, without a device. This graph is not changed.
  ///
  /// The two graphs share their units, except those of `copied` and `renewed`. A change that sets
  /// something on a unit, or changes its inputs or outputs, must include the unit's node in one of
  /// them.
  ///
  /// - Parameters:
  ///   - copied: Nodes that get a copy of their unit, with the same settings.
  ///   - renewed: Nodes that get a new unit, with its initial settings.
  package func fork(copying copied: Set<NodeID>, renewing renewed: Set<NodeID>) -> AudioGraph {
    let fork = AudioGraph(assuming: grant, catalog: catalog)
    let original = state.withLock { state in
      (
        model: state.model, defaultFormat: state.defaultFormat, nextToken: state.nextToken,
        isOpen: state.isOpen, settled: state.settled, memoryLimit: state.memoryLimit
      )
    }
    var model = original.model
    for (index, node) in model.nodes.enumerated() {
      if renewed.contains(node.id) {
        model.setInstance(fork.makeInstance(node.unit), at: index)
      } else if copied.contains(node.id), let copy = node.instance?.copy() {
        copy.setHost(fork.unitHost)
        model.setInstance(copy, at: index)
      }
    }
    let own = copied.union(renewed)
    for interaction in model.interactions
    where own.contains(interaction.destination)
      || interaction.link.map({ own.contains($0.source) }) == true
    {
      model.mark(interaction, isThere: true)
    }
    fork.state.withLock { state in
      state.model = model
      state.defaultFormat = original.defaultFormat
      state.memoryLimit = original.memoryLimit
      state.nextToken = original.nextToken
      state.isOpen = original.isOpen
      state.settled = original.settled
    }
    return fork
  }

  // MARK: Updates

  /// The number of edits that wait for `update()`.
  public var pendingEditCount: Int { present.pendingEditCount }

  /// The duration, in seconds, of the cross-fade between an old and a new feed of a unit in a graph
  /// that plays; their two gains add up to 1. 0 to 10; 0 changes at once; 0.02 until set.
  public var fadeDuration: Double {
    get { state.withLock { $0.fadeDuration } }
    set { state.withLock { $0.fadeDuration = newValue.isFinite ? min(max(0, newValue), 10) : 0 } }
  }

  /// Carries out the pending edits between two slices of a running graph.
  ///
  /// Waits for at most 1 s until the device plays them. Does not wait where no device pulls the
  /// graph, while its session pauses, and in a render notification. Cross-fades may be under way
  /// when it returns.
  ///
  /// - Returns: Whether nothing is left to do.
  /// - Throws: `GraphUpdateError` with the edit that failed. That edit is dropped, earlier ones are
  ///   carried out, later ones stay pending. Where the edits together lead to a graph that could
  ///   not be initialized, none is carried out, and all stay pending.
  @discardableResult
  public func update() throws(GraphUpdateError) -> Bool {
    guard !scheduler.isRenderingHere else { return try updateWithoutWaiting() }
    let stage = try carryOut(.init())
    guard hardware != nil, isRunning, let session else { return true }
    let begin = monotonicNanoseconds()
    while session.begunStages < stage {
      guard isRunning, !session.isPaused, monotonicNanoseconds() - begin < 1_000_000_000
      else { return false }
      pause(waitingSince: begin)
    }
    return true
  }

  /// Carries out the pending edits without waiting. While a device pulls the graph, the service
  /// thread carries them out; a request from a render notification is carried out by the service
  /// thread or by the host's next `collect()`.
  ///
  /// Callable from a render notification: there it sets a flag, takes no lock and does not throw.
  /// Call it again to learn whether the edits have been carried out.
  ///
  /// - Returns: Whether nothing is left to do: `false` while edits are outstanding.
  /// - Throws: As `update()`. An error of edits that an earlier call requested is thrown once, by
  ///   the next call outside of a render notification.
  @discardableResult
  public func updateWithoutWaiting() throws(GraphUpdateError) -> Bool {
    let isHere = scheduler.isRenderingHere
    // On the render thread only flags are used: throwing an error would require a lock, and freeing
    // memory.
    if !isHere {
      let error = present.withLock { present in
        defer { present.updateError = nil }
        return present.updateError
      }
      if let error { throw error }
    }
    if isHere || (hardware != nil && isRunning) {
      let isIdle = present.pendingEditCount == 0
      if !isIdle {
        present.requestUpdate()
        // The render thread must not call the system: the service thread polls for requests every
        // `updatePollInterval`.
        if !isHere { serviceThread.wake() }
      }
      return isIdle && !scheduler.hasWaitingStage()
    }
    _ = try carryOut(.init())
    return true
  }

  /// The longest time until the service thread polls for a requested update, in seconds. A render
  /// notification makes a request without waking the thread, so that the thread polls as often as
  /// it can while there are notifications, and while the graph is being changed.
  var updatePollInterval: Double {
    let areQuiet = state.withLockIfAvailable { state in
      state.observers.isEmpty
        && state.model.nodes.allSatisfy { $0.instance?.hasRenderObservers != true }
    }
    return areQuiet == true ? .infinity : 0
  }

  func carryOutRequestedUpdate() {
    guard present.takeUpdateRequest() else { return }
    do throws(GraphUpdateError) { _ = try carryOut(.init()) } catch {
      present.withLock { $0.updateError = error }
    }
  }

  /// Makes edits that take effect at one frame: the edits of the graph in `edits`, and everything
  /// that it sets on units and callbacks that play already. If the graph has not reached the frame
  /// yet, the result does not depend on the slice size; otherwise the edits take effect as soon as
  /// possible.
  ///
  /// - Parameter time: Seconds from the start of the graph; `nil` for as soon as possible, as by
  ///   `update()`: then values are set at once.
  /// - Throws: As `update()`, and what `edits` throws. Values set on units stay set in that case.
  public func update(
    at time: Double?, _ edits: () throws(Violation) -> Void
  ) throws(GraphUpdateError) {
    guard let time else {
      do throws(Violation) { try edits() } catch { throw GraphUpdateError(violation: error) }
      try update()
      return
    }
    let (units, callbacks) = state.withLock {
      state -> ([UnitInstance], [CallbackInstance]) in
      guard state.isInitialized else { return ([], []) }
      return (
        state.model.nodes.compactMap(\.instance),
        state.model.interactions.flatMap { interaction -> [CallbackInstance] in
          guard case .callback(let callback) = interaction else { return [] }
          return callback.instances.filter { !$0.settings.isEmpty }
        }
      )
    }
    for unit in units { unit.holdWrites() }
    for callback in callbacks { callback.holdWrites() }
    var refusal: GraphUpdateError?
    do throws(Violation) { try edits() } catch { refusal = GraphUpdateError(violation: error) }
    let writes =
      units.flatMap { $0.takeHeldWrites() } + callbacks.flatMap { $0.takeHeldWrites() }
    let frame = Int((max(0, time) * (session?.clientRate ?? grant.sampleRate)).rounded())
    do throws(GraphUpdateError) {
      if let refusal { throw refusal }
      _ = try carryOut(.init(frame: frame, writes: writes), evenIfNothingIsPending: true)
    } catch {
      for write in writes { write.block[word: write.index] = write.word }
      throw error
    }
  }

  /// Carries out the pending edits. Returns the number of the first stage that plays them.
  private func carryOut(
    _ passage: RunningGraph.Passage, evenIfNothingIsPending: Bool = false
  ) throws(GraphUpdateError) -> Int {
    try state.withLock { state throws(GraphUpdateError) in
      let postedStages = state.running?.session.postedStages ?? 0
      let isIdle = state.pending.isEmpty && !evenIfNothingIsPending
      do throws(GraphUpdateError) {
        if !isIdle { try carryOutPendingEdits(passage, &state) }
      } catch {
        restoreMarks(state.model)
        state.lastUpdateError = error.violation.status
        throw error
      }
      state.lastUpdateError = .ok
      return isIdle ? postedStages : postedStages + 1
    }
  }

  /// The error of the last `update()`; `ok` where it succeeded.
  public var lastUpdateError: Status { state.withLock { $0.lastUpdateError } }

  private func carryOutPendingEdits(
    _ passage: RunningGraph.Passage, _ state: inout State
  ) throws(GraphUpdateError) {
    var model = state.model
    let edits = state.pending
    for (index, edit) in edits.enumerated() {
      do throws(Violation) { try model.apply(edit) } catch {
        state.pending.remove(at: index)
        // As documented in Core Audio's header, the edits before the failing one are carried out.
        if index > 0, (try? commit(model, passage, &state)) != nil {
          state.pending.removeFirst(index)
        }
        throw GraphUpdateError(violation: error, editIndex: index)
      }
    }
    do throws(Violation) { try commit(model, passage, &state) } catch {
      throw GraphUpdateError(violation: error)
    }
    state.pending = []
  }

  /// Discards the pending edits.
  public func discardPendingEdits() { state.withLock { $0.pending = [] } }

  // MARK: Inside

  func make(_ edit: GraphEdit, _ state: inout State) throws(Violation) {
    guard state.isInitialized else { return try state.model.apply(edit) }
    try state.model.check(edit)
    state.pending.append(edit)
  }

  /// Restores the units' use marks after a batch of edits has been refused.
  private func restoreMarks(_ model: GraphModel) {
    for node in model.nodes { node.instance?.clearUses() }
    for interaction in model.interactions { model.mark(interaction, isThere: true) }
  }

  /// What `initialize()` or an update to a model would compute.
  func prepare(
    _ model: GraphModel, _ state: State, capture: FrameRing? = nil
  ) -> Preparation {
    var preparer = Preparer(
      model: model, played: state.running == nil ? nil : state.model, demandsFormats: !isHidden,
      category: state.category,
      device: DeviceSides(
        output: grant.outputFormat, input: grant.inputFormat, ioBufferFrames: largestSlice,
        isSynchronous: hardware?.isSynchronous ?? true, capture: capture ?? state.running?.capture),
      defaultFormat: state.defaultFormat, rules: GraphRules.ofNodes, previous: state.settled)
    var preparation = preparer.prepare()
    if let limit = state.memoryLimit,
      let violation = MemoryFits.violation(in: model, preparation.configurations, limit: limit)
    {
      preparation.violations.append(violation)
    }
    // The elements of a unit may have changed since the ramp was added.
    for ramp in model.ramps {
      do throws(Violation) {
        _ = try ramp.control(in: model)
        preparation.violations += LiveSettingsMove.violations(
          ramp, in: model, preparation.configurations)
      } catch {
        preparation.violations.append(error)
      }
    }
    return preparation
  }

  private func commit(
    _ model: GraphModel, _ passage: RunningGraph.Passage, _ state: inout State
  ) throws(Violation) {
    let preparation = prepare(model, state)
    state.settled = preparation.settled
    if let first = preparation.violations.first(where: { $0.severity == .error }) { throw first }
    guard let running = state.running else {
      state.model = model
      return
    }
    var passage = passage
    // Before the graph has been heard a change needs no fade.
    let isHeard = hardware == nil ? running.session.nextFrame > 0 : state.isRunning
    passage.fadeDuration = isHeard || passage.frame > 0 ? state.fadeDuration : 0
    try play(model, preparation, on: running, &state, passage)
    for node in state.model.nodes where model.node(node.id) == nil && !isHidden {
      node.instance?.forgetConfiguration()
      node.instance?.setHost(nil)
    }
    present.withLock { $0.model = model }
    state.model = model
  }

  /// Compiles the plans again for the same model, such as for another observer.
  func replan(_ state: inout State) {
    guard let running = state.running else { return }
    try? play(state.model, prepare(state.model, state), on: running, &state)
  }

  /// Plays a prepared model from now on.
  func play(
    _ model: GraphModel, _ preparation: Preparation, on running: RunningGraph,
    _ state: inout State, _ passage: RunningGraph.Passage = .init()
  ) throws(Violation) {
    var running = running
    let before = running.services
    try running.play(
      model, preparation, observers: observers(state), largestSlice: largestSlice, passage)
    if hardware != nil, state.running != nil {
      for service in running.services where !before.contains(where: { $0 === service }) {
        serviceThread.add(service)
      }
      // There may be new observers: the thread has to ask again for `updatePollInterval`.
      serviceThread.wake()
    }
    state.running = running
    present.withLock { $0.readers = running.readers }
  }
}

/// Why an update stopped.
public struct GraphUpdateError: Error, Hashable, Sendable {
  /// The violation of the edit, or of the graph that the edits lead to.
  public var violation: Violation
  /// The index of the failed edit among the pending ones; `nil` where every edit could be made, but
  /// the graph they lead to could not be initialized.
  public var editIndex: Int?

  public init(violation: Violation, editIndex: Int? = nil) {
    self.violation = violation
    self.editIndex = editIndex
  }
}

/// An edit of a graph, pending until the update.
enum GraphEdit: Sendable {
  case connect(Connection)
  case callback(InputCallback)
  case disconnect(BusKey)
  /// Removes the feed of an input, and keeps it with its state for `attach`.
  case detach(BusKey, FeedToken)
  case attach(FeedToken, to: BusKey)
  case clear
  case remove(NodeID)
  case addTap(GraphModel.Tap)
  case removeTap(TapID)
  /// Moves a tap, with its state, to another output.
  case moveTap(TapID, to: BusKey)
  case timeline([ParameterRamp], stopTime: Double?)
  case compensateLatency(Bool)
}

extension GraphModel {
  /// Refuses an edit that no other edit before it could make right.
  func check(_ edit: GraphEdit) throws(Violation) {
    switch edit {
    case .connect(let connection):
      try check(connection.source)
      try check(connection.destination)
      if let violation = NoSelfConnection.violation(connection, in: self) { throw violation }
    case .callback(let callback):
      try check(callback.destination)
      if let violation = CallbackInputs.violations(callback).first { throw violation }
      if let source = callback.source { try check(source.node) }
    case .disconnect(let key), .detach(let key, _), .attach(_, let key), .moveTap(_, let key):
      try check(key.node)
    case .remove(let node): try check(node)
    case .addTap(let tap): try check(tap.node)
    case .timeline(let ramps, _): for ramp in ramps { try check(ramp.node) }
    case .clear, .removeTap, .compensateLatency: break
    }
  }

  private func check(_ id: NodeID) throws(Violation) {
    guard index(of: id) != nil else { throw NodesExist.violation(id) }
  }

  /// Applies an edit; throws where the model refuses it.
  mutating func apply(_ edit: GraphEdit) throws(Violation) {
    try check(edit)
    switch edit {
    case .connect(let connection): try feed(.connection(connection))
    case .callback(let callback): try feed(.callback(callback))
    case .disconnect(let key):
      _ = try feed(of: key)
      removeFeed(key)
    case .detach(let key, let token):
      detached[token] = try feed(of: key)
      removeFeed(key)
    case .attach(let token, let key):
      switch detached.removeValue(forKey: token) {
      case .connection(var connection)?:
        (connection.destination, connection.input) = (key.node, key.bus)
        try apply(.connect(connection))
      case .callback(let callback)?: try apply(.callback(InputCallback(callback, at: key)))
      case nil:
        throw Violation(
          GraphStates.nothingConnected, status: .invalidConnection,
          "what was to feed input \(key.bus) of '\(name(key.node))' has not been detached",
          at: .init(node: key.node, .bus(.input, key.bus)))
      }
    case .clear: removeInteractions()
    case .remove(let node): remove(node)
    case .addTap(let tap): taps.append(tap)
    case .removeTap(let id): taps.removeAll { $0.id == id }
    case .moveTap(let id, let key):
      for index in taps.indices where taps[index].id == id {
        (taps[index].node, taps[index].output) = (key.node, key.bus)
      }
    case .timeline(let ramps, let stopTime):
      self.ramps = ramps
      self.stopTime = stopTime
    case .compensateLatency(let isOn): compensatesLatency = isOn
    }
  }

  /// Feeds an input, replacing its present feed.
  private mutating func feed(_ interaction: Interaction) throws(Violation) {
    if let link = interaction.link {
      if let violation = NoSelfConnection.violation(link, in: self) { throw violation }
      if let violation = OutputsFeedOne.violation(link, in: self) { throw violation }
    }
    removeFeed(BusKey(node: interaction.destination, bus: interaction.input))
    add(interaction)
  }

  private func feed(of key: BusKey) throws(Violation) -> Interaction {
    guard let feed = feeds[key] else {
      throw Violation(
        GraphStates.nothingConnected, status: .invalidConnection,
        "nothing feeds input \(key.bus) of '\(name(key.node))'",
        at: .init(node: key.node, .bus(.input, key.bus)))
    }
    return feed
  }
}
