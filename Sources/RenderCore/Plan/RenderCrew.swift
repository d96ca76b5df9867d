import AudioTypes
import CShims
import Glibc
import Synchronization

/// Lets several threads render one plan: one thread renders, and helpers take rows from it.
///
/// It makes no threads: a host's threads call `help()`. Between two pieces of a slice helpers spin
/// for some 50 µs, then sleep.
@safe
public final class RenderCrew: @unchecked Sendable {
  // `@unchecked Sendable`: the rendering thread writes `rows` and `errand` while no helper is
  // inside.

  /// The number of openings and closings: odd while there are rows to take.
  private let turns = Atomic<Int>(0)
  /// The number of helpers that use the rows.
  private let inside = Atomic<Int>(0)
  private let sleepers = Atomic<Int>(0)
  private let hasEnded = Atomic<Bool>(false)
  private let bell: UnsafeMutablePointer<sem_t>
  private var rows: UnsafeMutablePointer<SharedRows>?
  /// The errand to share in place of rows, between two pieces.
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

  /// Renders rows and does errands until `end()`.
  public func help() {
    var seen = 0
    while let turn = nextTurn(after: seen) {
      seen = turn
      // Either `close()` sees this helper inside, or the helper sees here that it has closed.
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

  /// The number of the next opening; `nil` at the end.
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
      // An opening since then may not have counted this sleeper, or has posted for it already.
      if turns.load(ordering: .sequentiallyConsistent) == turn, !hasEnded.load(ordering: .acquiring)
      {
        while unsafe sem_wait(bell) != 0 {}
      } else if !wakeOne() {
        while unsafe sem_wait(bell) != 0 {}
      }
      spins = 0
    }
  }

  /// The number of looks before a helper sleeps: some 50 µs.
  private static let patience = 1500

  /// Removes one sleeper from the count; `false` where a wake has already counted them all.
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

  /// Lets all helpers return. Any thread.
  public func end() {
    hasEnded.store(true, ordering: .sequentiallyConsistent)
    wake()
  }

  // MARK: Between two pieces

  /// Does an errand together with the helpers. Called by the thread that renders, between two
  /// pieces. Returns when it is done.
  public func share(_ errand: any CrewErrand) {
    self.errand = errand
    turns.wrappingAdd(1, ordering: .sequentiallyConsistent)
    wake()
    errand.work()
    close()
    self.errand = nil
  }

  // MARK: The render thread

  /// Renders a piece that has begun, together with the helpers. Returns the status of the first row
  /// that failed.
  @_noLocks
  func render(_ rows: UnsafeMutablePointer<SharedRows>) -> Status {
    unsafe self.rows = rows
    turns.wrappingAdd(1, ordering: .sequentiallyConsistent)
    wake()
    unsafe rows.pointee.work()
    close()
    return unsafe rows.pointee.status()
  }

  /// Lets no helper in any more, and waits for those inside.
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

  // Takes no lock. Makes a system call only where a helper sleeps, which none does while pieces
  // follow each other.
  @_semantics("no_performance_analysis")
  private func ring(_ count: Int) {
    for _ in 0..<count { unsafe sem_post(bell) }
  }
}

/// Waits for a moment. Now and then it yields the processor, which the other thread may be waiting
/// for.
@_noLocks
func spin(_ spins: inout Int) {
  spins += 1
  if spins & 4095 == 0 { letOthersRun() } else { rest() }
}

@_semantics("no_performance_analysis")
private func letOthersRun() { sched_yield() }

@_semantics("no_performance_analysis")
private func rest() { shims_pause() }
