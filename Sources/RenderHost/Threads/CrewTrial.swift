/// Finds out whether several threads render faster than one. Where other programs need the processors,
/// each slice may wait for a helper that has lost its own.
///
/// It tries both for 10 ms, and takes the faster one for 0.4 s. Where one thread was faster, that may
/// have been chance, which would slow a short render to its end: the answer holds for 25 ms at first,
/// and for twice as long each time that it is found again. The times are those from pull to pull, with
/// all that the host does in between. Used by the thread that pulls.
package struct CrewTrial {
  private enum Phase { case together, alone, settled }

  private static let trial: UInt64 = 10_000_000
  private static let settled: UInt64 = 400_000_000
  private static let firstAlone: UInt64 = 25_000_000

  /// Whether one thread is to render the next frames, and to do what else there is.
  package private(set) var isAlone = false
  private var phase = Phase.settled
  /// Nanoseconds until the next trial. The first begins once the caches are warm, and helpers awake.
  private var rest = 2 * trial
  /// Nanoseconds for which one thread renders where it is found faster.
  private var nextAlone = firstAlone
  private var spent: UInt64 = 0
  private var frames = 0
  private var last: (begin: UInt64, frameCount: Int)?
  /// Nanoseconds per frame.
  private var timeTogether = 0.0

  package init() {}

  /// Notes when a pull begins, in nanoseconds.
  @_noLocks
  package mutating func begin(at time: UInt64, frameCount: Int) {
    if let last {
      spent += time &- last.begin
      frames += last.frameCount
    }
    last = (time, frameCount)
    guard spent >= (phase == .settled ? rest : Self.trial) else { return }
    let time = Double(spent) / Double(frames)
    switch phase {
    case .settled: (phase, isAlone) = (.together, false)
    case .together: (phase, isAlone, timeTogether) = (.alone, true, time)
    case .alone:
      (phase, isAlone) = (.settled, time < timeTogether)
      rest = isAlone ? nextAlone : Self.settled
      nextAlone = isAlone ? min(2 * nextAlone, Self.settled) : Self.firstAlone
    }
    (spent, frames) = (0, 0)
  }
}
