import CShims
import Glibc

/// Finds the cause of an underrun, from how the render thread spent its time.
///
/// The thread reports when it goes to sleep, when it wakes, and when it has rendered a request. The
/// system counts the time for which the thread was ready but waited in the scheduler's queue; a
/// thread of a stopped process sleeps longer than it intended. The rest of the time of a render is
/// spent by the render itself. Where none of these explains the underrun, the server made its
/// request too late.
///
/// Used by the render thread, outside of the pulls. It makes a system call each time that the
/// thread wakes, and after a render that took longer than its frames last. Only `underrun(at:)`
/// allocates.
@safe
public final class UnderrunWatch: @unchecked Sendable {
  // `@unchecked Sendable`: made by one thread, used by another from then on.

  /// A stretch of the thread's time; all times in nanoseconds.
  private struct Stretch {
    var end: UInt64 = 0
    /// The time by which rendering exceeded the duration of its frames, without waits for a
    /// processor.
    var excess: UInt64 = 0
    /// The time for which the thread was ready but not running.
    var delay: UInt64 = 0
    /// The time that rendering took, and its frames.
    var taken: UInt64 = 0
    var frameCount = 0
  }

  /// The shortest time that can cause an underrun, in nanoseconds.
  private static let least: UInt64 = 2_000_000

  private let sampleRate: Double
  private let window: UInt64
  private var stretches = [Stretch](repeating: Stretch(), count: 256)
  private var next = 0
  /// A descriptor of the system's statistics of the thread; -1 before the thread has opened it, and
  /// where there are none.
  private var delayFile: Int32 = -1
  private let readsSchedulerDelay: Bool
  private var begin: UInt64 = 0
  private var waited: UInt64 = 0
  private var sleepLimit: UInt64 = 0
  /// The last reading of `delayFile`. The increase since then belongs to the stretch that ends with
  /// the next reading.
  private var reading: UInt64 = 0

  /// - Parameters:
  ///   - sampleRate: The device's, in Hz.
  ///   - bufferDuration: How long the device plays from its full buffer, in seconds.
  ///   - readsSchedulerDelay: Whether to read from the system how long the thread waited for a
  ///     processor.
  public init(sampleRate: Double, bufferDuration: Double, readsSchedulerDelay: Bool = true) {
    self.sampleRate = sampleRate
    self.readsSchedulerDelay = readsSchedulerDelay
    // Earlier delays have been made up for, or have caused an earlier underrun.
    window = UInt64((0.5 + 2 * max(0, min(bufferDuration, 60))) * 1e9)
  }

  deinit { if delayFile >= 0 { close(delayFile) } }

  /// Called before the thread sleeps until it is woken, or for this many seconds.
  public func willSleep(atMost seconds: Double) {
    if delayFile < 0, readsSchedulerDelay {
      delayFile = shims_open_run_delay()
      read()
    }
    willSleep(atMost: seconds, now: monotonicNanoseconds(), delay: reading)
  }

  /// Called when the thread has woken.
  public func hasWoken() {
    let now = monotonicNanoseconds()
    // A thread that had more to do has not slept at all.
    if now &- begin > Self.least / 20 { read() }
    hasWoken(now: now, delay: reading)
  }

  /// Called before the thread renders a request.
  public func willRender() { willRender(now: monotonicNanoseconds(), delay: reading) }

  /// Called when the thread has rendered it.
  public func hasRendered(frameCount: Int) {
    let now = monotonicNanoseconds()
    if now &- begin > duration(frameCount) { read() }
    hasRendered(frameCount: frameCount, now: now, delay: reading)
  }

  /// The cause of an underrun now.
  ///
  /// - Parameter time: Seconds of sound that the device has requested.
  public func underrun(at time: Double) -> Underrun {
    underrun(at: time, now: monotonicNanoseconds())
  }

  /// Reads the time that the thread has waited for a processor since it began, in nanoseconds.
  private func read() { reading = delayFile >= 0 ? shims_run_delay(delayFile) : 0 }

  /// How long so many frames last, in nanoseconds.
  private func duration(_ frameCount: Int) -> UInt64 {
    UInt64(Double(frameCount) / sampleRate * 1e9)
  }

  // MARK: The same on a clock of the caller, for tests

  package func willSleep(atMost seconds: Double, now: UInt64, delay: UInt64) {
    (begin, waited) = (now, delay)
    sleepLimit = UInt64(max(0, seconds) * 1e9)
  }

  package func hasWoken(now: UInt64, delay: UInt64) {
    let slept = now &- begin
    let overslept = slept > sleepLimit ? slept - sleepLimit : 0
    note(Stretch(end: now, delay: max(overslept, delay &- waited)))
  }

  package func willRender(now: UInt64, delay: UInt64) { (begin, waited) = (now, delay) }

  package func hasRendered(frameCount: Int, now: UInt64, delay: UInt64) {
    let taken = now &- begin
    let held = min(taken, delay &- waited)
    let lasts = duration(frameCount)
    let own = taken - held
    note(
      Stretch(
        end: now, excess: own > lasts ? own - lasts : 0, delay: held, taken: taken,
        frameCount: frameCount))
  }

  private func note(_ stretch: Stretch) {
    stretches[next] = stretch
    next = (next + 1) % stretches.count
  }

  package func underrun(at time: Double, now: UInt64) -> Underrun {
    var (excess, delay): (UInt64, UInt64) = (0, 0)
    var worst = Stretch()
    for stretch in stretches where stretch.end > 0 && now &- stretch.end < window {
      excess += stretch.excess
      delay += stretch.delay
      if stretch.excess > worst.excess { worst = stretch }
    }
    guard max(excess, delay) >= Self.least else {
      return Underrun(.server, time: time, reason: "the server asked too late, or not at all")
    }
    guard excess >= delay else {
      return Underrun(
        .machine, time: time,
        reason: "the render thread was not run for \(Self.milliseconds(delay)) ms")
    }
    let lasts = duration(worst.frameCount)
    return Underrun(
      .render, time: time,
      reason: "to render \(worst.frameCount) frames took \(Self.milliseconds(worst.taken)) ms, "
        + "and they last \(Self.milliseconds(lasts)) ms")
  }

  /// With one decimal.
  private static func milliseconds(_ nanoseconds: UInt64) -> String {
    let tenths = (nanoseconds + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
