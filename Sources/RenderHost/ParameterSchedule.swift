public import AudioTypes
public import RenderCore

/// Schedules changes of one unit's parameters (`AudioUnitScheduleParameters`).
///
/// Callable from any thread, also from a render notification or a callback: it neither allocates
/// nor waits. An event scheduled by the render thread applies to the slice being rendered, as in
/// Core Audio; one scheduled by another thread applies to the next slice. Made by
/// `AudioGraph.parameterSchedule(of:)`, once the unit has its final number of elements.
@safe
public final class ParameterSchedule: @unchecked Sendable {
  // `@unchecked Sendable`: its properties, and the rows that they point to, never change.
  private let scheduler: Unmanaged<ParameterScheduler>
  private let block: Unmanaged<ControlBlock>
  private let controls: ControlAccess
  private let rows: UnsafeMutableBufferPointer<SchedulableParameter>

  /// - Parameters:
  ///   - parameters: The parameters that may be scheduled.
  ///   - block: The controls of the parameters. It is retained, as is the scheduler.
  public init(
    _ parameters: [SchedulableParameter], of block: ControlBlock, on scheduler: ParameterScheduler
  ) {
    scheduler.hold(block)
    unsafe self.scheduler = .passRetained(scheduler)
    unsafe self.block = .passRetained(block)
    controls = block.access
    unsafe rows = .allocate(capacity: parameters.count)
    for (index, row) in parameters.enumerated() {
      unsafe rows.initializeElement(at: index, to: row)
    }
  }

  deinit {
    unsafe rows.deallocate()
    unsafe block.release()
    unsafe scheduler.release()
  }

  /// Schedules one event.
  ///
  /// - Returns: `noErr`; `kAudioUnitErr_InvalidParameter` for a parameter that the unit lacks or
  ///   that cannot be set, for a ramp of one that cannot ramp, and for a value out of range;
  ///   `kAudioUnitErr_InvalidElement` for an element that does not exist, and after the unit got
  ///   another number of elements; `kAudioUnitErr_CannotDoInCurrentContext` where the queue is
  ///   full: a slice takes 256 events of the render thread, and 256 of all other threads. The limit
  ///   is patchrun's; Core Audio has none.
  @_noLocks
  public func schedule(_ event: ParameterEvent) -> Status {
    let found = find(event)
    guard found.status == .ok else { return found.status }
    let resolved = resolve(event, found.index)
    let thread = threadIdentity()
    let isDone = unsafe scheduler._withUnsafeGuaranteedRef { scheduler in
      if scheduler.thread() == thread {
        if !scheduler.hasRoom(1) { return false }
        scheduler.note(resolved)
        scheduler.add(resolved)
        return true
      }
      let position = scheduler.claim(1)
      if position < 0 { return false }
      scheduler.note(resolved)
      scheduler.post(resolved, at: position)
      return true
    }
    return isDone ? .ok : .cannotDoInCurrentContext
  }

  /// Schedules up to 256 events, all for the same slice, or none where one of them is refused.
  /// Returns the same statuses as `schedule(_:)`.
  public func schedule(_ events: Span<ParameterEvent>) -> Status {
    for index in events.indices {
      let status = find(events[index]).status
      guard status == .ok else { return status }
    }
    guard !events.isEmpty else { return .ok }
    let thread = threadIdentity()
    let scheduler = unsafe scheduler.takeUnretainedValue()
    if scheduler.thread() == thread {
      guard scheduler.hasRoom(events.count) else { return .cannotDoInCurrentContext }
      for index in events.indices {
        let resolved = resolve(events[index], find(events[index]).index)
        scheduler.note(resolved)
        scheduler.add(resolved)
      }
      return .ok
    }
    let position = scheduler.claim(events.count)
    guard position >= 0 else { return .cannotDoInCurrentContext }
    for index in events.indices {
      scheduler.note(resolve(events[index], find(events[index]).index))
    }
    for index in events.indices.reversed() {
      scheduler.post(resolve(events[index], find(events[index]).index), at: position + index)
    }
    return .ok
  }

  /// The index of the control that an event sets, or the status of the refusal.
  @_noLocks
  private func find(_ event: ParameterEvent) -> (status: Status, index: Int) {
    if controls.isRetired { return (.invalidElement, 0) }
    for place in 0..<(unsafe rows.count) {
      let row = unsafe rows[place]
      if row.parameter != event.parameter { continue }
      if row.scope != event.scope.rawValue { continue }
      guard event.element >= 0, event.element < row.elementCount else {
        return (.invalidElement, 0)
      }
      var isFine = false
      switch event.change {
      case .immediate(_, let value):
        isFine = value >= row.lowest && value <= row.highest
      case .ramp(_, _, let from, let to):
        isFine = row.canRamp && from >= row.lowest && from <= row.highest
        isFine = isFine && to >= row.lowest && to <= row.highest
      }
      guard isFine else { return (.invalidParameter, 0) }
      return (.ok, row.firstIndex + event.element * row.stride)
    }
    return (.invalidParameter, 0)
  }

  @_noLocks
  private func resolve(_ event: ParameterEvent, _ index: Int) -> ParameterScheduler.Event {
    switch event.change {
    case .immediate(let offset, let value):
      ParameterScheduler.Event(controls, index, to: value, at: Int(offset))
    case .ramp(let offset, let length, let from, let to):
      ParameterScheduler.Event(
        controls, index, from: from, to: to, at: Int(offset), length: Int(length))
    }
  }
}

extension ParameterScheduler {
  /// Whether the calling thread is rendering.
  public var isRenderingHere: Bool { thread() == threadIdentity() }
}
