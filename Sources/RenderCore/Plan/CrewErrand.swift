import Synchronization

/// A job that the rendering thread leaves to one helper.
final class CrewErrand: @unchecked Sendable {
  // `@unchecked Sendable`: the rendering thread writes `job` while the state is `none`.

  private enum State: UInt8, AtomicRepresentable { case none, waiting, begun, begunAgain }

  private var job: (any CrewJob)?
  private let state = Atomic<State>(.none)

  /// Whether nobody has begun.
  var isWaiting: Bool { state.load(ordering: .sequentiallyConsistent) == .waiting }

  /// Whether there is nothing to do, and nobody at work.
  var isDone: Bool { state.load(ordering: .acquiring) == .none }

  /// Leaves a job. One that has begun is done once more after that. Rendering thread. Returns whether
  /// a helper has to begin.
  func leave(_ job: any CrewJob) -> Bool {
    var before = state.load(ordering: .acquiring)
    while true {
      if before == .none { self.job = job }
      let isBegun = before == .begun || before == .begunAgain
      // An exchange even where nothing changes: whoever takes the job then sees what it is to do.
      let (isDone, now) = state.compareExchange(
        expected: before, desired: isBegun ? .begunAgain : .waiting,
        ordering: .sequentiallyConsistent)
      guard !isDone else { return !isBegun }
      before = now
    }
  }

  /// Does the job, unless there is none or another thread has begun. Returns whether it did.
  func work() -> Bool {
    guard state.load(ordering: .relaxed) == .waiting,
      state.compareExchange(expected: .waiting, desired: .begun, ordering: .acquiring).exchanged
    else { return false }
    while true {
      job?.work()
      if state.compareExchange(
        expected: .begun, desired: .none, ordering: .acquiringAndReleasing
      ).exchanged {
        return true
      }
      _ = state.exchange(.begun, ordering: .acquiringAndReleasing)
    }
  }

  /// Releases a job that is done. Rendering thread.
  func forget() { job = nil }
}
