public import AudioTypes
import Synchronization

/// Ramps at fixed times.
extension AudioGraph {
  /// Adds a ramp at a fixed time. Each start of the graph puts every parameter back to its value at
  /// initialization, so that every run plays the same.
  ///
  /// A ramp of a live setting moves the callback that feeds the input when the graph is initialized
  /// or updated; where no callback feeds it then, the ramp has no effect.
  ///
  /// - Throws: As `UnitInstance.setParameter`; `kAudioUnitErr_InvalidParameter` also for a parameter
  ///   that does not ramp; `kAUGraphErr_NodeNotFound`; `paramErr` for times below 0 s, for an
  ///   end after more than 10 years, and where another ramp moves the parameter at that time;
  ///   `kAudioUnitErr_Initialized` in an initialized graph; `kAudioUnitErr_Uninitialized` before
  ///   `open()`.
  public func addRamp(_ ramp: ParameterRamp) throws(Violation) {
    try state.withLock { state throws(Violation) in
      guard let node = state.model.node(ramp.node) else { throw NodesExist.violation(ramp.node) }
      guard node.instance != nil else { throw GraphStates.notOpen() }
      guard !state.isInitialized else { throw GraphStates.initialized("a ramp is added") }
      _ = try ramp.control(in: state.model)
      try state.model.add(ramp)
    }
  }

  /// All ramps of the graph.
  public var ramps: [ParameterRamp] { state.withLock { $0.model.ramps } }

  /// Replaces all ramps and the stop time. Pending while the graph is initialized: after the
  /// update, ramps that have ended do not run again, and ramps under way go on.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`. `update()` or `initialize()` throws what `addRamp(_:)`
  ///   would refuse.
  public func setTimeline(
    _ ramps: [ParameterRamp], stopTime: Double? = nil
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.timeline(ramps, stopTime: stopTime), &state)
    }
  }

  /// When the graph ends even if its sources go on, in seconds from its start; `nil` for the end of
  /// its sources. Takes effect at `initialize()`.
  public var stopTime: Double? {
    get { state.withLock { $0.model.stopTime } }
    set { state.withLock { $0.model.stopTime = newValue } }
  }
}
