/// Detects time that passes without frames: the device stands still, or falls behind the clock bit by bit.
struct StallWatch {
  /// The longest time without frames, in seconds, that is no gap: some servers request large blocks at long
  /// intervals.
  static let patience = 0.35
  /// The part of the time by which a device may be slower than the clock for ever. The clocks of two devices differ
  /// by less than a thousandth.
  private static let forgiveness = 0.01

  private var last: (nanoseconds: UInt64, frames: Int)?
  /// How far the frames are behind the clock, in seconds.
  private var lag = 0.0
  /// The frames requested before the last loss of time.
  private var framesBefore = 0

  /// - Parameter isExpected: Whether the device is expected to request nothing, as in a pause.
  /// - Returns: The seconds that were lost, once frames are requested again.
  mutating func look(
    at frames: Int, nanoseconds now: UInt64, sampleRate: Double, isExpected: Bool
  ) -> Double? {
    guard let before = last, !isExpected, frames >= before.frames else {
      last = (now, frames)
      lag = 0
      return nil
    }
    guard frames > before.frames else { return nil }
    last = (now, frames)
    let passed = Double(now - before.nanoseconds) / 1e9
    let missing = passed - Double(frames - before.frames) / sampleRate
    if missing > 0 { framesBefore = before.frames }
    lag = max(0, lag + missing - Self.forgiveness * passed)
    guard lag > Self.patience else { return nil }
    // A single stop is told as long as it was.
    let lost = max(lag, missing)
    lag = 0
    return lost
  }

  /// Seconds of sound since the last loss of time.
  func age(at frames: Int, sampleRate: Double) -> Double {
    Double(max(0, frames - framesBefore)) / sampleRate
  }
}
