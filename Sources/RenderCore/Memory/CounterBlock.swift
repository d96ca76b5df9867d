import Synchronization

/// Numbers of 64 bits that two threads see: places in a sound, say. Each is read and written whole.
@safe
public final class CounterBlock: @unchecked Sendable {
  // `@unchecked Sendable`: the words are atomic, the pointer never changes.
  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  /// How many counters there are.
  public let count: Int

  /// Numbers that are 0.
  public init(count: Int) {
    self.count = count
    unsafe words = .allocate(capacity: count)
    for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe words.deinitialize(count: count)
    unsafe words.deallocate()
  }

  /// What a kernel keeps: valid as long as the block, which the kernel's box holds as company.
  public var access: CounterAccess { unsafe CounterAccess(words: words, count: count) }
}

/// A counter block as a kernel sees it.
@safe
public struct CounterAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: as the block it is of, which the kernel holds as company.
  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let count: Int

  @_noLocks
  init(words: UnsafeMutablePointer<Atomic<UInt64>>, count: Int) {
    unsafe self.words = words
    self.count = count
  }

  /// What a counter has come to. Any thread.
  public subscript(index: Int) -> UInt64 {
    @_noLocks get {
      precondition(index >= 0 && index < count, "no such counter")
      return unsafe words[index].load(ordering: .acquiring)
    }
    @_noLocks nonmutating set {
      precondition(index >= 0 && index < count, "no such counter")
      unsafe words[index].store(newValue, ordering: .releasing)
    }
  }
}
