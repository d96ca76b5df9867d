import RenderCore

/// Keeps what is played in step with a microphone whose clock runs at another speed.
///
/// An adaptive filter follows an echo that comes ever later, or ever earlier, but always behind: the echo
/// that it models is a little early or late, and that shows as a phase that grows with the frequency.
/// This is followed until it vanishes: the far end is read at another speed, so that the path stands
/// still and the filter can settle.
///
/// Nothing is changed until a skew has been shown. From then on what is played is read some samples late,
/// since a sample between two others needs those that follow.
struct ClockSkew: ~Copyable {
  /// How fast the delay grows, in frames a frame.
  private(set) var rate = 0.0
  private(set) var isOn = false

  private let hop: Int
  private let ring: SampleStorage
  private var written = 0
  /// How far behind the newest frame is read, in frames.
  private var lag = 0.0
  private let table: SampleStorage
  private var mean: Float = 0
  private var weight: Float = 0
  /// The lateness of the last second, each hop's weighed by how certain it is, and the weights together; frames
  /// at 16 kHz. The square root of the weights is what chance makes of the former.
  private var weighedLateness: Float = 0
  private var certainty: Float = 0
  /// Hops in which it has learnt since it is on.
  private var settled = 0
  private let frames: Float

  private static var tapCount: Int { @_noLocks get { 12 } }
  private static var placeCount: Int { @_noLocks get { 128 } }
  /// Faster than any two clocks.
  private static var fastest: Double { @_noLocks get { 0.0005 } }

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

  /// Forgets the skew.
  @_noLocks
  mutating func restart() {
    isOn = false
    rate = 0
    lag = 0
    mean = 0
    weight = 0
    weighedLateness = 0
    certainty = 0
    settled = 0
  }

  /// Notes how late the echo is beside the one that the filter models.
  ///
  /// - Parameters:
  ///   - lateness: In frames.
  ///   - variance: How uncertain that is, in frames squared.
  @_noLocks
  mutating func note(lateness: Float, variance: Float) {
    // A tenth of a frame at 16 kHz is worth as much as what is expected beforehand.
    let trust = 1 / (1 + variance / (0.01 * frames * frames))
    let limit = 2 * frames
    let late = lateness > limit ? limit : lateness < -limit ? -limit : lateness
    if isOn {
      // Fast in the first seconds: the time that the filter is behind by is some 20 hops.
      if trust > 0.3 && settled < 400 { settled += 1 }
      let haste = settled < 400 ? 700.0 : 2500
      rate += Double(trust * late) / (haste * Double(hop))
      limitRate()
      return
    }
    mean += 0.01 * trust * (late - mean)
    weight += 0.01 * (trust - weight)
    if variance < 1e8 {
      let worth = 1 / (variance / (frames * frames) + 0.01)
      weighedLateness = 0.99 * weighedLateness + worth * late / frames
      certainty = 0.99 * certainty + worth
    }
    if weight > 0.2 && (mean > 0.04 * frames || mean < -0.04 * frames) {
      isOn = true
    } else if isBeyondChance {
      // Hops that say as little as these would take long to find the rate from nothing. The filter is behind by
      // some 20 of them.
      isOn = true
      mean = weighedLateness / certainty * frames
      rate = Double(mean) / (20 * Double(hop))
      limitRate()
    }
  }

  @_noLocks
  private mutating func limitRate() {
    rate = rate > Self.fastest ? Self.fastest : rate < -Self.fastest ? -Self.fastest : rate
  }

  /// Whether all hops together show what none of them does: an echo that a filter leaves half of says little of
  /// where it is, and is left by half since it moves. Where the clocks agree 5 deviations were the most in 60
  /// conversations.
  private var isBeyondChance: Bool {
    @_noLocks get {
      let size = weighedLateness < 0 ? -weighedLateness : weighedLateness
      return size > 0.04 * certainty && size * size > 144 * certainty
    }
  }

  /// By how many frames, at least and at most, what is played has to be read later from the next hop on, so that
  /// all that is read has been played: `nil` where it has.
  ///
  /// Where an echo comes ever earlier it is read ever less late, so that some reserve is wanted; but an echo
  /// that comes by less than that would be lost.
  var lack: ClosedRange<Int>? {
    @_noLocks get {
      guard isOn, lag < Double(Self.tapCount / 2) + 0.5 else { return nil }
      let least = lag == 0 ? Self.tapCount / 2 : 0
      guard rate < 0 || mean < 0 else { return least > 0 ? least...least : nil }
      return (least + Int(4 * frames))...(least + Int(32 * frames))
    }
  }

  /// Reads what is played later from the next hop on.
  @_noLocks
  mutating func fallBack(by count: Int) { lag += Double(count) }

  /// Puts what belongs to the microphone's hop in the place of what is played.
  ///
  /// - Returns: Whether what is played is read far earlier from the next hop on.
  @_noLocks
  mutating func follow(_ far: ChannelBuffer) -> Bool {
    let mask = ring.count - 1
    for index in 0..<hop { ring[(written + index) & mask] = far[index] }
    let begin = written
    written = (written + hop) & mask
    guard isOn else { return false }
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
    // The ring ends somewhere.
    guard lag > Double(ring.count - 2 * hop) else { return false }
    lag -= Double(ring.count - 8 * hop)
    return true
  }
}
