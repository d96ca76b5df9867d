import RenderCore

/// Resamples the far end to the clock of the microphone, where the two clocks differ in speed.
///
/// With a skew, the delay of the echo drifts, and an adaptive filter tracks it with a lag: the
/// modelled echo is a little early or late, which shows as a phase error that grows with the
/// frequency. The rate at which the far end is read is adjusted until that error is gone, so that
/// the echo path stands still and the filter can converge.
///
/// The far end passes unchanged until a skew is significant. From then on it is read some samples
/// late, because interpolation needs the samples that follow.
struct ClockSkew: ~Copyable {
  /// The growth of the delay, in frames per frame.
  private(set) var rate = 0.0
  private(set) var isCompensating = false

  private let hop: Int
  private let ring: SampleStorage
  private var written = 0
  /// How far behind the newest frame is read, in frames.
  private var lag = 0.0
  private let table: SampleStorage
  private var mean: Float = 0
  private var weight: Float = 0
  /// The sum of the lateness of the hops of about the last second, in frames at 16 kHz, each
  /// weighted by the inverse of its variance plus a floor, and the sum of the weights. Without a
  /// skew, the standard deviation of the first is the square root of the second.
  private var weightedLateness: Float = 0
  private var weightSum: Float = 0
  /// Hops with a certain lateness since the compensation began; at most 400.
  private var adaptedHops = 0
  /// A frame at 16 kHz, in frames.
  private let frames: Float

  private static var tapCount: Int { @_noLocks get { 12 } }
  private static var placeCount: Int { @_noLocks get { 128 } }
  /// More than the skew of any two clocks.
  private static var largestRate: Double { @_noLocks get { 0.0005 } }

  init(hop: Int, sampleRate: Double) {
    self.hop = hop
    frames = Float(sampleRate / 16_000)
    var length = 1
    while length < 16 * hop { length *= 2 }
    ring = SampleStorage(repeating: 0, count: length)
    let (taps, places) = (Self.tapCount, Self.placeCount)
    var rows: [Float] = []
    for place in 0...places {
      for tap in 0..<taps {
        let offset = Double(tap - taps / 2 + 1) - Double(place) / Double(places)
        let edge = offset / (Double(taps / 2) + 0.5)
        let window = abs(edge) < 1 ? 0.5 * (1 + renderCosine(Double.pi * edge)) : 0
        let sinc = offset == 0 ? 1 : renderSine(Double.pi * offset) / (Double.pi * offset)
        rows.append(Float(sinc * window))
      }
    }
    table = SampleStorage(rows)
  }

  /// Updates the rate from the lateness of the echo relative to the modelled one.
  ///
  /// - Parameters:
  ///   - lateness: In frames.
  ///   - variance: The variance of the lateness, in frames squared.
  @_noLocks
  mutating func note(lateness: Float, variance: Float) {
    // A standard deviation of a tenth of a frame at 16 kHz has the same weight as the prior.
    let trust = 1 / (1 + variance / (0.01 * frames * frames))
    let limit = 2 * frames
    let late = lateness > limit ? limit : lateness < -limit ? -limit : lateness
    if isCompensating {
      // Fast in the first seconds: the lag of the filter is some 20 hops.
      if trust > 0.3 && adaptedHops < 400 { adaptedHops += 1 }
      let haste = adaptedHops < 400 ? 700.0 : 2500
      rate += Double(trust * late) / (haste * Double(hop))
      limitRate()
      return
    }
    mean += 0.01 * trust * (late - mean)
    weight += 0.01 * (trust - weight)
    if variance < 1e8 {
      let worth = 1 / (variance / (frames * frames) + 0.01)
      weightedLateness = 0.99 * weightedLateness + worth * late / frames
      weightSum = 0.99 * weightSum + worth
    }
    if weight > 0.2 && (mean > 0.04 * frames || mean < -0.04 * frames) {
      isCompensating = true
    } else if isBeyondChance {
      // Hops as uncertain as these would take long to find the rate from 0. The lag of the filter
      // is some 20 hops.
      isCompensating = true
      mean = weightedLateness / weightSum * frames
      rate = Double(mean) / (20 * Double(hop))
      limitRate()
    }
  }

  @_noLocks
  private mutating func limitRate() {
    rate =
      rate > Self.largestRate
      ? Self.largestRate : rate < -Self.largestRate ? -Self.largestRate : rate
  }

  /// Whether all hops together show a skew that no single hop does: 12 standard deviations. A
  /// filter that removes only half of a drifting echo says little about its position. Without a
  /// skew, 60 conversations reached at most 5 standard deviations.
  private var isBeyondChance: Bool {
    @_noLocks get {
      let size = weightedLateness < 0 ? -weightedLateness : weightedLateness
      return size > 0.04 * weightSum && size * size > 144 * weightSum
    }
  }

  /// The least and the most frames to add to the lag before the next hop, so that only frames that
  /// have been played are read; `nil` where the lag is enough.
  ///
  /// If the echo comes ever earlier, the lag shrinks, which needs a reserve. But an echo with a
  /// delay below the added lag would be lost.
  var missingLag: ClosedRange<Int>? {
    @_noLocks get {
      guard isCompensating, lag < Double(Self.tapCount / 2) + 0.5 else { return nil }
      let least = lag == 0 ? Self.tapCount / 2 : 0
      guard rate < 0 || mean < 0 else { return least > 0 ? least...least : nil }
      return (least + Int(4 * frames))...(least + Int(32 * frames))
    }
  }

  /// Adds frames to the lag, from the next hop on.
  @_noLocks
  mutating func increaseLag(by count: Int) { lag += Double(count) }

  /// Replaces a hop of the far end by the one that is in step with the microphone's hop.
  ///
  /// - Returns: Whether the lag has been cut because the ring was too short: the echo path is
  ///   another one from the next hop on.
  @_noLocks
  mutating func compensate(_ far: ChannelBuffer) -> Bool {
    let mask = ring.count - 1
    for index in 0..<hop { ring[(written + index) & mask] = far[index] }
    let begin = written
    written = (written + hop) & mask
    guard isCompensating else { return false }
    let (taps, places) = (Self.tapCount, Self.placeCount)
    for index in 0..<hop {
      lag += rate
      let whole = Int(lag)
      // `lag` frames back is `1 - share` of a frame behind the frame before.
      let share = 1 - (lag - Double(whole))
      let place = share * Double(places)
      let row = Int(place)
      let part = Float(place - Double(row))
      let first = begin + index - whole - 1 - taps / 2 + 1 + ring.count
      var sum: Float = 0
      let low = row * taps
      let high = row < places ? low + taps : low
      for tap in 0..<taps {
        let weight = table[low + tap] + part * (table[high + tap] - table[low + tap])
        sum += ring[(first + tap) & mask] * weight
      }
      far[index] = sum
    }
    // A lag beyond the ring cannot be read.
    guard lag > Double(ring.count - 2 * hop) else { return false }
    lag -= Double(ring.count - 8 * hop)
    return true
  }
}
