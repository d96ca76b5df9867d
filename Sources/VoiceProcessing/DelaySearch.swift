import RenderCore

/// Finds the delay of the echo in whole hops, and delays the far end by as much.
///
/// It compares the coherence of the microphone with the far end 0, 1, 2, … hops earlier, in each
/// bin from 200 Hz to 3.8 kHz, over some 0.3 s. An echo, however weak, stands out at one delay, and
/// decays behind it as the room does. Near-end speech lowers the coherence at all delays alike. The
/// echo filter covers a room, so that a delay in whole hops is exact enough.
struct DelaySearch: ~Copyable {
  /// In hops.
  private(set) var delay = 0

  /// The coherence of the microphone with the far end at the present delay: from 0 to 1.
  private(set) var presence: Float = 0

  private let hop: Int
  /// Whether `delay` may change.
  private let searches: Bool
  /// The longest delay that is compared.
  private let longest: Int
  /// Hops of the echo path that the filter covers, from the delay on.
  private let covered: Int
  /// The bins that are compared.
  private let firstBin: Int
  private let binCount: Int
  private var fft: RealFFT
  private let frame: SampleStorage
  private let spectrum: SpectrumStorage
  /// The far end as a ring of `longest + 1` hops, with the spectrum of each hop and the smoothed
  /// power up to it.
  private let history: SampleStorage
  private let played: SpectrumStorage
  private let playedMeans: RowStorage
  private let heard: SpectrumStorage
  private let heardMean: SampleStorage
  /// For each delay, the smoothed cross-spectrum: the microphone times the conjugate of the far
  /// end.
  private let products: SpectrumStorage
  private let power: SampleStorage
  /// The coherence at each delay, from 0 to 1.
  private let coherences: SampleStorage
  private var newest = 0
  /// Hops compared so far; only those in which the far end may be heard.
  private(set) var comparedHops = 0
  /// Hops for which the far end may still be heard.
  private var soundingHops = 0
  private var candidate = 0
  /// How clearly the candidate has been the best delay: the sum over decisions, each at most 1, for
  /// a coherence of 0.1 or more.
  private var evidence: Float = 0
  private var hasFound = false

  /// A hop's share in the means.
  private static var rate: Float { @_noLocks get { 0.025 } }
  /// Hops from the delay on in which the echo counts for `presence`.
  private static var echoHops: Int { @_noLocks get { 7 } }
  /// Hops from one decision to the next.
  private static var decisionInterval: Int { @_noLocks get { 4 } }

  /// - Parameters:
  ///   - hop: In frames.
  ///   - sampleRate: In Hz.
  ///   - longest: The longest delay, in hops; 0 for no search.
  ///   - covered: Hops of the echo path that the filter covers, from the delay on.
  init(hop: Int, sampleRate: Double, longest: Int, covered: Int) {
    self.hop = hop
    searches = longest > 0
    let longest = max(longest, Self.echoHops)
    self.longest = longest
    self.covered = covered
    let width = sampleRate / Double(2 * hop)
    firstBin = max(1, Int((200 / width).rounded()))
    binCount = min(hop, Int((3800 / width).rounded())) - firstBin + 1
    let rows = longest + 1
    fft = RealFFT(length: 2 * hop)
    frame = SampleStorage(repeating: 0, count: 4 * hop)
    spectrum = SpectrumStorage(rowCount: 1, binCount: hop + 1)
    history = SampleStorage(repeating: 0, count: rows * hop)
    // Whole vectors; the numbers behind the bins stay 0.
    let length = VectorMath.rowLength(binCount)
    played = SpectrumStorage(rowCount: rows, binCount: length)
    playedMeans = RowStorage(rowCount: rows, count: length)
    heard = SpectrumStorage(rowCount: 1, binCount: length)
    heardMean = SampleStorage(repeating: 0, count: length)
    products = SpectrumStorage(rowCount: rows, binCount: length)
    power = SampleStorage(repeating: 0, count: length)
    coherences = SampleStorage(repeating: 0, count: rows)
  }

  /// Replaces a hop of the far end by the one `delay` hops ago, after updating `delay`.
  ///
  /// - Returns: Whether `delay` has changed.
  @_noLocks
  mutating func align(_ far: ChannelBuffer, _ near: ChannelBuffer) -> Bool {
    newest = newest == longest ? 0 : newest + 1
    history.buffer(at: newest * hop, count: hop).copy(from: far)
    let frame = frame.buffer(at: 0, count: 2 * hop)
    frame.copy(from: frame.dropping(hop))
    frame.dropping(hop).copy(from: far)
    let present = played[newest]
    transform(frame, into: present)
    average(present, playedMeans[newest], from: playedMeans[row(1)])
    soundingHops = far.energy() > 1e-6 * Float(hop) ? longest + covered : soundingHops - 1
    var isNew = false
    if soundingHops > 0 {
      compare(near)
      comparedHops += 1
      if comparedHops % Self.decisionInterval == 0 { isNew = choose() }
    }
    far.copy(from: history.buffer(at: row(delay) * hop, count: hop))
    return isNew
  }

  @_noLocks
  private func row(_ ago: Int) -> Int {
    let row = newest - ago
    return row < 0 ? row + longest + 1 : row
  }

  /// Transforms a frame of two hops, and keeps the bins that are compared.
  @_noLocks
  private mutating func transform(_ frame: ChannelBuffer, into bins: Spectrum) {
    fft.forward(frame, into: spectrum[0])
    bins.real.copy(from: spectrum[0].real.dropping(firstBin).prefix(binCount))
    bins.imaginary.copy(from: spectrum[0].imaginary.dropping(firstBin).prefix(binCount))
  }

  @_noLocks
  private mutating func average(
    _ bins: Spectrum, _ mean: ChannelBuffer, from before: ChannelBuffer
  ) {
    let power = power.buffer(at: 0, count: power.count)
    bins.power(into: power)
    for bin in 0..<binCount { mean[bin] = before[bin] + Self.rate * (power[bin] - before[bin]) }
  }

  @_noLocks
  private mutating func compare(_ near: ChannelBuffer) {
    let frame = frame.buffer(at: 2 * hop, count: 2 * hop)
    frame.dropping(hop).copy(from: near)
    transform(frame, into: heard[0])
    // Loud hops are scaled down; otherwise a voice near the microphone would dominate the means for
    // seconds.
    heard[0].multiply(by: 1 / renderSquareRoot(renderSquareRoot(near.energy() + 1e-9 * Float(hop))))
    let mean = heardMean.buffer(at: 0, count: binCount)
    average(heard[0], mean, from: mean)
    for ago in 0...longest {
      products[ago].average(share: Self.rate, conjugate: played[row(ago)], times: heard[0])
    }
  }

  /// The coherence of the microphone with the far end some hops ago.
  @_noLocks
  private mutating func coherence(_ ago: Int) -> Float {
    // The first half of the microphone frame is silence.
    products[ago].coherence(
      playedMeans[row(ago)], heardMean.buffer(at: 0, count: heardMean.count), least: 1e-16)
      / Float(binCount)
  }

  /// Updates `presence`, and `delay` where an echo stands out elsewhere. Returns whether the delay
  /// has changed.
  @_noLocks
  private mutating func choose() -> Bool {
    var (mean, best) = (Float(0), 0)
    for ago in 0...longest {
      let coherence = coherence(ago)
      coherences[ago] = coherence
      mean += coherence
      if coherence > coherences[best] { best = ago }
    }
    mean /= Float(longest + 1)
    // Delays with a coherence below the mean count as without an echo.
    var (chance, square, count) = (Float(0), Float(0), Float(0))
    var present: Float = 0
    for ago in 0...longest {
      let coherence = coherences[ago]
      if coherence < mean {
        chance += coherence
        square += coherence * coherence
        count += 1
      }
      if ago >= delay && ago < delay + Self.echoHops && coherence > present { present = coherence }
    }
    presence = present
    guard searches && count > 0 else { return false }
    chance /= count
    square = square / count - chance * chance
    let deviation = renderSquareRoot(square > 0 ? square : 0)
    let isShown =
      coherences[best] > 0.03 && coherences[best] > 2.2 * chance
      && coherences[best] > chance + 8 * deviation && coherences[best] > 1.3 * present
    guard isShown else {
      evidence = 0
      return false
    }
    let isSame = best >= candidate - 1 && best <= candidate + 1
    candidate = best
    let strength = 100 * coherences[best] * coherences[best]
    evidence = (isSame ? evidence : 0) + (strength < 1 ? strength : 1)
    guard evidence >= (hasFound ? 5 : 3) else { return false }
    hasFound = true
    // A hop or two of margin.
    let wanted = best > 2 ? best - 2 : 0
    let change = wanted - delay
    guard change < -2 || change > 3 else { return false }
    delay = wanted
    evidence = 0
    return true
  }
}
