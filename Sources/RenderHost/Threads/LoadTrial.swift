/// Decides whether several threads render where a clock times the pulls: if one thread is loaded, and
/// several take less time. Used by the thread that pulls.
///
/// It begins with several threads, because a patch that is too much for one would have gaps until
/// that was found. One thread is tried where several have time left, and no longer than until a slice
/// takes nearly as long as it lasts. A load is the time that pulls take, by the time that their frames
/// last at the device; pulls that render nothing do not count.
package struct LoadTrial {
  /// Below this load of one thread no other thread is used.
  private static let light = 1 / 3.0
  /// Below this load of several threads one is tried.
  private static let moderate = 0.6
  /// Above this load of one slice the other threads are called at once.
  private static let full = 0.9
  /// The seconds of sound of a measurement, and of the first one, in which helpers join.
  private static let window = 0.1
  private static let firstWindow = 0.7
  /// The light measurements after which one thread renders.
  private static let patience = 10
  /// The seconds of sound until several threads, which did not gain, are tried again: at first, and at
  /// the most.
  private static let firstWait = 1.0
  private static let longestWait = 32.0

  /// Whether several threads are to render the next pull.
  package private(set) var isShared: Bool
  private let threadCount: Int
  private var busy = 0.0
  private var due = 0.0
  /// The seconds of sound of this measurement.
  private var length = firstWindow
  private var lightCount = 0
  /// What one thread took when it was measured; `nil` if that was before the plan changed.
  private var loadAlone: Double?
  /// Whether the present measurement decides between several threads and one.
  private var isTesting = false
  private var wait = firstWait
  private var rest = 0.0
  private var hasBegun = false

  /// - Parameter threadCount: With the thread that pulls.
  package init(threadCount: Int) {
    self.threadCount = threadCount
    isShared = threadCount > 1
  }

  /// Forgets what one thread took, because another plan begins.
  @_noLocks
  package mutating func forgetPlan() {
    loadAlone = nil
    isTesting = false
    (rest, wait) = (0, Self.firstWait)
  }

  /// Notes a pull that has rendered.
  ///
  /// - Parameters:
  ///   - seconds: The time that it took.
  ///   - duration: The time that its frames last at the device, in seconds.
  @_noLocks
  package mutating func note(_ seconds: Double, of duration: Double) {
    guard threadCount > 1, duration > 0 else { return }
    busy += seconds
    due += duration
    if rest > 0 { rest -= duration }
    if !isShared {
      // A part that was light may become heavy from one slice to the next.
      if seconds > Self.full * duration {
        loadAlone = seconds / duration
        return decide(isShared: true)
      }
    }
    guard due >= length else { return }
    let load = busy / due
    if isShared { endShared(load) } else { endAlone(load) }
  }

  @_noLocks
  private mutating func endShared(_ load: Double) {
    let isFirst = !hasBegun
    hasBegun = true
    if isTesting {
      isTesting = false
      if let loadAlone, load > 0.9 * loadAlone {
        rest = wait
        wait = wait * 2 < Self.longestWait ? wait * 2 : Self.longestWait
        return decide(isShared: false)
      }
      wait = Self.firstWait
    }
    let mostAlone = load * Double(threadCount)
    lightCount = mostAlone < Self.light ? lightCount + 1 : 0
    if lightCount >= Self.patience { return decide(isShared: false) }
    if isFirst, lightCount > 0 { return decide(isShared: false) }
    // No gain any more, since other programs need the processors, or the patch takes longer now.
    if let before = loadAlone, load > 1.1 * before { loadAlone = nil }
    if loadAlone == nil, lightCount == 0, load < Self.moderate { return decide(isShared: false) }
    restart()
  }

  @_noLocks
  private mutating func endAlone(_ load: Double) {
    loadAlone = load
    guard load >= Self.light, rest <= 0 else { return restart() }
    isTesting = true
    decide(isShared: true)
  }

  @_noLocks
  private mutating func decide(isShared: Bool) {
    self.isShared = isShared
    lightCount = 0
    restart()
  }

  @_noLocks
  private mutating func restart() {
    (busy, due) = (0, 0)
    length = Self.window
  }
}
