import Synchronization

/// One mix of many signals, which threads that render together do together: each takes some frames of it at a
/// time. A frame's sum is the same whoever adds it up, and beside whichever others.
@safe
struct SharedMix: ~Copyable {
  /// How many frames a thread takes at once.
  private static var partLength: Int { @_noLocks get { 128 } }
  /// How many samples a mix has at least that is worth meeting for: that takes about as long as some
  /// hundred of them.
  private static var leastSamples: Int { @_noLocks get { 16_384 } }

  /// In the upper half the number of the mix; below it how many parts it has, and which of them is next. In one
  /// word, so that nobody takes a part of one mix for that of another.
  private let offer = Atomic<UInt64>(0)
  private let isTaken = Atomic<Bool>(false)
  private let partsDone = Atomic<Int>(0)
  private let largest = Atomic<UInt32>(0)
  // Written by the thread that offers a mix, while no part of another is left.
  private let task: UnsafeMutablePointer<MixTask>

  init() { unsafe task = .allocate(capacity: 1) }

  deinit { unsafe task.deallocate() }

  /// Does a mix with whoever has nothing else to do. Returns the largest magnitude of the sum, as
  /// `VectorMath.largest(_:)` does; `nil` where it is too small to share, or another is being done.
  @_noLocks
  func mix(_ task: MixTask) -> UInt32? {
    let parts = (task.frameCount + Self.partLength - 1) / Self.partLength
    guard parts > 1, parts < 0x10000, task.samples >= Self.leastSamples,
      !isTaken.exchange(true, ordering: .acquiring)
    else { return nil }
    unsafe self.task.initialize(to: task)
    partsDone.store(0, ordering: .relaxed)
    largest.store(0, ordering: .relaxed)
    let number = (offer.load(ordering: .relaxed) >> 32) &+ 1
    offer.store(number << 32 | UInt64(parts) << 16, ordering: .releasing)
    while help() {}
    var spins = 0
    while partsDone.load(ordering: .acquiring) < parts { spin(&spins) }
    let result = largest.load(ordering: .relaxed)
    isTaken.store(false, ordering: .releasing)
    return result
  }

  /// Does a part of a mix that is offered; `false` where there is none.
  @_noLocks
  func help() -> Bool {
    var offered = offer.load(ordering: .acquiring)
    while true {
      let part = Int(offered & 0xFFFF)
      guard part < Int(offered >> 16 & 0xFFFF) else { return false }
      let (done, now) = offer.compareExchange(
        expected: offered, desired: offered &+ 1, ordering: .acquiringAndReleasing)
      guard done else {
        offered = now
        continue
      }
      let found = unsafe task.pointee.mix(from: part * Self.partLength, atMost: Self.partLength)
      largest.max(found, ordering: .relaxed)
      partsDone.wrappingAdd(1, ordering: .releasing)
      return true
    }
  }
}
