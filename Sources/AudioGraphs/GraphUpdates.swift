public import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import RenderHost
import Synchronization

/// The edits of an initialized graph, which wait for an update.
extension AudioGraph {
  /// How many edits wait for `update()`.
  public var pendingEditCount: Int { present.pendingEditCount }

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
    guard !scheduler.isRenderingHere else { return try updateWithoutWaiting() }
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
  /// Callable from a render notification: there it leaves a wish, takes no lock and does not throw.
  /// Called again it tells how far that is.
  ///
  /// - Returns: Whether nothing is left to do: `false` while edits are outstanding.
  /// - Throws: What the edits of an earlier call failed with, once, as `update()`: to the next who asks
  ///   outside of a render notification.
  @discardableResult
  public func updateWithoutWaiting() throws(GraphUpdateError) -> Bool {
    let isHere = scheduler.isRenderingHere
    // On the render thread nothing else is asked: to throw, the error would have to be taken from under
    // a lock, and given back to the heap there.
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
        present.wishForUpdate()
        // The render thread must not call the system; the thread looks for its wishes by itself, as
        // often as `secondsToWishes` says.
        if !isHere { serviceThread.wake() }
      }
      return isIdle && !scheduler.hasWaitingStage()
    }
    _ = try carryOut(.init())
    return true
  }

  /// In how many seconds to look for the wish for an update, at the latest. A render notification may
  /// leave one at any time, and wakes no thread: while there are notifications, and while the graph is
  /// being changed, it is looked for as often as the thread can.
  var secondsToWishes: Double {
    let areQuiet = state.withLockIfAvailable { state in
      state.observers.isEmpty
        && state.model.nodes.allSatisfy { $0.instance?.hasRenderObservers != true }
    }
    return areQuiet == true ? .infinity : 0
  }

  func carryOutWantedUpdate() {
    guard present.takeWishForUpdate() else { return }
    do throws(GraphUpdateError) { _ = try carryOut(.init()) } catch {
      present.withLock { $0.updateError = error }
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
    var writes: [ControlWrite] = []
    do throws(GraphUpdateError) { try edits() } catch {
      for unit in units { unit.releaseWrites() }
      for write in callbacks.flatMap({ $0.takeHeldWrites() }) {
        write.block[word: write.index] = write.word
      }
      throw error
    }
    for unit in units { writes += unit.takeHeldWrites() }
    for callback in callbacks { writes += callback.takeHeldWrites() }
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

  // MARK: Inside

  func make(_ edit: GraphEdit, _ state: inout State) throws(Violation) {
    if state.isInitialized {
      // What no other edit could mend is refused at once.
      for id in edit.nodes where state.model.node(id) == nil { throw NodesExist.violation(id) }
      if case .connect(let connection) = edit,
        let violation = NoSelfConnection.violation(connection, in: state.model)
      {
        throw violation
      }
      if case .callback(let callback) = edit,
        let violation = CallbackInputs.violations(callback).first
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
    state.settled = preparation.settled
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
      // Somebody may look on at the new nodes.
      serviceThread.wake()
    }
    for node in state.model.nodes where model.node(node.id) == nil && !isUnseen {
      node.instance?.forgetConfiguration()
      node.instance?.setHost(nil)
    }
    state.running = running
    present.withLock { present in
      present.readers = running.readers
      present.model = model
    }
    state.model = model
  }
}

/// Why an update stopped.
public struct GraphUpdateError: Error, Hashable, Sendable {
  /// What is wrong.
  public var violation: Violation
  /// The edit that failed, counted from 0 among those that were pending; `nil` where each could be
  /// made and the graph they lead to could not be initialized.
  public var editIndex: Int?

  public init(violation: Violation, editIndex: Int? = nil) {
    self.violation = violation
    self.editIndex = editIndex
  }
}
