public import AudioTypes
public import AudioUnits
public import RenderCore
public import RenderHost
import Synchronization

/// Rendering: notifications, load, session, services, duration.
extension AudioGraph {
  /// Calls `body` before and after each slice, on the render thread. Before a slice it may schedule
  /// parameter changes for that slice through `parameterSchedule(of:)`.
  public func addRenderNotification(_ body: @escaping RenderObserver.Body) -> ObserverToken {
    state.withLock { state in
      state.nextToken += 1
      state.observers[state.nextToken] = RenderObserver(body)
      replan(&state)
      return ObserverToken(number: state.nextToken)
    }
  }

  /// Removes a render notification. A slice that is under way may still call it once.
  public func removeRenderNotification(_ token: ObserverToken) {
    state.withLock { state in
      state.observers[token.number] = nil
      replan(&state)
    }
  }

  /// The average share of the slices' duration that rendering took: 0 to 1, and above 1 where it
  /// could not keep up; 0 without a session.
  public var cpuLoad: Float { Float(session?.load ?? 0) }

  /// The largest such share since the last call, or since the start.
  public func takeMaximumCPULoad() -> Float { Float(session?.takePeakLoad() ?? 0) / 1_000_000 }

  // MARK: Host

  /// The session that a device pulls; `nil` unless the graph is initialized.
  public var session: RenderSession? { present.session }

  /// The services of callbacks and taps, which read and write files. A graph running on a device
  /// calls them itself; an offline host has to call them.
  public var services: [any RenderService] { state.withLock { $0.running?.services ?? [] } }

  /// Errors of files while the graph ran.
  public var serviceErrors: [ServiceError] {
    serviceThread.errors + present.withLock { $0.finishErrors }
  }

  /// Events of files since the last call, none of which stops a running graph. With an offline
  /// host, only the events of files that are no longer in the graph.
  public func takeServiceEvents() -> [ServiceEvent] {
    serviceThread.takeEvents()
      + present.withLock { present in
        defer { present.finishEvents = [] }
        return present.finishEvents
      }
  }

  /// Notes a gap in the recordings of a running graph: the device stood still for `seconds`, and
  /// the first frame after that was rendered `ago` seconds ago. Each recording gives an event with
  /// its place.
  public func noteGap(seconds: Double, ago: Double = 0, cause: String) {
    serviceThread.noteGap(seconds: seconds, ago: ago, cause: cause)
  }

  /// Frames of files and recordings that were not read or written in time.
  public var lostFrames: Int {
    serviceThread.lostFrames + present.withLock { $0.finishedLostFrames }
  }

  /// Frees what the render thread has finished with, closes files that are no longer used, and
  /// carries out an update that `updateWithoutWaiting()` has requested. A host calls it regularly,
  /// on another thread than the render thread.
  public func collect() {
    carryOutRequestedUpdate()
    let finished = state.withLock { state -> [any RenderService] in
      state.running?.session.collect()
      // To change `running` takes another lock, in every slice.
      guard state.running?.hasFinishedServices == true else { return [] }
      return state.running?.takeFinishedServices() ?? []
    }
    for service in finished {
      guard hardware == nil else {
        serviceThread.remove(service)
        continue
      }
      do throws(ServiceError) { try service.finish() } catch {
        present.withLock { $0.finishErrors.append(error) }
      }
      let (lost, events) = (service.lostFrames, service.takeEvents())
      present.withLock { present in
        present.finishedLostFrames += lost
        present.finishEvents += events
      }
    }
  }

  /// Passes over all changes that are planned, without rendering, and frees what played before them. For a graph
  /// that is asked for its `duration` only.
  package func passPlannedChanges() {
    session?.passStages()
    collect()
  }

  /// Frames at the device's rate until the last pulled source ends, or until `stopTime`; `nil`
  /// where a source never ends, and where nothing but a microphone is pulled.
  public var duration: Int? {
    state.withLock { state in
      state.running?.measureAgain()
      return state.running?.duration
    }
  }

  // MARK: Examination

  /// Every violation that `initialize()` finds, in its order: errors, which it refuses, and
  /// warnings, which it accepts. `initialize()` succeeds exactly where none is an error.
  public func violations() -> [Violation] { examination().violations }

  /// The configuration of a node that `initialize()` has settled, or would settle.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAudioUnitErr_Uninitialized` before `open()`.
  public func configuration(_ node: NodeID) throws(Violation) -> UnitConfiguration {
    try state.withLock { state throws(Violation) in
      guard let found = state.model.node(node) else { throw NodesExist.violation(node) }
      guard let instance = found.instance else { throw GraphStates.notOpen() }
      return prepare(state.model, state).configurations[node] ?? instance.configuration()
    }
  }

  /// `violations()`, and the configurations in which they were found, from one preparation. Only
  /// nodes that take part in interactions have a configuration.
  public func examination() -> (
    violations: [Violation], configurations: [NodeID: UnitConfiguration]
  ) {
    state.withLock { state in
      guard state.isOpen else { return ([GraphStates.notOpen()], [:]) }
      let preparation = examine(&state)
      return (preparation.violations, preparation.configurations)
    }
  }

  /// The configurations of all nodes of an open graph; empty for a graph that is not open.
  public var configurations: [NodeID: UnitConfiguration] {
    state.withLock { state in
      guard state.isOpen else { return [:] }
      var found = prepare(state.model, state).configurations
      for node in state.model.nodes where found[node.id] == nil {
        found[node.id] = node.instance?.configuration()
      }
      return found
    }
  }

  /// A preparation of the present graph; the last one if nothing has been edited or set since.
  func examine(_ state: inout State) -> Preparation {
    var versions = 0
    for node in state.model.nodes {
      versions += node.instance?.configurationVersion.version ?? 0
    }
    if let examined = state.examined, examined.unitVersions == versions {
      return examined.preparation
    }
    let preparation = prepare(state.model, state)
    state.settled = preparation.settled
    // Preparations with errors are not kept: the cause, such as a missing file, may be fixed
    // outside of the graph.
    if state.running == nil, preparation.violations.allSatisfy({ $0.severity != .error }) {
      state.examined = (preparation, versions)
    }
    return preparation
  }
}
