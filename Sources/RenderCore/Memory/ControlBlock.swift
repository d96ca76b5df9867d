import Synchronization

/// The numbers that both sides of a unit share: parameters, properties that may change while the
/// unit renders, and meters. Some are written by the control thread, others by the render thread.
/// Each is a 32-bit word, read and written whole.
///
/// Each number has a glide: the frames in which the unit is to reach the last change; 0 leaves the
/// number of frames to the unit. Every change sets the glide; a client's change sets it to 0. Each
/// number also has a stored value, which clients read: the value set or scheduled last, even before
/// it applies.
@safe
public final class ControlBlock: @unchecked Sendable {
  // `@unchecked Sendable`: the words are atomic, the pointer never changes.
  private let words: UnsafeMutablePointer<Atomic<UInt32>>
  /// The number of numbers.
  public let count: Int

  /// Makes a block of zeros.
  public init(count: Int) {
    self.count = count
    unsafe words = Self.words(count)
  }

  /// Makes a block with initial numbers, which are also the stored values.
  public init(_ numbers: [UInt32]) {
    count = numbers.count
    unsafe words = Self.words(count)
    // Written before the block is shared: an atomic word has the layout of its value.
    unsafe numbers.withUnsafeBufferPointer { [words, count] numbers in
      guard count > 0 else { return }
      let bytes = count * MemoryLayout<UInt32>.stride
      for row in [0, 2] {
        unsafe UnsafeMutableRawPointer(words + row * count)
          .copyMemory(from: numbers.baseAddress.unsafelyUnwrapped, byteCount: bytes)
      }
    }
  }

  /// Words of zeros: four for each number, in four rows: the number, its glide, its stored value, and
  /// the number of scheduled changes that are pending. Then two words: whether the block is retired,
  /// and the version.
  private static func words(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
    let bytes = (4 * count + 2) * MemoryLayout<UInt32>.stride
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: bytes, alignment: MemoryLayout<UInt32>.alignment)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    return unsafe memory.bindMemory(to: Atomic<UInt32>.self, capacity: 4 * count + 2)
  }

  deinit {
    unsafe words.deinitialize(count: 4 * count + 2)
    unsafe words.deallocate()
  }

  /// The form for a kernel, valid as long as the block, which the kernel's box retains.
  public var access: ControlAccess { unsafe ControlAccess(words: words, count: count) }

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
      unsafe words[2 * count + index].store(newValue, ordering: .relaxed)
    }
  }

  /// Takes over the numbers of a block with as many, where nothing is scheduled on either.
  package func copy(_ other: ControlBlock) {
    precondition(count == other.count, "the blocks have as many numbers")
    for index in 0..<3 * count {
      unsafe words[index].store(other.words[index].load(ordering: .relaxed), ordering: .relaxed)
    }
    unsafe words[4 * count + 1].wrappingAdd(1, ordering: .releasing)
  }

  /// The number as set or scheduled last.
  public func stored(_ index: Int) -> Float {
    precondition(index >= 0 && index < count, "no such control")
    let isScheduled = unsafe words[3 * count + index].load(ordering: .acquiring) > 0
    guard isScheduled else { return self[index] }
    return unsafe Float(bitPattern: words[2 * count + index].load(ordering: .relaxed))
  }

  /// Marks the block as replaced by another: nothing more is scheduled on it.
  public func retire() { unsafe words[4 * count].store(1, ordering: .relaxed) }

  /// Reads a word and sets it to 0, atomically.
  public func take(word index: Int) -> UInt32 {
    precondition(index >= 0 && index < count, "no such control")
    return unsafe words[index].exchange(0, ordering: .relaxed)
  }
}

/// A control block, for a kernel.
@safe
public struct ControlAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: as the block itself, which the kernel's box retains.
  private let words: UnsafeMutablePointer<Atomic<UInt32>>
  /// The number of numbers.
  public let count: Int

  @_noLocks
  init(words: UnsafeMutablePointer<Atomic<UInt32>>, count: Int) {
    unsafe self.words = words
    self.count = count
  }

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
      unsafe words[4 * count + 1].wrappingAdd(1, ordering: .releasing)
    }
  }

  /// A number that every change increments, so that a kernel reads the numbers again only where it
  /// differs. `note(_:at:)` does not change it.
  public var version: UInt32 {
    @_noLocks get { unsafe words[4 * count + 1].load(ordering: .acquiring) }
  }

  /// Stores a measurement of the kernel, for clients to read.
  @_noLocks
  public func note(_ word: UInt32, at index: Int) {
    precondition(index >= 0 && index < count, "no such control")
    unsafe words[index].store(word, ordering: .relaxed)
  }

  /// Whether both are of the same block.
  @_noLocks
  func isSame(as other: ControlAccess) -> Bool { unsafe words == other.words }

  /// The glide of a number, in frames; 0 leaves the length to the unit.
  @_noLocks
  public func glide(_ index: Int) -> Int {
    precondition(index >= 0 && index < count, "no such control")
    return unsafe Int(words[count + index].load(ordering: .relaxed))
  }

  /// Whether another block has replaced this one.
  public var isRetired: Bool {
    @_noLocks get { unsafe words[4 * count].load(ordering: .relaxed) != 0 }
  }

  /// Notes that a change is scheduled: clients read its value from now on.
  @_noLocks
  func noteScheduled(_ index: Int, _ value: Float) {
    precondition(index >= 0 && index < count, "no such control")
    unsafe words[2 * count + index].store(value.bitPattern, ordering: .relaxed)
    unsafe words[3 * count + index].wrappingAdd(1, ordering: .releasing)
  }

  /// Notes that a scheduled change is no longer pending: it applies now, or never will.
  @_noLocks
  func settleScheduled(_ index: Int) {
    precondition(index >= 0 && index < count, "no such control")
    unsafe words[3 * count + index].wrappingSubtract(1, ordering: .releasing)
  }

  /// Sets the glide to 0: the last change is complete, or is abandoned.
  @_noLocks
  func endGlide(_ index: Int) {
    precondition(index >= 0 && index < count, "no such control")
    unsafe words[count + index].store(0, ordering: .relaxed)
  }

  /// Sets a number and its glide.
  @_noLocks
  func set(_ index: Int, to value: Float, glide: Int) {
    precondition(index >= 0 && index < count, "no such control")
    unsafe words[count + index].store(UInt32(truncatingIfNeeded: glide), ordering: .relaxed)
    self[index] = value
  }
}
