import Synchronization

/// The numbers of one unit that both sides see: parameters, properties that may change while the
/// unit renders, and meters. The control thread writes some and the render thread others; each is a
/// 32-bit word of its own, read and written whole.
///
/// Beside each number stands its glide: in how many frames a change of it is to be reached, where
/// whoever changes it says so.
@safe
public final class ControlBlock: @unchecked Sendable {
  // `@unchecked Sendable`: the words are atomic, the pointer never changes.
  private let words: UnsafeMutablePointer<Atomic<UInt32>>
  public let count: Int

  public init(count: Int) {
    self.count = count
    unsafe words = .allocate(capacity: max(1, 2 * count))
    for index in 0..<2 * count { unsafe (words + index).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe words.deinitialize(count: 2 * count)
    unsafe words.deallocate()
  }

  /// What a kernel keeps: valid as long as the block, which the kernel's box holds as company.
  public var access: ControlAccess { unsafe ControlAccess(words: words, count: count) }

  public subscript(index: Int) -> Float {
    get { access[index] }
    set { access[index] = newValue }
  }

  public subscript(word index: Int) -> UInt32 {
    get { access[word: index] }
    set { access[word: index] = newValue }
  }

  /// Reads a word and leaves 0 in its place, in one step.
  public func take(word index: Int) -> UInt32 {
    precondition(index >= 0 && index < count, "no such control")
    return unsafe words[index].exchange(0, ordering: .relaxed)
  }
}

/// A control block as a kernel sees it.
@safe
public struct ControlAccess: BitwiseCopyable, @unchecked Sendable {
  private let words: UnsafeMutablePointer<Atomic<UInt32>>
  public let count: Int

  @_noLocks
  init(words: UnsafeMutablePointer<Atomic<UInt32>>, count: Int) {
    unsafe self.words = words
    self.count = count
  }

  public subscript(index: Int) -> Float {
    @_noLocks get { Float(bitPattern: self[word: index]) }
    @_noLocks nonmutating set { self[word: index] = newValue.bitPattern }
  }

  public subscript(word index: Int) -> UInt32 {
    @_noLocks get {
      precondition(index >= 0 && index < count, "no such control")
      return unsafe words[index].load(ordering: .relaxed)
    }
    @_noLocks nonmutating set {
      precondition(index >= 0 && index < count, "no such control")
      unsafe words[index].store(newValue, ordering: .relaxed)
    }
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

  /// Sets a number and its glide.
  @_noLocks
  func set(_ index: Int, to value: Float, glide: Int) {
    precondition(index >= 0 && index < count, "no such control")
    unsafe words[count + index].store(UInt32(truncatingIfNeeded: glide), ordering: .relaxed)
    self[index] = value
  }
}
