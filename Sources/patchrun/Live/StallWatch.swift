/// Detects time that passes without frames: the device stands still, or gradually falls behind the
/// clock.
struct StallWatch {
  /// The longest time without frames that does not count as a gap, in seconds: some servers request
  /// large blocks at long intervals.
  static let tolerance = 0.35
  /// The part of the time by which a device may always be slower than the clock. The clocks of two
  /// devices differ by less than a thousandth.
  private static let toleratedDrift = 0.01

  private var last: (nanoseconds: UInt64, frames: Int)?
  /// How far the frames are behind the clock, in seconds.
  private var lag = 0.0
  /// The frames requested before the last loss of time.
  private var framesBefore = 0

  /// Compares the frames with the clock. To be called repeatedly.
  ///
  /// - Parameter isExpected: Whether the device is expected to request nothing, as in a pause.
  /// - Returns: The seconds that were lost, when frames are requested again; otherwise `nil`.
  mutating func update(
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
    lag = max(0, lag + missing - Self.toleratedDrift * passed)
    guard lag > Self.tolerance else { return nil }
    // A single stop is reported with its whole length.
    let lost = max(lag, missing)
    lag = 0
    return lost
  }

  /// Seconds of sound since the last loss of time.
  func age(at frames: Int, sampleRate: Double) -> Double {
    Double(max(0, frames - framesBefore)) / sampleRate
  }
}
