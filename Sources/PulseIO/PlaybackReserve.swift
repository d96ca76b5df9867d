/// The number of slices that a server buffers for playback beyond the requested ones. It grows by
/// one after each underrun, and shrinks by one after a time without underruns.
///
/// If an underrun follows the removal of a slice within ten times the wait before it, the next wait
/// is twice as long: a machine that needs the reserve keeps it, instead of having an underrun every
/// minute.
///
/// A value that belongs to the thread that pulls. Times are nanoseconds of the monotonic clock.
struct PlaybackReserve: BitwiseCopyable {
  /// The time without an underrun after which a slice is removed, in seconds.
  static let firstWait = 60.0
  /// The longest wait, in seconds.
  static let longestWait = 8 * 3600.0
  /// An underrun within this many waits after a removal counts as caused by it.
  private static let soon = 10.0

  /// The number of additional slices.
  private(set) var slices = 0
  /// The wait before the next slice is removed, in seconds.
  private(set) var wait: Double
  private let mostSlices: Int
  private let shortestWait: Double
  /// The time of the last underrun, change or silence.
  private var quietSince: UInt64 = 0
  /// When a slice was last removed; `nil` for never, and after an underrun that followed.
  private var lastRemoval: UInt64?
  /// When slices were first added; `nil` for none.
  private(set) var raisedSince: UInt64?
  private var isSilent = false

  /// When the next slice is removed, unless an underrun comes first; `nil` for none, and while
  /// nothing is played.
  var nextLoweringTime: UInt64? {
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
    if let less = lastRemoval {
      // Once for each removal: underruns come in bursts.
      lastRemoval = nil
      wait =
        Self.seconds(less, now) < Self.soon * wait
        ? min(2 * wait, Self.longestWait) : shortestWait
    }
    guard slices < mostSlices else { return false }
    slices += 1
    raisedSince = raisedSince ?? now
    return true
  }

  /// Notes that nothing is played: the time without underruns starts again.
  mutating func noteSilence(at now: UInt64) {
    quietSince = now
    isSilent = true
  }

  /// Notes that sound is played without an underrun. Returns whether a slice was removed.
  mutating func removeSlice(at now: UInt64) -> Bool {
    isSilent = false
    guard slices > 0, Self.seconds(quietSince, now) >= wait else { return false }
    slices -= 1
    if slices == 0 { raisedSince = nil }
    quietSince = now
    lastRemoval = now
    return true
  }

  private static func seconds(_ from: UInt64, _ to: UInt64) -> Double {
    Double(to - min(from, to)) / 1e9
  }
}
