/// Finds out how much faster one device's clock runs than another's, from how full the ring between
/// the two is, and says by what ratio to resample so that it stays as full as it was.
///
/// Frames come in lumps and at odd times, so a fill that goes up and down says nothing yet. What
/// does is a mean fill that has left the one it began with by more than lumps can explain:
///
/// - The mean is over some 4 s. After 10 s it becomes the *target*.
/// - The *jitter* is what the fill has spanned within the last 4 to 8 s, and at least the largest
///   lump and the largest pull in that time.
/// - When the mean has been off the target by more than the jitter and 2 ms for 3 s on end, the
///   tracker engages. Until then, and so for ever between two clocks that agree, the ratio is 1.
/// - From then on a loop of the second order steers back to the target, first quickly and then ever
///   more calmly: lumps and pulls that beat against each other move the ratio by 100 ppm at first and
///   by 5 ppm later on, at the most; mostly it is within 1 ppm of the drift.
/// - The ratio never changes by more than 50 ppm, a tenth of a cent, in a second, and never differs
///   from 1 by more than 0.5 %.
///
/// Between the target and either end of the ring there should be `headroom(lump:pull:sampleRate:)`.
///
/// A value that belongs to the thread that reads the ring.
public struct ClockTracker: BitwiseCopyable, Sendable {
  /// Input frames to take for one frame, nominally: over 1 where the source's clock is fast. Exactly
  /// 1 until `isEngaged`. What `PolyphaseResampler.adjust(ratio:)` takes.
  public private(set) var ratio = 1.0
  /// Whether a drift has shown itself.
  public private(set) var isEngaged = false

  private let rate: Double
  /// Seconds since the start or `restart()`, and since the tracker engaged.
  private var elapsed = 0.0
  private var engagedFor = 0.0
  private var hasTarget = false
  /// In frames, as everything from here on.
  private var target = 0.0
  private var glide = 0.0
  private var previousFill = 0.0
  private var mean1 = 0.0
  private var mean2 = 0.0
  private var offFor = 0.0
  /// What the ratio is off 1 in the long run.
  private var drift = 0.0
  private var window = Extremes()
  private var lastWindow = Extremes()

  /// What was seen in a stretch of some seconds.
  private struct Extremes: BitwiseCopyable {
    var seconds = 0.0
    var low = Double.infinity
    var high = -Double.infinity
    var lump = 0.0
    var pull = 0.0

    @_noLocks
    init() {}
  }

  private static var smoothing: Double { @_noLocks get { 2 } }
  private static var settling: Double { @_noLocks get { 10 } }
  private static var windowLength: Double { @_noLocks get { 4 } }
  private static var holding: Double { @_noLocks get { 3 } }
  private static var margin: Double { @_noLocks get { 0.002 } }
  private static var largestDrift: Double { @_noLocks get { 0.005 } }
  private static var largestSlew: Double { @_noLocks get { 50e-6 } }

  /// A tracker for a ring that is read at `sampleRate` frames in a second of the reading side's
  /// clock.
  @_noLocks
  public init(sampleRate: Double) {
    precondition(sampleRate > 0, "a sample rate is over 0")
    rate = sampleRate
  }

  /// How many frames there should be between the target and an empty ring, and between the target
  /// and a full one, where frames come in lumps of `lump` and go `pull` at a time.
  public static func headroom(lump: Int, pull: Int, sampleRate: Double) -> Int {
    5 * (lump + pull) / 2 + Int(5 * margin * sampleRate)
  }

  /// Begins again where frames were lost or the ring was refilled: learns a new target within 10 s,
  /// and keeps to the drift that it has found.
  @_noLocks
  public mutating func restart() {
    elapsed = 0
    hasTarget = false
    glide = 0
    offFor = 0
    window = Extremes()
    lastWindow = Extremes()
  }

  /// Takes in one pull. Call it each time the ring has been read, and resample by `ratio` what is
  /// read next.
  ///
  /// - Parameters:
  ///   - fill: Frames in the ring after the pull.
  ///   - pulled: Frames that the pull took out; nothing happens where it is 0.
  @_noLocks
  public mutating func update(fill: Int, pulled: Int) {
    guard pulled > 0 else { return }
    let pull = Double(pulled)
    // Between before the pull and after it, so that longer pulls do not look like a lower fill.
    let level = Double(fill) + pull / 2
    let time = pull / (rate * ratio)
    observe(level: level, fill: Double(fill), pull: pull, time: time)
    guard elapsed >= Self.settling else { return }
    if !hasTarget {
      hasTarget = true
      target = mean2
    }
    if isEngaged {
      steer(time)
    } else {
      watch(time)
    }
  }

  @_noLocks
  private mutating func observe(level: Double, fill: Double, pull: Double, time: Double) {
    let arrived = elapsed > 0 ? fill - previousFill + pull : 0
    previousFill = fill
    elapsed += time
    // Two poles; at first plain averages, which forget how they began.
    let start = time / elapsed
    let steady = time / (Self.smoothing + time)
    let weight = start > steady ? start : steady
    mean1 += (level - mean1) * weight
    mean2 += (mean1 - mean2) * weight

    if window.seconds >= Self.windowLength {
      lastWindow = window
      window = Extremes()
    }
    window.seconds += time
    if level < window.low { window.low = level }
    if level > window.high { window.high = level }
    if arrived > window.lump { window.lump = arrived }
    if pull > window.pull { window.pull = pull }
  }

  @_noLocks
  private static func larger(_ a: Double, _ b: Double) -> Double { a > b ? a : b }

  private var lump: Double { @_noLocks get { Self.larger(window.lump, lastWindow.lump) } }
  private var pull: Double { @_noLocks get { Self.larger(window.pull, lastWindow.pull) } }

  private var jitter: Double {
    @_noLocks get {
      let span = Self.larger(window.high - window.low, lastWindow.high - lastWindow.low)
      return Self.larger(span, Self.larger(lump, pull))
    }
  }

  /// Waits for a drift to show itself.
  @_noLocks
  private mutating func watch(_ time: Double) {
    let off = mean2 - target
    guard (off < 0 ? -off : off) > jitter + Self.margin * rate else {
      offFor = 0
      return
    }
    offFor += time
    guard offFor >= Self.holding else { return }
    isEngaged = true
    drift = clip(off / ((elapsed - Self.settling) * rate), Self.largestDrift)
    // The means trail behind by twice the smoothing. The way back to the target is made little by
    // little, so that the loop begins at rest.
    glide = off + drift * rate * 2 * Self.smoothing
  }

  /// One step of the loop.
  @_noLocks
  private mutating func steer(_ time: Double) {
    engagedFor += time
    // What the smoothing cannot take away is the slow beat between lumps and pulls, as high as the
    // smaller of the two. The loop is so slow that the beat hardly shows in the ratio.
    let beat = Self.larger(lump < pull ? lump : pull, jitter / 8)
    let unit = rate / (1.4 * beat / 2)
    var speed = 2 / engagedFor
    let fast = 100e-6 * unit < 0.05 ? 100e-6 * unit : 0.05
    let calm = 5e-6 * unit < 0.003 ? 5e-6 * unit : 0.003
    if speed > fast { speed = fast }
    if speed < calm { speed = calm }

    let glideStep = clip(glide, 100e-6 * rate * time)
    glide -= glideStep
    let off = mean2 - target - glide
    drift = clip(drift + speed * speed * off * time / rate, Self.largestDrift)
    let wanted = drift + 1.4 * speed * off / rate + glideStep / (rate * time)
    let current = ratio - 1
    ratio =
      1 + clip(current + clip(wanted - current, Self.largestSlew * time), Self.largestDrift)
  }
}

@_noLocks
private func clip(_ value: Double, _ limit: Double) -> Double {
  value > limit ? limit : value < -limit ? -limit : value
}
