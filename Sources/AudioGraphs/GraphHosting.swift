public import AudioTypes
public import AudioUnits
public import RenderCore
public import RenderHost
import Synchronization

/// What renders a graph, and who looks on.
extension AudioGraph {
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

  /// Ends what `addRenderNotification` began: it may be called once more, by a slice that is under way.
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
  public var session: RenderSession? { present.session }

  /// The halves of callbacks and taps that wait for disks. A running graph calls them itself; an
  /// offline host does.
  public var services: [any RenderService] { state.withLock { $0.running?.services ?? [] } }

  /// What went wrong with files while the graph ran.
  public var serviceErrors: [ServiceError] {
    serviceThread.errors + present.withLock { $0.finishErrors }
  }

  /// What has happened to files since the last call: what a running graph goes on through. Of a graph
  /// that an offline host runs, that of files which have left it.
  public func takeServiceEvents() -> [ServiceEvent] {
    serviceThread.takeEvents()
      + present.withLock { present in
        defer { present.finishEvents = [] }
        return present.finishEvents
      }
  }

  /// Tells the recordings of a running graph that time has passed which is not in them: the device stood
  /// still, between two frames of which the second was rendered `ago` seconds before. Each gives an event
  /// with its place.
  public func noteGap(seconds: Double, ago: Double = 0, cause: String) {
    serviceThread.noteGap(seconds: seconds, ago: ago, cause: cause)
  }

  /// Frames of files and recordings that were not there, or not written, in time.
  public var lostFrames: Int {
    serviceThread.lostFrames + present.withLock { $0.finishedLostFrames }
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
        present.withLock { $0.finishErrors.append(error) }
      }
      let (lost, events) = (service.lostFrames, service.takeEvents())
      present.withLock { present in
        present.finishedLostFrames += lost
        present.finishEvents += events
      }
    }
  }

  /// Frames until the last source that is pulled ends, or `stopTime`, at the rate of the device; `nil`
  /// where one of them never does, and where nothing but a microphone is pulled.
  public var duration: Int? {
    state.withLock { state in
      state.running?.measureAgain()
      return state.running?.duration
    }
  }

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
      let preparation = examine(&state)
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
}
