import AudioTypes
import CShims
import Glibc
import Synchronization

/// Lets several threads render one plan: one thread renders, and helpers take rows from it.
///
/// It makes no threads: a host's threads call `help()`. A host that renders as fast as it can has
/// them spin between two slices for 0.2 ms, which is more than it needs to write a slice to a file,
/// then sleep: to wake one takes longer than to render a small slice.
///
/// In real time the rendering thread may not wake anybody, because that is a system call. Its host
/// calls `gather()` before a pull and `dismiss()` behind it. Helpers sleep in between.
@safe
public final class RenderCrew: @unchecked Sendable {
  // `@unchecked Sendable`: the rendering thread writes `rows` and `job` while no helper is inside.

  /// The number of openings and closings: odd while there are rows to take.
  private let turns = Atomic<Int>(0)
  /// The number of helpers that use the rows.
  private let inside = Atomic<Int>(0)
  private let sleepers = Atomic<Int>(0)
  /// Whether a clock times the pulls.
  private let inRealTime: Bool
  /// In real time: whether a pull is under way.
  private let isGathered = Atomic<Bool>(false)
  /// In real time: the urgency of the thread that pulls, as `shims_urgency` gives it.
  private let urgency = Atomic<Int32>(.min)
  /// In real time: the number of helpers that are as urgent as that thread.
  private let joinedCount = Atomic<Int>(0)
  private let hasEnded = Atomic<Bool>(false)
  private let wakeSemaphore: UnsafeMutablePointer<sem_t>
  private var rows: UnsafeMutablePointer<SharedRows>?
  /// The job to share in place of rows, between two pieces.
  private var job: (any CrewJob)?
  /// A job for one helper, beside the rendering.
  private let errand = CrewErrand()

  /// - Parameter inRealTime: Whether a clock times the pulls.
  public init(inRealTime: Bool = false) {
    self.inRealTime = inRealTime
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
  ///
  /// - Parameter join: In real time: called before this thread first helps a thread of the urgency
  ///   that is given. It has the system make this thread as urgent, and returns whether that is so.
  ///   Otherwise this thread does not help: whoever waits for it would wait for all that goes before
  ///   it.
  public func help(joining join: (_ urgency: Int32) -> Bool = { _ in true }) {
    var seen = 0
    var joined: (urgency: Int32, isUrgent: Bool)?
    while let turn = nextTurn(
      after: seen, refusedFor: joined?.isUrgent == false ? joined?.urgency : nil)
    {
      seen = turn
      if inRealTime {
        let urgency = urgency.load(ordering: .acquiring)
        if urgency != joined?.urgency {
          if joined?.isUrgent == true { joinedCount.wrappingSubtract(1, ordering: .relaxed) }
          joined = (urgency, join(urgency))
          if joined?.isUrgent == true { joinedCount.wrappingAdd(1, ordering: .relaxed) }
        }
        guard joined?.isUrgent == true else { continue }
        shims_real_time_enter()
      }
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
      if inRealTime { shims_real_time_exit() }
    }
  }

  /// The number of the next opening; `nil` at the end.
  ///
  /// - Parameter refusedFor: In real time: the urgency that the helper has not got; `nil` for none. It
  ///   sleeps while that is the urgency of the thread that pulls.
  private func nextTurn(after seen: Int, refusedFor refused: Int32?) -> Int? {
    var spins = 0
    var begin: UInt64 = 0
    while true {
      if hasEnded.load(ordering: .acquiring) { return nil }
      if errand.work() { begin = meterClock() }
      let turn = turns.load(ordering: .acquiring)
      if turn != seen, !turn.isMultiple(of: 2) { return turn }
      spins += 1
      if spins == 1 { begin = meterClock() }
      let isDismissed = inRealTime ? !isGathered.load(ordering: .acquiring) : false
      let isRefused = refused != nil && refused == urgency.load(ordering: .relaxed)
      guard isDismissed || isRefused || spins.isMultiple(of: 64) && meterClock() - begin > spinLimit
      else {
        shims_pause()
        continue
      }
      sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
      // A call since then may not have counted this sleeper, or has posted for it already.
      if !mayBeNeeded(since: turn, isDismissed) {
        while unsafe sem_wait(wakeSemaphore) != 0 {}
      } else if !removeSleeper() {
        while unsafe sem_wait(wakeSemaphore) != 0 {}
      }
      spins = 0
    }
  }

  /// Whether there is something for a helper that is about to sleep.
  private func mayBeNeeded(since turn: Int, _ wasDismissed: Bool) -> Bool {
    if hasEnded.load(ordering: .sequentiallyConsistent) { return true }
    // A helper that has waited long in one pull sleeps to the next.
    if inRealTime { return wasDismissed && isGathered.load(ordering: .sequentiallyConsistent) }
    return turns.load(ordering: .sequentiallyConsistent) != turn
      || errand.isWaiting
  }

  /// The nanoseconds for which a helper checks for work before it sleeps. In real time it gives up
  /// long before RealtimeKit would take its scheduling away (0.2 s).
  private var spinLimit: UInt64 { inRealTime ? 20_000_000 : 200_000 }

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
    if errand.leave(job) { wake() }
  }

  /// Does the job that was left if no helper has begun, or waits for a moment. Called by the rendering
  /// thread between two pieces.
  ///
  /// - Parameter spins: The number of calls of one wait.
  public func helpWithErrand(_ spins: inout Int) {
    if !errand.work() { spin(&spins) }
  }

  /// Waits for the job that was left, or does it where no helper has begun. Called by the rendering
  /// thread between two pieces.
  public func finishErrand() {
    var spins = 0
    while !errand.isDone { helpWithErrand(&spins) }
    errand.forget()
  }

  // MARK: Around a pull in real time

  /// Wakes the helpers. Called by the thread that pulls before it renders: it may make a system call.
  public func gather() {
    // Each time: RealtimeKit may grant what it was asked for after nobody waits for it any more.
    urgency.store(shims_urgency(), ordering: .relaxed)
    isGathered.store(true, ordering: .sequentiallyConsistent)
    wake()
  }

  /// Lets the helpers sleep until the next `gather()`. Returns how many may have helped.
  @_noLocks
  public func dismiss() -> Int {
    isGathered.store(false, ordering: .sequentiallyConsistent)
    return joinedCount.load(ordering: .relaxed)
  }

  // MARK: The render thread

  /// Renders a piece that has begun, together with the helpers. Returns the status of the first row
  /// that failed.
  @_noLocks
  func render(_ rows: UnsafeMutablePointer<SharedRows>) -> Status {
    unsafe self.rows = rows
    turns.wrappingAdd(1, ordering: .sequentiallyConsistent)
    if !inRealTime { wake() }
    unsafe rows.pointee.work()
    close()
    return unsafe rows.pointee.status()
  }

  /// Stops helpers from entering, and waits for those inside to leave.
  @_noLocks
  private func close() {
    turns.wrappingAdd(1, ordering: .sequentiallyConsistent)
    var spins = 0
    while inside.load(ordering: .sequentiallyConsistent) > 0 {
      spin(&spins, inRealTime: inRealTime)
    }
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
///
/// - Parameter inRealTime: Whether no system call may be made: it only waits then.
@_noLocks
func spin(_ spins: inout Int, inRealTime: Bool = false) {
  spins += 1
  if inRealTime || spins & 1023 != 0 {
    pauseProcessor()
  } else if spins <= 4096 {
    letOthersRun()
  } else {
    sleepBriefly()
  }
}

@_semantics("no_performance_analysis")
private func letOthersRun() { sched_yield() }

// Only where no clock times the pulls.
@_semantics("no_performance_analysis")
private func sleepBriefly() { usleep(20) }

@_semantics("no_performance_analysis")
private func pauseProcessor() { shims_pause() }
