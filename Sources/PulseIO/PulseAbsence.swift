import RenderHost

/// A sink or a source that is waited for. Of the engine's thread.
struct PulseAbsence {
  enum Reason {
    /// There is no stream; it is tried again and again to open one.
    case gone
    /// There is a stream, and its device is suspended.
    case suspended
    /// There is a stream on which nothing moves.
    case standstill
    /// There is a new stream, of which the first frame is waited for.
    case returning
  }

  var reason: Reason
  /// When this reason began.
  var since: UInt64
  /// When to try next to open a stream.
  var nextAttempt: UInt64 = 0

  /// How long a device may be suspended before it counts as lost, in seconds: where it is waited for, and
  /// where its loss is the end.
  static func suspensionLimit(isAwaited: Bool) -> Double { isAwaited ? 0.2 : 2 }
  /// How long nothing may move before a device counts as lost that is waited for, in seconds. A null sink
  /// that begins may take 2.
  static let standstillLimit = 3.0
  /// From one attempt to open a stream to the next, in nanoseconds.
  static let interval: UInt64 = 250_000_000
}

/// Says how many frames are due while no device asks for any. Of the engine's thread.
struct AbsenceClock {
  /// From one look at it to the next, in seconds.
  static let tick = 0.005
  /// Up to how much time that had passed when a loss was noticed is made up for, in seconds. Files are
  /// read ahead by no more; a longer time is a gap.
  static let memory = 0.5

  private let framesPerNanosecond: Double
  private let origin: UInt64
  private var last: UInt64
  private var taken = 0

  /// - Parameter lastMotion: When the device asked for frames for the last time.
  init(sampleRate: Double, lastMotion: UInt64, now: UInt64) {
    framesPerNanosecond = sampleRate / 1e9
    let isShort = Double(now - min(now, lastMotion)) / 1e9 <= Self.memory
    origin = isShort ? min(now, lastMotion) : now
    last = now
  }

  /// How many frames are to be rendered now. What is missing is made up for at twice the pace.
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
