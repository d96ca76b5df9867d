import Synchronization

/// What clients have scheduled for one slice: changes of controls at frames of it, and ramps.
///
/// The slice is cut wherever a change or a ramp begins and where a ramp ends, and within a ramp at its
/// first frame and every 64 frames after that; a unit that glides in a straight line follows the ramp
/// to the frame. A ramp that the next slice is given again, with the same values and begun that much
/// earlier, goes on as if there had been one slice: what comes out does not depend on where slices end.
///
/// What is scheduled holds for one slice. At its end a change whose frame has not come takes force, and
/// a ramp that nobody gives again stays where it is. Of two for the same control the one that begins
/// later ends the other.
///
/// Posted from any thread, without a lock, for the slice that begins next; from the thread that renders
/// for the slice that it renders.
@safe
public final class ParameterScheduler: @unchecked Sendable {
  // `@unchecked Sendable`: the ring is handed over by atomic numbers, the rest is the rendering
  // thread's own.

  /// How many events other threads may have posted for a slice, and how many the rendering thread may
  /// add in it.
  public static var capacity: Int { @_noLocks get { room } }

  /// A change of one control.
  public struct Event: BitwiseCopyable, Sendable {
    let controls: ControlAccess
    let index: Int
    let isRamp: Bool
    /// Counted from the beginning of the slice, and once the slice is known from that of the session.
    var start: Int
    let length: Int
    let from: Float
    let to: Float
    var hasBegun = false
    var isOver = false
    /// Whether it sets out in the middle of a piece.
    var joins = false
    /// What it has set last.
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

    /// A ramp of `length` frames, which may have begun before the slice.
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

    /// The value of a frame of the ramp.
    @_noLocks
    func value(_ frame: Int) -> Float {
      let rise = Double(to) - Double(from)
      return Float(Double(from) + Double(frame) * rise / Double(length))
    }

    @_noLocks
    func movesSame(as other: Event) -> Bool {
      if index != other.index { return false }
      return controls.isSame(as: other.controls)
    }

    /// Whether it is the same ramp, given again.
    @_noLocks
    func isSameRamp(as other: Event) -> Bool {
      if !other.isRamp { return false }
      if start != other.start { return false }
      if length != other.length { return false }
      if from != other.from { return false }
      if to != other.to { return false }
      return movesSame(as: other)
    }
  }

  // The ring that other threads post to: a place is free for position p while its turn is p, and full
  // while that is p + 1.
  private let turns: UnsafeMutablePointer<Atomic<Int>>
  private let posted: UnsafeMutablePointer<Event>
  private let tail = Atomic<Int>(0)
  private let threadNumber = Atomic<UInt>(0)
  /// How many stages the session has been given, and how many of them have begun.
  private let postedStages = Atomic<Int>(0)
  private let begunStages = Atomic<Int>(0)
  /// Events that have been posted, and ramps that may go on: as long as there are any, blocks are held.
  private let live = Atomic<Int>(0)
  /// What events point to.
  private let company = Mutex<[ControlBlock]>([])

  // The rendering thread's: the events of the slice in the order of their frames, and the ramps that
  // were on their way when the last slice ended.
  private let events: UnsafeMutablePointer<Event>
  private let kept: UnsafeMutablePointer<Event>
  private var count = 0
  private var keptCount = 0
  /// Of the ramps kept, those that the slice goes on without: their glides end with it.
  private var leftCount = 0
  private var ownCount = 0
  private var head = 0
  private var sliceStart = 0
  private var isFresh = false

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

  /// Keeps a block as long as an event may point to it. For every block, before the first event.
  public func hold(_ block: ControlBlock) {
    company.withLock { blocks in
      var others: [ControlBlock] = []
      for index in blocks.indices {
        // Whoever can post for a block holds it too.
        let isHeld = !isKnownUniquelyReferenced(&blocks[index])
        if blocks[index] !== block, isHeld || live.load(ordering: .acquiring) > 0 {
          others.append(blocks[index])
        }
      }
      blocks = others + [block]
    }
  }

  /// Forgets how far ramps are, while nothing renders.
  public func restart() {
    live.wrappingSubtract(keptCount, ordering: .relaxed)
    for index in 0..<keptCount {
      let event = unsafe kept[index]
      event.controls.endGlide(event.index)
    }
    keptCount = 0
  }

  /// Says how many stages the session has been given.
  public func noteStages(posted count: Int) { postedStages.store(count, ordering: .releasing) }

  // MARK: Any thread

  /// Whether the session has been given a stage that has not begun yet.
  @_noLocks
  public func hasWaitingStage() -> Bool {
    postedStages.load(ordering: .acquiring) > begunStages.load(ordering: .acquiring)
  }

  /// The number of the thread that renders at the moment; 0 for none.
  @_noLocks
  public func thread() -> UInt { threadNumber.load(ordering: .relaxed) }

  /// Makes room for events of the next slice, and returns the position of the first; -1 where there is
  /// none. All of them are posted then, the first one last, and are there together.
  @_noLocks
  public func claim(_ eventCount: Int) -> Int {
    guard eventCount > 0, eventCount <= room else { return -1 }
    var position = tail.load(ordering: .relaxed)
    while true {
      let last = position + eventCount - 1
      // Places are freed in order: where the last one is free, those before it are.
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

  /// Posts an event at a position that has been claimed.
  @_noLocks
  public func post(_ event: Event, at position: Int) {
    let place = position & (room - 1)
    unsafe (posted + place).initialize(to: event)
    unsafe turns[place].store(position + 1, ordering: .releasing)
  }

  /// Says what clients read of an event's control from now on. For every event, in order, before it is
  /// posted or added.
  @_noLocks
  public func note(_ event: Event) {
    live.wrappingAdd(1, ordering: .relaxed)
    if !event.isRamp { event.controls.noteScheduled(event.index, event.to) }
  }

  // MARK: Render thread

  /// Says which thread renders; what is scheduled on any other takes another way.
  @_noLocks
  public func setThread(_ number: UInt) { threadNumber.store(number, ordering: .relaxed) }

  /// Says how many of the session's stages have begun.
  @_noLocks
  public func noteStages(begun count: Int) { begunStages.store(count, ordering: .releasing) }

  /// Whether the rendering thread may add that many events to its slice.
  @_noLocks
  public func hasRoom(_ eventCount: Int) -> Bool {
    guard eventCount > 0 else { return false }
    return eventCount <= room - ownCount
  }

  /// Adds an event to the slice. There is room for it.
  @_noLocks
  public func add(_ event: Event) {
    ownCount += 1
    insert(event)
  }

  /// Begins a slice at a frame, and takes what has been posted for it.
  @_noLocks
  public func beginSlice(at frame: Int) {
    sliceStart = frame
    isFresh = true
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

  /// Puts an event behind those that do not begin later.
  @_noLocks
  private func insert(_ event: Event) {
    // An autoclosure would retain `self`.
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

  /// Moves the controls for the piece that begins at a frame, and says how many of the next
  /// `frameCount` frames, at least one, it holds.
  @_noLocks
  public func cut(_ frameCount: Int, at frame: Int) -> Int {
    if isFresh {
      isFresh = false
      goOn()
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

  /// Lets the ramps that have been given again go on, and leaves the others where they are.
  @_noLocks
  private func goOn() {
    for index in 0..<keptCount {
      let old = unsafe kept[index]
      var isGoingOn = false
      for place in 0..<count {
        if isGoingOn { break }
        let new = unsafe events[place]
        if new.hasBegun { continue }
        if !old.isSameRamp(as: new) { continue }
        unsafe events[place].hasBegun = true
        unsafe events[place].joins = old.joins
        unsafe events[place].written = old.written
        isGoingOn = true
      }
      if isGoingOn { continue }
      // Unless somebody else has set it since.
      if old.controls[old.index].bitPattern != old.written.bitPattern { continue }
      let past = sliceStart - old.start
      let value = past >= old.length ? old.to : old.value(past - 1)
      old.controls.set(old.index, to: value, glide: 1)
      unsafe kept[leftCount] = old
      leftCount += 1
    }
    live.wrappingSubtract(keptCount, ordering: .releasing)
    keptCount = 0
  }

  /// Moves a control for the piece that begins at `place` frames of an event. Returns the frames that
  /// are left of the piece, 0 where the event is over.
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
      // One that was over before the slice says nothing.
      if !event.hasBegun {
        if place > 0 { return 0 }
      }
      event.controls.set(event.index, to: event.to, glide: 1)
      return 0
    }
    if !event.hasBegun {
      // From wherever the control is to where the ramp is in this frame.
      unsafe events[index].joins = place > 0
      set(index, to: event.value(place), glide: 1)
      return 1
    }
    let begin = place - (place - 1) % 64
    let end = begin + 64 < event.length ? begin + 64 : event.length
    if place == begin || event.joins {
      unsafe events[index].joins = false
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

  /// Ends the ramps of the same control that began before an event.
  @_noLocks
  private func endOthers(before index: Int) {
    let event = unsafe events[index]
    for place in 0..<index {
      let other = unsafe events[place]
      if !other.isRamp { continue }
      if other.movesSame(as: event) { unsafe events[place].isOver = true }
    }
  }

  /// Ends a slice, once it has been rendered.
  @_noLocks
  public func endSlice() {
    for index in 0..<leftCount {
      let left = unsafe kept[index]
      left.controls.endGlide(left.index)
    }
    leftCount = 0
    for index in 0..<count {
      let event = unsafe events[index]
      guard event.isRamp, event.hasBegun, event.isOver else { continue }
      event.controls.endGlide(event.index)
    }
    // What has not been cut takes force first.
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
    live.wrappingSubtract(count - keptCount, ordering: .releasing)
    count = 0
    ownCount = 0
  }
}

// By `Self` it would be looked up in the metadata.
private var room: Int { @_noLocks get { 256 } }

/// A parameter of a unit as it can be scheduled: where its controls are, and what they may be.
public struct SchedulableParameter: BitwiseCopyable, Sendable {
  /// The parameter's number.
  public var parameter: UInt32
  /// Core Audio's number of its scope.
  public var scope: UInt32
  /// The number of the first element's control, and how far it is from each to the next.
  public var firstIndex: Int
  /// From each element's control to the next one's.
  public var stride: Int
  /// How many elements there are.
  public var elementCount: Int
  /// The values that it may have.
  public var lowest: Float
  /// At the most.
  public var highest: Float
  /// Whether it may go from one value to another in time.
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
