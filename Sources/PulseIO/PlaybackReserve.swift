/// How many slices more than requested a server buffers for playback: one more after each underrun,
/// and one less after a time without any.
///
/// Where an underrun follows the removal of a slice within ten times the wait before it, the next
/// wait is twice as long: a machine that needs the reserve keeps it, instead of running dry every
/// minute.
///
/// A value that belongs to the thread that pulls. Times are nanoseconds of the monotonic clock.
struct PlaybackReserve: BitwiseCopyable {
  /// The time without an underrun after which a slice is removed, in seconds.
  static let firstWait = 60.0
  /// The longest wait, in seconds.
  static let longestWait = 8 * 3600.0
  /// An underrun within so many waits counts as caused by the removal.
  private static let soon = 10.0

  /// The slices more than requested.
  private(set) var slices = 0
  /// The wait before the next slice is removed, in seconds.
  private(set) var wait: Double
  private let mostSlices: Int
  private let shortestWait: Double
  /// The time of the last underrun, change or silence.
  private var quietSince: UInt64 = 0
  /// When a slice was last removed; `nil` once an underrun has followed.
  private var lastLess: UInt64?
  /// When slices were first added; `nil` for none.
  private(set) var raisedSince: UInt64?
  private var isSilent = false

  /// When the next slice is removed, unless an underrun comes first; `nil` for none, and while
  /// nothing is played.
  var lessAt: UInt64? {
    slices > 0 && !isSilent ? quietSince + UInt64(wait * 1e9) : nil
  }

  init(mostSlices: Int, firstWait: Double = PlaybackReserve.firstWait) {
    self.mostSlices = mostSlices
    shortestWait = firstWait
    wait = firstWait
  }

  /// Notes an underrun. Returns whether a slice was added.
  mutating func noteUnderrun(at now: UInt64) -> Bool {
    quietSince = now
    isSilent = false
    if let less = lastLess {
      // Once for each removal: underruns come in bursts.
      lastLess = nil
      wait =
        Self.seconds(less, now) < Self.soon * wait
        ? min(2 * wait, Self.longestWait) : shortestWait
    }
    guard slices < mostSlices else { return false }
    slices += 1
    raisedSince = raisedSince ?? now
    return true
  }

  /// Notes that nothing is played, so that the absence of underruns proves nothing.
  mutating func noteSilence(at now: UInt64) {
    quietSince = now
    isSilent = true
  }

  /// Notes that sound is played without an underrun. Returns whether a slice was removed.
  mutating func takeBack(at now: UInt64) -> Bool {
    isSilent = false
    guard slices > 0, Self.seconds(quietSince, now) >= wait else { return false }
    slices -= 1
    if slices == 0 { raisedSince = nil }
    quietSince = now
    lastLess = now
    return true
  }

  private static func seconds(_ from: UInt64, _ to: UInt64) -> Double {
    Double(to - min(from, to)) / 1e9
  }
}
