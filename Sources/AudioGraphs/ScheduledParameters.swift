public import AudioTypes
import AudioUnits
public import RenderCore
public import RenderHost

extension AudioGraph {
  /// Where changes of a node's parameters are scheduled: what a render notification, which may neither
  /// allocate nor wait, is given beforehand. It stays good, through `uninitialize()` and `initialize()`
  /// too, until the number of the unit's elements changes.
  ///
  /// The frames are those of the graph's output unit, also for a unit behind a converter of rates. A
  /// parameter that ramps is followed to the frame by the Multichannel Mixer; the 3D Mixer and
  /// the other units smooth what they are told every 64 frames.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAudioUnitErr_Uninitialized` before `open()`.
  public func parameterSchedule(of node: NodeID) throws(Violation) -> ParameterSchedule {
    let (block, parameters) = try unit(node).schedulableParameters()
    return ParameterSchedule(parameters, of: block, on: scheduler)
  }

  /// Where changes of a callback's live settings are scheduled, by their numbers, in the global scope:
  /// as `parameterSchedule(of:)` says of a unit's parameters. It stays good as long as there is the
  /// callback.
  public func settingSchedule(of callback: CallbackInstance) -> ParameterSchedule {
    ParameterSchedule(callback.schedulableSettings, of: callback.block, on: scheduler)
  }

  /// Schedules changes of a node's parameters for the slice that begins next
  /// (`AudioUnitScheduleParameters`): all of them, or none where one is refused.
  ///
  /// Events are for one slice. An immediate one is what `UnitInstance.parameter` gives from now on, and
  /// what holds after the slice, also where its frame has not come in it; a ramp that is longer than the
  /// slice is scheduled again for the next one, begun that much earlier. Until then it stays where it
  /// is. Of two events for the same parameter the later one ends the other. No listener is called.
  ///
  /// Events for one and the same slice are scheduled from its pre-render notification, on the render
  /// thread, by a `ParameterSchedule`; there this call, which may wait, is refused.
  ///
  /// - Throws: As `UnitInstance.setParameter`; `kAudioUnitErr_InvalidParameter` also for a ramp of a
  ///   parameter that does not ramp; `kAUGraphErr_NodeNotFound`; `kAudioUnitErr_Uninitialized` before
  ///   `open()`; `kAudioUnitErr_CannotDoInCurrentContext` on the render thread, and where more than 256
  ///   events would wait for the slice.
  public func scheduleParameters(
    _ events: [ParameterEvent], of node: NodeID
  ) throws(Violation) {
    guard !scheduler.isRenderingHere else {
      throw Violation(
        GraphStates.rule, status: .cannotDoInCurrentContext,
        "the render thread may not wait, as this call does", at: .graph,
        help: ["take parameterSchedule(of:) beforehand, and schedule with that"])
    }
    let unit = try unit(node)
    for event in events {
      do throws(Violation) { try unit.check(event) } catch { throw error.of(node) }
    }
    let status = try parameterSchedule(of: node).schedule(events.span)
    guard status == .ok else {
      throw Violation(
        GraphStates.rule, status: status,
        "more than \(ParameterScheduler.capacity) parameter events wait for the next slice",
        at: .graph, help: ["schedule fewer at once, or ramps in the place of many changes"])
    }
  }
}
