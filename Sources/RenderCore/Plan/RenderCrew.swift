import AudioTypes
import CShims
import Glibc
import Synchronization

/// What threads that render together go by: one renders, and helpers take rows from it.
///
/// It makes no threads: a host's call `help()`. Between two pieces of a slice, helpers wait without a
/// lock for some microseconds, then sleep.
@safe
public final class RenderCrew: @unchecked Sendable {
  // `@unchecked Sendable`: `rows` and `errand` are written by the thread that renders while nobody is inside.

  /// How often it has opened and closed: odd while there are rows to take.
  private let turns = Atomic<Int>(0)
  /// How many helpers look at the rows.
  private let inside = Atomic<Int>(0)
  private let sleepers = Atomic<Int>(0)
  private let hasEnded = Atomic<Bool>(false)
  private let bell: UnsafeMutablePointer<sem_t>
  private var rows: UnsafeMutablePointer<SharedRows>?
  /// What is shared in the place of rows, between two pieces.
  private var errand: (any CrewErrand)?

  public init() {
    unsafe bell = .allocate(capacity: 1)
    unsafe bell.initialize(to: sem_t())
    unsafe sem_init(bell, 0, 0)
    unsafe rows = nil
  }

  deinit {
    unsafe sem_destroy(bell)
    unsafe bell.deallocate()
  }

  // MARK: A helper's thread

  /// Helps until `end()`.
  public func help() {
    var seen = 0
    while let turn = nextTurn(after: seen) {
      seen = turn
      // Who is inside is seen by the one that closes, or sees here that it has closed.
      inside.wrappingAdd(1, ordering: .sequentiallyConsistent)
      if turns.load(ordering: .sequentiallyConsistent) == turn {
        if let errand {
          errand.work()
        } else if let rows = unsafe rows {
          unsafe rows.pointee.work()
        }
      }
      inside.wrappingSubtract(1, ordering: .releasing)
    }
  }

  /// The number of an opening that is another one than before; `nil` at the end.
  private func nextTurn(after seen: Int) -> Int? {
    var spins = 0
    while true {
      if hasEnded.load(ordering: .acquiring) { return nil }
      let turn = turns.load(ordering: .acquiring)
      if turn != seen, !turn.isMultiple(of: 2) { return turn }
      spins += 1
      guard spins > Self.patience else {
        shims_pause()
        continue
      }
      sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
      // What has come in the meantime has not rung for this sleeper, or rings at once.
      if turns.load(ordering: .sequentiallyConsistent) == turn, !hasEnded.load(ordering: .acquiring)
      {
        while unsafe sem_wait(bell) != 0 {}
      } else if !wakeOne() {
        while unsafe sem_wait(bell) != 0 {}
      }
      spins = 0
    }
  }

  /// How often a helper looks before it sleeps: for 50 µs, about.
  private static let patience = 1500

  /// Takes one away from the count of sleepers; `false` where somebody has counted all of them.
  private func wakeOne() -> Bool {
    var count = sleepers.load(ordering: .relaxed)
    while count > 0 {
      let (done, now) = sleepers.compareExchange(
        expected: count, desired: count - 1, ordering: .sequentiallyConsistent)
      if done { return true }
      count = now
    }
    return false
  }

  /// Lets all helpers return.
  public func end() {
    hasEnded.store(true, ordering: .sequentiallyConsistent)
    wake()
  }

  // MARK: Between two pieces

  /// Does something with whoever helps, in the thread that renders, where nothing is rendered meanwhile. Returns
  /// when it is done.
  public func share(_ errand: any CrewErrand) {
    self.errand = errand
    turns.wrappingAdd(1, ordering: .sequentiallyConsistent)
    wake()
    errand.work()
    close()
    self.errand = nil
  }

  // MARK: The render thread

  /// Renders a piece that has been begun, with whoever helps. Returns the failure of the first row
  /// that has failed.
  @_noLocks
  func render(_ rows: UnsafeMutablePointer<SharedRows>) -> Status {
    unsafe self.rows = rows
    turns.wrappingAdd(1, ordering: .sequentiallyConsistent)
    wake()
    unsafe rows.pointee.work()
    close()
    return unsafe rows.pointee.status()
  }

  /// Lets nobody in any more, and waits for those who are inside.
  @_noLocks
  private func close() {
    turns.wrappingAdd(1, ordering: .sequentiallyConsistent)
    var spins = 0
    while inside.load(ordering: .sequentiallyConsistent) > 0 { spin(&spins) }
  }

  @_noLocks
  private func wake() {
    guard sleepers.load(ordering: .sequentiallyConsistent) > 0 else { return }
    ring(sleepers.exchange(0, ordering: .sequentiallyConsistent))
  }

  // It takes no lock; it calls the system where a helper sleeps, which it does not do while pieces
  // follow each other.
  @_semantics("no_performance_analysis")
  private func ring(_ count: Int) {
    for _ in 0..<count { unsafe sem_post(bell) }
  }
}

/// Waits a moment for another thread; where that takes long, it may have lost its processor to this one.
@_noLocks
func spin(_ spins: inout Int) {
  spins += 1
  if spins & 4095 == 0 { letOthersRun() } else { rest() }
}

@_semantics("no_performance_analysis")
private func letOthersRun() { sched_yield() }

@_semantics("no_performance_analysis")
private func rest() { shims_pause() }
