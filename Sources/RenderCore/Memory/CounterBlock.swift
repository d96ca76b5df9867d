import Synchronization

/// 64-bit numbers shared by two threads, such as positions. Each is read and written whole.
@safe
public final class CounterBlock: @unchecked Sendable {
  // `@unchecked Sendable`: the words are atomic, the pointer never changes.
  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  /// The number of counters.
  public let count: Int

  /// Makes counters that are 0.
  public init(count: Int) {
    self.count = count
    unsafe words = .allocate(capacity: count)
    for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe words.deinitialize(count: count)
    unsafe words.deallocate()
  }

  /// The form for a kernel, valid as long as the block, which the kernel's box retains.
  public var access: CounterAccess { unsafe CounterAccess(words: words, count: count) }
}

/// A counter block, for a kernel.
@safe
public struct CounterAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: as the block itself, which the kernel's box retains.
  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let count: Int

  @_noLocks
  init(words: UnsafeMutablePointer<Atomic<UInt64>>, count: Int) {
    unsafe self.words = words
    self.count = count
  }

  /// A counter. Any thread.
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

  /// Adds to a counter that several threads write. Any thread.
  @_noLocks
  func add(_ value: UInt64, to index: Int) {
    precondition(index >= 0 && index < count, "no such counter")
    unsafe words[index].wrappingAdd(value, ordering: .releasing)
  }
}
