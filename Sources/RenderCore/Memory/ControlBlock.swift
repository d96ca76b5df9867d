import Synchronization

/// The numbers that both sides of a unit share: parameters, properties that may change while the
/// unit renders, and meters. Some are written by the control thread, others by the render thread.
/// Each is a 32-bit word, read and written whole.
///
/// Each number has a glide: the frames in which the unit is to reach the last change; 0 leaves the
/// number of frames to the unit. Every change sets the glide; a client's change sets it to 0. Each
/// number also has a stored value, which clients read: the value set or scheduled last, even before
/// it applies.
public final class ControlBlock: Sendable {
  /// The form for a kernel, valid as long as the block, which the kernel's box retains.
  public let access: ControlAccess
  /// The number of numbers.
  public var count: Int { access.count }

  /// Makes a block of zeros.
  public init(count: Int) { access = ControlAccess(allocating: count) { _ in 0 } }

  /// Makes a block with initial numbers, which are also the stored values.
  public init(_ numbers: [UInt32]) {
    access = ControlAccess(allocating: numbers.count) { numbers[$0] }
  }

  deinit { access.deallocate() }

  /// Makes room for glides and scheduled changes, which most blocks never have. Called before the
  /// first of them, by `ParameterScheduler.hold(_:)` and by a `RenderTimeline`. Any thread but the
  /// render thread.
  func makeSchedule() { access.makeSchedule() }

  /// A number as a float. Setting it sets no glide: the unit smooths the change.
  public subscript(index: Int) -> Float {
    get { access[index] }
    set { self[word: index] = newValue.bitPattern }
  }

  /// A number as a word.
  public subscript(word index: Int) -> UInt32 {
    get { access[word: index] }
    set {
      access.set(index, to: Float(bitPattern: newValue), glide: 0)
      access.store(newValue, at: index)
    }
  }

  /// Takes over the numbers of a block with as many, where nothing is scheduled on either.
  package func copy(_ other: ControlBlock) { access.copy(other.access) }

  /// The number as set or scheduled last.
  public func stored(_ index: Int) -> Float { access.scheduled(index) ?? self[index] }

  /// Marks the block as replaced by another: nothing more is scheduled on it.
  public func retire() { access.retire() }

  /// Reads a word and sets it to 0, atomically.
  public func take(word index: Int) -> UInt32 { access.take(index) }
}

/// A control block, for a kernel.
@safe
public struct ControlAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: what changes in the memory of the block is atomic, and the kernel's box
  // retains the block.
  private typealias Word = Atomic<UInt32>

  /// What precedes the numbers in memory.
  private struct Header: ~Copyable {
    let count: Int
    let version = Word(0)
    let isRetired = Atomic<Bool>(false)
    /// The address of the schedule; 0 for none. It has three rows of a word for each number: its glide,
    /// its stored value, and the number of its scheduled changes that are pending.
    let schedule = Atomic<UInt>(0)
  }

  // One pointer: a kernel has many of these.
  private let header: UnsafeMutablePointer<Header>

  /// The number of numbers.
  public var count: Int { @_noLocks get { unsafe header.pointee.count } }

  /// The numbers, each a word.
  private var words: UnsafeMutablePointer<Word> {
    @_noLocks get {
      unsafe UnsafeMutableRawPointer(header + 1).assumingMemoryBound(to: Word.self)
    }
  }

  /// The rows of the schedule; `nil` for none.
  private var schedule: UnsafeMutablePointer<Word>? {
    @_noLocks get {
      unsafe UnsafeMutablePointer(
        bitPattern: header.pointee.schedule.load(ordering: .acquiring))
    }
  }

  // MARK: Control thread

  fileprivate init(allocating count: Int, _ number: (Int) -> UInt32) {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Header>.stride + count * MemoryLayout<Word>.stride,
      alignment: MemoryLayout<Header>.alignment)
    unsafe header = memory.bindMemory(to: Header.self, capacity: 1)
    unsafe header.initialize(to: Header(count: count))
    let words = unsafe (memory + MemoryLayout<Header>.stride)
      .bindMemory(to: Word.self, capacity: count)
    for index in 0..<count { unsafe (words + index).initialize(to: Word(number(index))) }
  }

  fileprivate func deallocate() {
    unsafe schedule?.deinitialize(count: 3 * count)
    unsafe schedule?.deallocate()
    unsafe words.deinitialize(count: count)
    unsafe header.deinitialize(count: 1)
    unsafe header.deallocate()
  }

  fileprivate func makeSchedule() {
    guard unsafe schedule == nil else { return }
    let rows = UnsafeMutablePointer<Word>.allocate(capacity: 3 * count)
    for index in 0..<3 * count { unsafe (rows + index).initialize(to: Word(0)) }
    let (isOurs, _) = unsafe header.pointee.schedule.compareExchange(
      expected: 0, desired: UInt(bitPattern: rows), ordering: .acquiringAndReleasing)
    // Another thread was faster.
    guard !isOurs else { return }
    unsafe rows.deinitialize(count: 3 * count)
    unsafe rows.deallocate()
  }

  /// Sets the stored value. Without a schedule it is the number itself.
  fileprivate func store(_ word: UInt32, at index: Int) {
    guard let schedule = unsafe schedule else { return }
    unsafe schedule[count + index].store(word, ordering: .relaxed)
  }

  /// The stored value where a change is pending, otherwise `nil`: it is then the number itself.
  fileprivate func scheduled(_ index: Int) -> Float? {
    precondition(index >= 0 && index < count, "no such control")
    guard let schedule = unsafe schedule,
      unsafe schedule[2 * count + index].load(ordering: .acquiring) > 0
    else { return nil }
    return unsafe Float(bitPattern: schedule[count + index].load(ordering: .relaxed))
  }

  fileprivate func copy(_ other: ControlAccess) {
    precondition(count == other.count, "the blocks have as many numbers")
    if unsafe schedule == nil, unsafe other.schedule == nil {
      for index in 0..<count {
        let word = unsafe other.words[index].load(ordering: .relaxed)
        unsafe words[index].store(word, ordering: .relaxed)
      }
      unsafe header.pointee.version.wrappingAdd(1, ordering: .releasing)
      return
    }
    if unsafe other.schedule != nil { makeSchedule() }
    for index in 0..<count {
      set(
        index, to: Float(bitPattern: other[word: index]), glide: other.glide(index))
      store(other[word: index], at: index)
    }
  }

  fileprivate func retire() { unsafe header.pointee.isRetired.store(true, ordering: .relaxed) }

  fileprivate func take(_ index: Int) -> UInt32 {
    precondition(index >= 0 && index < count, "no such control")
    return unsafe words[index].exchange(0, ordering: .relaxed)
  }

  // MARK: Any thread

  /// A number as a float. An index out of range ends the process.
  public subscript(index: Int) -> Float {
    @_noLocks get { Float(bitPattern: self[word: index]) }
    @_noLocks nonmutating set { self[word: index] = newValue.bitPattern }
  }

  /// A number as a word. An index out of range ends the process.
  public subscript(word index: Int) -> UInt32 {
    @_noLocks get {
      precondition(index >= 0 && index < count, "no such control")
      return unsafe words[index].load(ordering: .relaxed)
    }
    @_noLocks nonmutating set {
      precondition(index >= 0 && index < count, "no such control")
      unsafe words[index].store(newValue, ordering: .relaxed)
      unsafe header.pointee.version.wrappingAdd(1, ordering: .releasing)
    }
  }

  /// A number that every change increments, so that a kernel reads the numbers again only where it
  /// differs. `note(_:at:)` does not change it.
  public var version: UInt32 {
    @_noLocks get { unsafe header.pointee.version.load(ordering: .acquiring) }
  }

  /// Stores a measurement of the kernel, for clients to read.
  @_noLocks
  public func note(_ word: UInt32, at index: Int) {
    precondition(index >= 0 && index < count, "no such control")
    unsafe words[index].store(word, ordering: .relaxed)
  }

  /// Whether both are of the same block.
  @_noLocks
  func isSame(as other: ControlAccess) -> Bool { unsafe header == other.header }

  /// The glide of a number, in frames; 0 leaves the length to the unit.
  @_noLocks
  public func glide(_ index: Int) -> Int {
    precondition(index >= 0 && index < count, "no such control")
    guard let schedule = unsafe schedule else { return 0 }
    return unsafe Int(schedule[index].load(ordering: .relaxed))
  }

  /// Whether another block has replaced this one.
  public var isRetired: Bool {
    @_noLocks get { unsafe header.pointee.isRetired.load(ordering: .relaxed) }
  }

  /// Notes that a change is scheduled: clients read its value from now on. There must be a schedule.
  @_noLocks
  func noteScheduled(_ index: Int, _ value: Float) {
    precondition(index >= 0 && index < count, "no such control")
    guard let schedule = unsafe schedule else { preconditionFailure("a held block has a schedule") }
    unsafe schedule[count + index].store(value.bitPattern, ordering: .relaxed)
    unsafe schedule[2 * count + index].wrappingAdd(1, ordering: .releasing)
  }

  /// Notes that a scheduled change is no longer pending: it applies now, or never will.
  @_noLocks
  func settleScheduled(_ index: Int) {
    precondition(index >= 0 && index < count, "no such control")
    guard let schedule = unsafe schedule else { return }
    unsafe schedule[2 * count + index].wrappingSubtract(1, ordering: .releasing)
  }

  /// Sets the glide to 0: the last change is complete, or is abandoned.
  @_noLocks
  func endGlide(_ index: Int) {
    precondition(index >= 0 && index < count, "no such control")
    guard let schedule = unsafe schedule else { return }
    unsafe schedule[index].store(0, ordering: .relaxed)
  }

  /// Sets a number and its glide. For a glide other than 0 there must be a schedule.
  @_noLocks
  func set(_ index: Int, to value: Float, glide: Int) {
    precondition(index >= 0 && index < count, "no such control")
    if let schedule = unsafe schedule {
      unsafe schedule[index].store(UInt32(truncatingIfNeeded: glide), ordering: .relaxed)
    } else {
      precondition(glide == 0, "a held block has a schedule")
    }
    self[index] = value
  }
}
