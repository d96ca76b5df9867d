import Synchronization

/// The numbers of one unit that both sides see: parameters, properties that may change while the
/// unit renders, and meters. The control thread writes some and the render thread others; each is a
/// 32-bit word of its own, read and written whole.
///
/// Beside each number stands its glide: in how many frames the last change of it is to be reached,
/// where whoever made it has said so. A glide belongs to one change: each change brings its own, and a
/// client's brings none, which leaves it to the unit. And beside that, what has been scheduled for it and is not in force yet:
/// clients read the number that was set last, also where the unit comes to it later.
@safe
public final class ControlBlock: @unchecked Sendable {
  // `@unchecked Sendable`: the words are atomic, the pointer never changes.
  private let words: UnsafeMutablePointer<Atomic<UInt32>>
  /// How many numbers there are.
  public let count: Int

  public convenience init(count: Int) { self.init([UInt32](repeating: 0, count: count)) }

  /// A block that holds these numbers, as if each had been set.
  public init(_ numbers: [UInt32]) {
    count = numbers.count
    // Four for each number, its glide, what is scheduled and how often; then whether it is retired, and
    // how often a number has been set.
    // Filled before there is anybody who could read them: an atomic word is laid out as its value is.
    let memory = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 4 * count + 2)
    unsafe memory.initialize(repeating: 0)
    for (index, number) in numbers.enumerated() {
      unsafe memory[index] = number
      unsafe memory[2 * count + index] = number
    }
    unsafe words = UnsafeMutableRawPointer(memory.baseAddress.unsafelyUnwrapped)
      .bindMemory(to: Atomic<UInt32>.self, capacity: 4 * count + 2)
  }

  deinit {
    unsafe words.deinitialize(count: 4 * count + 2)
    unsafe words.deallocate()
  }

  /// What a kernel keeps: valid as long as the block, which the kernel's box holds as company.
  public var access: ControlAccess { unsafe ControlAccess(words: words, count: count) }

  /// A number as a float. Setting it says nothing of a glide: the unit smooths the change as it likes.
  public subscript(index: Int) -> Float {
    get { access[index] }
    set { self[word: index] = newValue.bitPattern }
  }

  /// The same as a word.
  public subscript(word index: Int) -> UInt32 {
    get { access[word: index] }
    set {
      access.set(index, to: Float(bitPattern: newValue), glide: 0)
      unsafe words[2 * count + index].store(newValue, ordering: .relaxed)
    }
  }

  /// The number that was set or scheduled last.
  public func stored(_ index: Int) -> Float {
    precondition(index >= 0 && index < count, "no such control")
    let isScheduled = unsafe words[3 * count + index].load(ordering: .acquiring) > 0
    guard isScheduled else { return self[index] }
    return unsafe Float(bitPattern: words[2 * count + index].load(ordering: .relaxed))
  }

  /// Says that another block has taken the place of this one: nothing is scheduled on it any more.
  public func retire() { unsafe words[4 * count].store(1, ordering: .relaxed) }

  /// Reads a word and leaves 0 in its place, in one step.
  public func take(word index: Int) -> UInt32 {
    precondition(index >= 0 && index < count, "no such control")
    return unsafe words[index].exchange(0, ordering: .relaxed)
  }
}

/// A control block as a kernel sees it.
@safe
public struct ControlAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: as the block it is of, which the kernel holds as company.
  private let words: UnsafeMutablePointer<Atomic<UInt32>>
  /// How many numbers there are.
  public let count: Int

  @_noLocks
  init(words: UnsafeMutablePointer<Atomic<UInt32>>, count: Int) {
    unsafe self.words = words
    self.count = count
  }

  /// A number as a float.
  public subscript(index: Int) -> Float {
    @_noLocks get { Float(bitPattern: self[word: index]) }
    @_noLocks nonmutating set { self[word: index] = newValue.bitPattern }
  }

  /// The same as a word.
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

  /// Another number after each time that a number has been set: a kernel that has seen it need not look at
  /// the numbers again. What has been noted (`note(_:at:)`) does not change it.
  public var version: UInt32 {
    @_noLocks get { unsafe words[4 * count + 1].load(ordering: .acquiring) }
  }

  /// Writes down what a kernel has measured, for clients to read.
  @_noLocks
  public func note(_ word: UInt32, at index: Int) {
    precondition(index >= 0 && index < count, "no such control")
    unsafe words[index].store(word, ordering: .relaxed)
  }

  /// Whether it is the same block.
  @_noLocks
  func isSame(as other: ControlAccess) -> Bool { unsafe words == other.words }

  /// In how many frames a change of the number is to be reached; 0 for as many as the unit likes.
  @_noLocks
  public func glide(_ index: Int) -> Int {
    precondition(index >= 0 && index < count, "no such control")
    return unsafe Int(words[count + index].load(ordering: .relaxed))
  }

  /// Whether another block has taken the place of this one.
  public var isRetired: Bool {
    @_noLocks get { unsafe words[4 * count].load(ordering: .relaxed) != 0 }
  }

  /// Says that a number has been scheduled, and is what clients read from now on.
  @_noLocks
  func noteScheduled(_ index: Int, _ value: Float) {
    precondition(index >= 0 && index < count, "no such control")
    unsafe words[2 * count + index].store(value.bitPattern, ordering: .relaxed)
    unsafe words[3 * count + index].wrappingAdd(1, ordering: .releasing)
  }

  /// Says that a number which had been scheduled is in force, or never will be.
  @_noLocks
  func settleScheduled(_ index: Int) {
    precondition(index >= 0 && index < count, "no such control")
    unsafe words[3 * count + index].wrappingSubtract(1, ordering: .releasing)
  }

  /// Says that the last change has been made, or will not be: who looks at the glide from now on is told
  /// of none.
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
