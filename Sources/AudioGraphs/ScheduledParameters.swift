public import AudioTypes
public import RenderCore
public import RenderHost

extension AudioGraph {
  /// A schedule of a node's parameters for a render notification, which may neither allocate nor
  /// wait. Get it beforehand. It stays valid, across `uninitialize()` and `initialize()`, until the
  /// number of the unit's elements changes.
  ///
  /// Its frames are those of the graph's output unit, also for a unit behind a sample rate
  /// converter. The Multichannel Mixer follows a ramp to the frame; the 3D Mixer and the other
  /// units read it every 64 frames and smooth it.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAudioUnitErr_Uninitialized` before `open()`.
  public func parameterSchedule(of node: NodeID) throws(Violation) -> ParameterSchedule {
    let (block, parameters) = try unit(node).schedulableParameters()
    return ParameterSchedule(parameters, of: block, on: scheduler)
  }

  /// A schedule of a callback's live settings, by their numbers, in the global scope; see
  /// `parameterSchedule(of:)`. It stays valid as long as the callback exists.
  public func settingSchedule(of callback: CallbackInstance) -> ParameterSchedule {
    ParameterSchedule(callback.schedulableSettings, of: callback.block, on: scheduler)
  }

  /// Schedules changes of a node's parameters for the next slice (`AudioUnitScheduleParameters`):
  /// all of them, or none where one is refused.
  ///
  /// Events apply to one slice. `UnitInstance.parameter` returns the value of an immediate event
  /// from now on; the value stays after the slice, even if the slice has not reached the event's
  /// frame. A ramp that is longer than the slice is scheduled again for the next one, with an
  /// earlier start; until then the parameter stays where it is. Of two events for one parameter the
  /// later ends the earlier. No listener is called.
  ///
  /// To schedule for the slice that is about to begin, use a `ParameterSchedule` in its pre-render
  /// notification, on the render thread. There this call, which may wait, is refused.
  ///
  /// - Throws: As `UnitInstance.setParameter`; `kAudioUnitErr_InvalidParameter` also for a ramp of
  ///   a parameter that does not ramp; `kAUGraphErr_NodeNotFound`; `kAudioUnitErr_Uninitialized`
  ///   before `open()`; `kAudioUnitErr_CannotDoInCurrentContext` on the render thread, and where
  ///   more than 256 events would wait for the slice.
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
      do throws(Violation) { try unit.check(event) } catch { throw error.at(node: node) }
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
