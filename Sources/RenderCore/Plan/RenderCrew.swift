import AudioTypes
import CShims
import Glibc
import Synchronization

/// Lets several threads render one plan: one thread renders, and helpers take rows from it.
///
/// It makes no threads: a host's threads call `help()`. Between two slices helpers spin for 0.2 ms,
/// which is more than a host needs to write a slice to a file, then sleep: to wake one takes longer
/// than to render a small slice.
@safe
public final class RenderCrew: @unchecked Sendable {
  // `@unchecked Sendable`: the rendering thread writes `rows` and `job` while no helper is
  // inside, and `errand` while its state is `none`.

  /// The number of openings and closings: odd while there are rows to take.
  private let turns = Atomic<Int>(0)
  /// The number of helpers that use the rows.
  private let inside = Atomic<Int>(0)
  private let sleepers = Atomic<Int>(0)
  private let hasEnded = Atomic<Bool>(false)
  private let wakeSemaphore: UnsafeMutablePointer<sem_t>
  private var rows: UnsafeMutablePointer<SharedRows>?
  /// The job to share in place of rows, between two pieces.
  private var job: (any CrewJob)?
  /// A job for one helper, beside the rendering.
  private var errand: (any CrewJob)?
  private let errandState = Atomic<ErrandState>(.none)

  private enum ErrandState: UInt8, AtomicRepresentable { case none, waiting, begun, begunAgain }

  public init() {
    unsafe wakeSemaphore = .allocate(capacity: 1)
    unsafe wakeSemaphore.initialize(to: sem_t())
    unsafe sem_init(wakeSemaphore, 0, 0)
    unsafe rows = nil
  }

  deinit {
    unsafe sem_destroy(wakeSemaphore)
    unsafe wakeSemaphore.deallocate()
  }

  // MARK: A helper's thread

  /// Renders rows and does jobs until `end()`.
  public func help() {
    var seen = 0
    while let turn = nextTurn(after: seen) {
      seen = turn
      // Either `close()` sees this helper inside, or the helper sees here that it has closed.
      inside.wrappingAdd(1, ordering: .sequentiallyConsistent)
      if turns.load(ordering: .sequentiallyConsistent) == turn {
        if let job {
          job.work()
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
    var begin: UInt64 = 0
    while true {
      if hasEnded.load(ordering: .acquiring) { return nil }
      if doErrand() { begin = meterClock() }
      let turn = turns.load(ordering: .acquiring)
      if turn != seen, !turn.isMultiple(of: 2) { return turn }
      spins += 1
      if spins == 1 { begin = meterClock() }
      guard spins.isMultiple(of: 64), meterClock() - begin > Self.spinLimit else {
        shims_pause()
        continue
      }
      sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
      // An opening since then may not have counted this sleeper, or has posted for it already.
      if turns.load(ordering: .sequentiallyConsistent) == turn,
        errandState.load(ordering: .sequentiallyConsistent) != .waiting,
        !hasEnded.load(ordering: .acquiring)
      {
        while unsafe sem_wait(wakeSemaphore) != 0 {}
      } else if !removeSleeper() {
        while unsafe sem_wait(wakeSemaphore) != 0 {}
      }
      spins = 0
    }
  }

  /// The nanoseconds for which a helper checks for work before it sleeps.
  private static let spinLimit: UInt64 = 200_000

  /// Removes one sleeper from the count; `false` where `wake()` has already taken all of them.
  private func removeSleeper() -> Bool {
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

  /// Does a job together with the helpers. Called by the rendering thread between two pieces.
  /// Returns when the job is done.
  public func share(_ job: any CrewJob) {
    self.job = job
    turns.wrappingAdd(1, ordering: .sequentiallyConsistent)
    wake()
    job.work()
    close()
    self.job = nil
  }

  // MARK: Beside the rendering

  /// Leaves a job to the next helper that is free; the rendering goes on. The job of the last call, if
  /// a helper has begun it, is done once more after that. Called by the rendering thread between two
  /// pieces. `finishErrand()` must follow before another job is left.
  public func leave(_ job: any CrewJob) {
    var state = errandState.load(ordering: .acquiring)
    while true {
      if state == .none { errand = job }
      let isBegun = state == .begun || state == .begunAgain
      // An exchange even where nothing changes: whoever takes the job then sees what it is to do.
      let (isDone, now) = errandState.compareExchange(
        expected: state, desired: isBegun ? .begunAgain : .waiting,
        ordering: .sequentiallyConsistent)
      guard !isDone else { return wake() }
      state = now
    }
  }

  /// Does the job that was left if no helper has begun, or waits for a moment. Called by the rendering
  /// thread between two pieces.
  ///
  /// - Parameter spins: The number of calls of one wait.
  public func helpWithErrand(_ spins: inout Int) {
    if !doErrand() { spin(&spins) }
  }

  /// Waits for the job that was left, or does it where no helper has begun. Called by the rendering
  /// thread between two pieces.
  public func finishErrand() {
    var spins = 0
    while errandState.load(ordering: .acquiring) != .none { helpWithErrand(&spins) }
    errand = nil
  }

  /// Does the job that was left, unless there is none or another thread has begun. Returns whether
  /// it did.
  private func doErrand() -> Bool {
    guard errandState.load(ordering: .relaxed) == .waiting,
      errandState.compareExchange(
        expected: .waiting, desired: .begun, ordering: .acquiring
      ).exchanged
    else { return false }
    while true {
      errand?.work()
      if errandState.compareExchange(
        expected: .begun, desired: .none, ordering: .acquiringAndReleasing
      ).exchanged {
        return true
      }
      _ = errandState.exchange(.begun, ordering: .acquiringAndReleasing)
    }
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

  /// Stops helpers from entering, and waits for those inside to leave.
  @_noLocks
  private func close() {
    turns.wrappingAdd(1, ordering: .sequentiallyConsistent)
    var spins = 0
    while inside.load(ordering: .sequentiallyConsistent) > 0 { spin(&spins) }
  }

  @_noLocks
  private func wake() {
    guard sleepers.load(ordering: .sequentiallyConsistent) > 0 else { return }
    post(sleepers.exchange(0, ordering: .sequentiallyConsistent))
  }

  // Takes no lock. Makes a system call only where a helper sleeps, which none does while pieces
  // follow each other.
  @_semantics("no_performance_analysis")
  private func post(_ count: Int) {
    for _ in 0..<count { unsafe sem_post(wakeSemaphore) }
  }
}

/// Waits for a moment. Now and then it yields the processor, which the other thread may be waiting
/// for. After some 0.1 ms it sleeps in between: the other thread has probably lost its processor, and
/// the system gives it this one only if nobody runs on it.
@_noLocks
func spin(_ spins: inout Int) {
  spins += 1
  if spins & 1023 != 0 {
    pauseProcessor()
  } else if spins <= 4096 {
    letOthersRun()
  } else {
    sleepBriefly()
  }
}

@_semantics("no_performance_analysis")
private func letOthersRun() { sched_yield() }

// Only where several threads render, which is never in real time.
@_semantics("no_performance_analysis")
private func sleepBriefly() { usleep(20) }

@_semantics("no_performance_analysis")
private func pauseProcessor() { shims_pause() }
