public import AudioTypes
import AudioUnits
import Synchronization

/// What moves by itself.
extension AudioGraph {
  /// Moves a parameter at a time that is known beforehand: each start of the graph finds every
  /// parameter where it was at initialization, and plays the same.
  ///
  /// A ramp of a live setting moves the callback that feeds the input when the graph is initialized or
  /// updated; where none does then, nothing.
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
        if ramp.callback == nil {
          _ = try unit.rampControl(
            ramp.parameter, ramp.scope, ramp.element, to: ramp.target, goesAround: true)
        } else if let instance = ramp.instance(in: state.model) {
          _ = try LiveSettingsMove.control(of: ramp, instance)
        }
      } catch {
        throw error.of(ramp.node)
      }
      try state.model.add(ramp)
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
}
