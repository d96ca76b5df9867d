/// How many slices more than it was asked for a server keeps of what is played: one more after each underrun,
/// and one less after a time without any.
///
/// Where an underrun follows a slice less soon, within ten times the wait before it, the next wait is twice as
/// long: a machine that needs the reserve keeps it, and is not made to run dry each minute to find that out.
///
/// A value that belongs to the thread that pulls. Times are those of a clock that never goes back, in
/// nanoseconds.
struct PlaybackReserve: BitwiseCopyable {
  /// Without an underrun for so long there is a slice less, in seconds.
  static let firstWait = 60.0
  /// The wait is never longer, in seconds.
  static let longestWait = 8 * 3600.0
  /// An underrun within so many waits after a slice less has come of that.
  private static let soon = 10.0

  /// Slices more than were asked for.
  private(set) var slices = 0
  /// The wait before the next slice less, in seconds.
  private(set) var wait: Double
  private let mostSlices: Int
  private let shortestWait: Double
  /// When the last underrun was, or the last change, or when nothing was played.
  private var quietSince: UInt64 = 0
  /// When there was a slice less; `nil` once an underrun has followed.
  private var lastLess: UInt64?
  /// Since when there is a slice more than was asked for, or several; `nil` where there is none.
  private(set) var raisedSince: UInt64?
  private var isSilent = false

  /// When there is a slice less where nothing runs dry until then; `nil` where there is none to give back,
  /// and while nothing is played.
  var lessAt: UInt64? {
    slices > 0 && !isSilent ? quietSince + UInt64(wait * 1e9) : nil
  }

  init(mostSlices: Int, firstWait: Double = PlaybackReserve.firstWait) {
    self.mostSlices = mostSlices
    shortestWait = firstWait
    wait = firstWait
  }

  /// The device ran dry. Returns whether there is a slice more.
  mutating func noteUnderrun(at now: UInt64) -> Bool {
    quietSince = now
    isSilent = false
    if let less = lastLess {
      // Once for each slice less: underruns come in bursts.
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

  /// Nothing is played: that nothing runs dry then is no sign.
  mutating func noteSilence(at now: UInt64) {
    quietSince = now
    isSilent = true
  }

  /// Something is played, and has not run dry. Returns whether there is a slice less.
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
