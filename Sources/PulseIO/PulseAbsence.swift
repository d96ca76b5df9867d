/// A sink or a source that the engine waits for. Used by the engine's thread.
struct PulseAbsence {
  enum Reason {
    /// There is no stream; the engine tries to open one.
    case gone
    /// There is a stream, whose device is suspended.
    case suspended
    /// There is a stream that moves no frames.
    case standstill
    /// There is a new stream that has not moved a frame.
    case returning
  }

  var reason: Reason
  /// When the wait for this reason began.
  var since: UInt64
  /// When to try to open a stream next.
  var nextAttempt: UInt64 = 0

  /// The seconds of suspension after which a device counts as lost: short where the engine waits
  /// for it, longer where its loss ends the run.
  static func suspensionLimit(isAwaited: Bool) -> Double { isAwaited ? 0.2 : 2 }
  /// The seconds without a frame after which a device counts as lost, where the engine waits for
  /// it. A null sink may take 2 to begin.
  static let standstillLimit = 3.0
  /// The time between two tries to open a stream, in nanoseconds.
  static let interval: UInt64 = 250_000_000
}

/// Counts the frames that are due while no device requests any. Used by the engine's thread.
struct AbsenceClock {
  /// The time between two calls of `take`, in seconds.
  static let tick = 0.005
  /// The longest time between a loss and its detection that is made up for, in seconds: files are
  /// read ahead no further. A longer time becomes a gap.
  static let longestBacklog = 0.5

  private let framesPerNanosecond: Double
  private let origin: UInt64
  private var last: UInt64
  private var taken = 0

  /// - Parameter lastMotion: When the device last requested frames.
  init(sampleRate: Double, lastMotion: UInt64, now: UInt64) {
    framesPerNanosecond = sampleRate / 1e9
    let isShort = Double(now - min(now, lastMotion)) / 1e9 <= Self.longestBacklog
    origin = isShort ? min(now, lastMotion) : now
    last = now
  }

  /// The number of frames to render now. A backlog is rendered at twice the normal rate.
  mutating func take(at now: UInt64) -> Int {
    guard now > last else { return 0 }
    let due = Int(Double(now - origin) * framesPerNanosecond) - taken
    let most = Int(2 * Double(now - last) * framesPerNanosecond)
    guard due > 0, most > 0 else { return 0 }
    last = now
    let count = min(due, most)
    taken += count
    return count
  }
}
