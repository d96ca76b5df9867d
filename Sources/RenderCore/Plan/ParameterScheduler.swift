import Synchronization

/// The parameter events that clients scheduled for one slice: changes of controls at frames, and
/// ramps.
///
/// The slice is cut into pieces: where a change or a ramp begins, where a ramp ends, and within a
/// ramp after its first frame and every 64 frames from there. A unit that glides linearly then
/// follows the ramp exactly. To continue a ramp, a client schedules it again for the next slice,
/// with the same values and an offset earlier by a slice. It then continues as within one slice, so
/// that the output does not depend on where slices end.
///
/// Events apply to one slice. At its end a change whose frame has not come applies at once, and a
/// ramp that is not scheduled again stops where it is. Of two events for the same control the one
/// that begins later ends the other.
///
/// Any thread may post events for the next slice, without a lock; the rendering thread adds events
/// to the slice that it renders.
@safe
public final class ParameterScheduler: @unchecked Sendable {
  // `@unchecked Sendable`: atomic turns hand over the places of the ring; the rest belongs to the
  // rendering thread.

  /// The most events that other threads may post for a slice, and the most that the rendering
  /// thread may add to it.
  public static var capacity: Int { @_noLocks get { room } }

  /// A change of one control.
  public struct Event: BitwiseCopyable, Sendable {
    let controls: ControlAccess
    let index: Int
    let isRamp: Bool
    /// In frames, counted from the beginning of the slice; after insertion from that of the
    /// session.
    var start: Int
    let length: Int
    let from: Float
    let to: Float
    var hasBegun = false
    var isOver = false
    /// Whether it begins in the middle of a piece.
    var beginsInPiece = false
    /// The value that it set last.
    var written: Float = 0

    /// A change to a value, at a frame of the slice.
    @_noLocks
    public init(_ controls: ControlAccess, _ index: Int, to value: Float, at offset: Int) {
      self.controls = controls
      self.index = index
      isRamp = false
      start = offset
      length = 0
      from = value
      to = value
    }

    /// A ramp of `length` frames. `offset` is negative where it has begun before the slice.
    @_noLocks
    public init(
      _ controls: ControlAccess, _ index: Int, from: Float, to: Float, at offset: Int, length: Int
    ) {
      self.controls = controls
      self.index = index
      isRamp = true
      start = offset
      self.length = length
      self.from = from
      self.to = to
    }

    /// The value of the ramp in a frame.
    @_noLocks
    func value(_ frame: Int) -> Float {
      let rise = Double(to) - Double(from)
      return Float(Double(from) + Double(frame) * rise / Double(length))
    }

    @_noLocks
    func hasSameControl(as other: Event) -> Bool {
      if index != other.index { return false }
      return controls.isSame(as: other.controls)
    }

    /// Whether the other event is the same ramp, scheduled again.
    @_noLocks
    func isSameRamp(as other: Event) -> Bool {
      if !other.isRamp { return false }
      if start != other.start { return false }
      if length != other.length { return false }
      if from != other.from { return false }
      if to != other.to { return false }
      return hasSameControl(as: other)
    }
  }

  // The ring that other threads post to. A place is free for position p while its turn is p, and
  // full while its turn is p + 1.
  private let turns: UnsafeMutablePointer<Atomic<Int>>
  private let posted: UnsafeMutablePointer<Event>
  private let tail = Atomic<Int>(0)
  private let threadNumber = Atomic<UInt>(0)
  /// The stages posted to the session, and those that have begun.
  private let postedStages = Atomic<Int>(0)
  private let begunStages = Atomic<Int>(0)
  /// The number of pending events and of ramps that may continue. While it is above 0, no block is
  /// released.
  private let liveCount = Atomic<Int>(0)
  /// The blocks that events point to.
  private let retainedBlocks = Mutex<[ControlBlock]>([])

  // For the rendering thread: the events of the slice in the order of their frames, and the ramps
  // that were not over when the last slice ended.
  private let events: UnsafeMutablePointer<Event>
  private let kept: UnsafeMutablePointer<Event>
  private var count = 0
  private var keptCount = 0
  /// The number of kept ramps that stop in this slice, at whose end their glides are set to 0.
  private var stoppedCount = 0
  private var ownCount = 0
  private var head = 0
  private var sliceStart = 0
  private var isFirstPiece = false

  public init() {
    let capacity = room
    unsafe turns = .allocate(capacity: capacity)
    for place in 0..<capacity { unsafe (turns + place).initialize(to: Atomic(place)) }
    unsafe posted = .allocate(capacity: capacity)
    unsafe events = .allocate(capacity: 2 * capacity)
    unsafe kept = .allocate(capacity: 2 * capacity)
  }

  deinit {
    unsafe turns.deinitialize(count: room)
    unsafe turns.deallocate()
    unsafe posted.deallocate()
    unsafe events.deallocate()
    unsafe kept.deallocate()
  }

  // MARK: Control thread

  /// Retains a block as long as an event may point to it. Must be called for every block before its
  /// first event.
  public func hold(_ block: ControlBlock) {
    block.makeSchedule()
    retainedBlocks.withLock { blocks in
      var others: [ControlBlock] = []
      for index in blocks.indices {
        // A schedule that can post events for a block retains it too.
        let isHeld = !isKnownUniquelyReferenced(&blocks[index])
        if blocks[index] !== block, isHeld || liveCount.load(ordering: .acquiring) > 0 {
          others.append(blocks[index])
        }
      }
      blocks = others + [block]
    }
  }

  /// Forgets the ramps under way. Called while nothing renders.
  public func restart() {
    liveCount.wrappingSubtract(keptCount, ordering: .relaxed)
    for index in 0..<keptCount {
      let event = unsafe kept[index]
      event.controls.endGlide(event.index)
    }
    keptCount = 0
  }

  /// Sets the number of stages posted to the session.
  public func noteStages(posted count: Int) { postedStages.store(count, ordering: .releasing) }

  // MARK: Any thread

  /// Whether a stage of the session has not begun.
  @_noLocks
  public func hasWaitingStage() -> Bool {
    postedStages.load(ordering: .acquiring) > begunStages.load(ordering: .acquiring)
  }

  /// The identity of the thread that renders now; 0 for none.
  @_noLocks
  public func thread() -> UInt { threadNumber.load(ordering: .relaxed) }

  /// Reserves places for events of the next slice, and returns the position of the first; -1 where
  /// there is no room. All of them must be posted then, the first one last, which makes them
  /// visible together.
  @_noLocks
  public func claim(_ eventCount: Int) -> Int {
    guard eventCount > 0, eventCount <= room else { return -1 }
    var position = tail.load(ordering: .relaxed)
    while true {
      let last = position + eventCount - 1
      // Places are freed in order: if the last one is free, so are those before it.
      let turn = unsafe turns[last & (room - 1)].load(ordering: .acquiring)
      if turn < last { return -1 }
      if turn > last {
        position = tail.load(ordering: .relaxed)
        continue
      }
      let (done, now) = tail.compareExchange(
        expected: position, desired: position + eventCount, ordering: .relaxed)
      if done { return position }
      position = now
    }
  }

  /// Posts an event at a reserved position.
  @_noLocks
  public func post(_ event: Event, at position: Int) {
    let place = position & (room - 1)
    unsafe (posted + place).initialize(to: event)
    unsafe turns[place].store(position + 1, ordering: .releasing)
  }

  /// Makes the value of an event the one that clients read. Must be called for every event, in
  /// order, before it is posted or added.
  @_noLocks
  public func note(_ event: Event) {
    liveCount.wrappingAdd(1, ordering: .relaxed)
    if !event.isRamp { event.controls.noteScheduled(event.index, event.to) }
  }

  // MARK: Render thread

  /// Sets the identity of the thread that renders: its events are added, those of others posted.
  @_noLocks
  public func setThread(_ number: UInt) { threadNumber.store(number, ordering: .relaxed) }

  /// Sets the number of the session's stages that have begun.
  @_noLocks
  public func noteStages(begun count: Int) { begunStages.store(count, ordering: .releasing) }

  /// Whether the rendering thread may add so many events to its slice.
  @_noLocks
  public func hasRoom(_ eventCount: Int) -> Bool {
    guard eventCount > 0 else { return false }
    return eventCount <= room - ownCount
  }

  /// Adds an event to the slice. There must be room.
  @_noLocks
  public func add(_ event: Event) {
    ownCount += 1
    insert(event)
  }

  /// Begins a slice at a frame of the session, and takes the events posted for it.
  @_noLocks
  public func beginSlice(at frame: Int) {
    sliceStart = frame
    isFirstPiece = true
    while count < room {
      let place = head & (room - 1)
      let turn = unsafe turns[place].load(ordering: .acquiring)
      if turn != head + 1 { return }
      let event = unsafe posted[place]
      unsafe turns[place].store(head + room, ordering: .releasing)
      head += 1
      insert(event)
    }
  }

  /// Inserts an event behind those that begin at the same frame or before.
  @_noLocks
  private func insert(_ event: Event) {
    // `guard`, because the autoclosure of `precondition` would retain `self`.
    guard count < 2 * room else { preconditionFailure("no room for an event") }
    var event = event
    event.start += sliceStart
    var place = count
    while place > 0 {
      let before = unsafe events[place - 1]
      if before.start <= event.start { break }
      unsafe (events + place).initialize(to: before)
      place -= 1
    }
    unsafe (events + place).initialize(to: event)
    count += 1
  }

  /// Sets the controls for the piece that begins at a frame, and returns its length: at least one
  /// frame and at most `frameCount`.
  @_noLocks
  public func cut(_ frameCount: Int, at frame: Int) -> Int {
    if isFirstPiece {
      isFirstPiece = false
      continueRamps()
    }
    var rest = frameCount
    var index = 0
    while index < count {
      let until = unsafe events[index].start - frame
      if until > 0 { return until < rest ? until : rest }
      if unsafe !events[index].isOver {
        let left = move(index, at: -until)
        if left > 0 && left < rest { rest = left }
      }
      index += 1
    }
    return rest
  }

  /// Continues the ramps that were scheduled again, and stops the others at their current values.
  @_noLocks
  private func continueRamps() {
    for index in 0..<keptCount {
      let old = unsafe kept[index]
      var isGoingOn = false
      for place in 0..<count {
        if isGoingOn { break }
        let new = unsafe events[place]
        if new.hasBegun { continue }
        if !old.isSameRamp(as: new) { continue }
        unsafe events[place].hasBegun = true
        unsafe events[place].beginsInPiece = old.beginsInPiece
        unsafe events[place].written = old.written
        isGoingOn = true
      }
      if isGoingOn { continue }
      // A client may have set it since.
      if old.controls[old.index].bitPattern != old.written.bitPattern { continue }
      let past = sliceStart - old.start
      let value = past >= old.length ? old.to : old.value(past - 1)
      old.controls.set(old.index, to: value, glide: 1)
      unsafe kept[stoppedCount] = old
      stoppedCount += 1
    }
    liveCount.wrappingSubtract(keptCount, ordering: .releasing)
    keptCount = 0
  }

  /// Sets a control for the piece that begins `place` frames behind the beginning of an event.
  /// Returns the frames left of the piece; 0 where the event is over.
  @_noLocks
  private func move(_ index: Int, at place: Int) -> Int {
    let event = unsafe events[index]
    if !event.hasBegun {
      unsafe events[index].hasBegun = true
      endOthers(before: index)
    }
    if !event.isRamp {
      event.controls.set(event.index, to: event.to, glide: 0)
      event.controls.settleScheduled(event.index)
      unsafe events[index].isOver = true
      return 0
    }
    if place >= event.length {
      unsafe events[index].isOver = true
      // A ramp that was over before the slice has no effect.
      if !event.hasBegun {
        if place > 0 { return 0 }
      }
      event.controls.set(event.index, to: event.to, glide: 1)
      return 0
    }
    if !event.hasBegun {
      // From the current value to the ramp's value in this frame.
      unsafe events[index].beginsInPiece = place > 0
      set(index, to: event.value(place), glide: 1)
      return 1
    }
    let begin = place - (place - 1) % 64
    let end = begin + 64 < event.length ? begin + 64 : event.length
    if place == begin || event.beginsInPiece {
      unsafe events[index].beginsInPiece = false
      set(index, to: event.value(end - 1), glide: end - place)
    }
    return end - place
  }

  @_noLocks
  private func set(_ index: Int, to value: Float, glide: Int) {
    let event = unsafe events[index]
    event.controls.set(event.index, to: value, glide: glide)
    unsafe events[index].written = value
  }

  /// Ends earlier ramps of the same control.
  @_noLocks
  private func endOthers(before index: Int) {
    let event = unsafe events[index]
    for place in 0..<index {
      let other = unsafe events[place]
      if !other.isRamp { continue }
      if other.hasSameControl(as: event) { unsafe events[place].isOver = true }
    }
  }

  /// Ends a slice, after its last piece.
  @_noLocks
  public func endSlice() {
    for index in 0..<stoppedCount {
      let left = unsafe kept[index]
      left.controls.endGlide(left.index)
    }
    stoppedCount = 0
    for index in 0..<count {
      let event = unsafe events[index]
      guard event.isRamp, event.hasBegun, event.isOver else { continue }
      event.controls.endGlide(event.index)
    }
    // Changes that no piece reached apply now.
    for index in 0..<count {
      let event = unsafe events[index]
      if event.isRamp { continue }
      if event.isOver { continue }
      endOthers(before: index)
      event.controls.set(event.index, to: event.to, glide: 0)
      event.controls.settleScheduled(event.index)
    }
    for index in 0..<count {
      let event = unsafe events[index]
      guard event.isRamp, event.hasBegun, !event.isOver else { continue }
      unsafe (kept + keptCount).initialize(to: event)
      keptCount += 1
    }
    liveCount.wrappingSubtract(count - keptCount, ordering: .releasing)
    count = 0
    ownCount = 0
  }
}

// A global, because through `Self` it would be read from the metadata.
private var room: Int { @_noLocks get { 256 } }

/// A parameter that can be scheduled: the location of its controls, and its range.
public struct SchedulableParameter: BitwiseCopyable, Sendable {
  /// The parameter's number.
  public var parameter: UInt32
  /// Core Audio's number of its scope.
  public var scope: UInt32
  /// The index of the first element's control.
  public var firstIndex: Int
  /// The distance from one element's control to the next.
  public var stride: Int
  /// The number of elements.
  public var elementCount: Int
  /// The smallest value.
  public var lowest: Float
  /// The largest value.
  public var highest: Float
  /// Whether the value can ramp.
  public var canRamp: Bool

  public init(
    parameter: UInt32, scope: UInt32, firstIndex: Int, stride: Int, elementCount: Int,
    lowest: Float, highest: Float, canRamp: Bool
  ) {
    self.parameter = parameter
    self.scope = scope
    self.firstIndex = firstIndex
    self.stride = stride
    self.elementCount = elementCount
    self.lowest = lowest
    self.highest = highest
    self.canRamp = canRamp
  }
}
