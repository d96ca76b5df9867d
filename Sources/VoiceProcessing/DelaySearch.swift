import RenderCore

/// Finds how many hops an echo is late, and holds back what was played by as much.
///
/// The coherence of the microphone with what was played 0, 1, 2, … hops before, in each bin from 200 Hz to
/// 3.8 kHz, over some 0.3 s: where a loudspeaker is heard, its sound stands out at one delay, however
/// weak it is beside the loudspeaker itself, and dies away behind it as the room does. Speech of the near
/// end lowers all of them alike.
/// A filter that covers a room needs the delay to the hop at most.
struct DelaySearch: ~Copyable {
  /// In hops.
  private(set) var delay = 0

  /// The coherence of the microphone with what is played, at the delay that is taken: from 0 to 1.
  private(set) var presence: Float = 0

  private let hop: Int
  /// Whether another delay is taken where it is found.
  private let moves: Bool
  /// The longest delay that is compared.
  private let longest: Int
  /// Hops of room that are covered from a delay on.
  private let covered: Int
  /// The bins that are compared.
  private let firstBin: Int
  private let binCount: Int
  private var fft: RealFFT
  private let frame: SampleStorage
  private let spectrum: SpectrumStorage
  /// Hops that have been played, as a ring of `longest + 1`, with their spectra, and the mean power of
  /// those until then.
  private let history: SampleStorage
  private let played: SpectrumStorage
  private let playedMeans: RowStorage
  private let heard: SpectrumStorage
  private let heardMean: SampleStorage
  /// For each delay: the mean of what is heard times the conjugate of what was played.
  private let products: SpectrumStorage
  private let power: SampleStorage
  /// For each delay, from 0 to 1.
  private let coherences: SampleStorage
  private var newest = 0
  /// Hops that have been compared: with something to hear of what was played.
  private(set) var comparedHops = 0
  /// Hops for which what was played is still heard.
  private var sounding = 0
  private var candidate = 0
  /// How clearly it has been the best one: a coherence of 0.1 and more counts 1 at each decision.
  private var evidence: Float = 0
  private var hasFound = false

  /// A hop's share in the means.
  private static var rate: Float { @_noLocks get { 0.025 } }
  /// Hops from a delay on in which its echo is looked for.
  private static var near: Int { @_noLocks get { 7 } }
  /// Hops from one decision to the next.
  private static var turn: Int { @_noLocks get { 4 } }

  /// - Parameters:
  ///   - hop: In frames.
  ///   - sampleRate: In Hz.
  ///   - longest: The longest delay, in hops; 0 where none is looked for.
  ///   - covered: Hops of room that the filter covers from a delay on.
  init(hop: Int, sampleRate: Double, longest: Int, covered: Int) {
    self.hop = hop
    moves = longest > 0
    let longest = max(longest, Self.near)
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
    // Whole vectors; what is behind the bins stays 0.
    let length = VectorMath.rowLength(binCount)
    played = SpectrumStorage(rowCount: rows, binCount: length)
    playedMeans = RowStorage(rowCount: rows, count: length)
    heard = SpectrumStorage(rowCount: 1, binCount: length)
    heardMean = SampleStorage(repeating: 0, count: length)
    products = SpectrumStorage(rowCount: rows, binCount: length)
    power = SampleStorage(repeating: 0, count: length)
    coherences = SampleStorage(repeating: 0, count: rows)
  }

  /// Puts what was played `delay` hops ago in the place of what is played, after looking whether the
  /// delay is another one.
  ///
  /// - Returns: Whether the delay is another one.
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
    sounding = far.energy() > 1e-6 * Float(hop) ? longest + covered : sounding - 1
    var isNew = false
    if sounding > 0 {
      compare(near)
      comparedHops += 1
      if comparedHops % Self.turn == 0 { isNew = choose() }
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
    // Each hop counts alike: else a voice near the microphone would be in the means for seconds after.
    heard[0].multiply(by: 1 / renderSquareRoot(renderSquareRoot(near.energy() + 1e-9 * Float(hop))))
    let mean = heardMean.buffer(at: 0, count: binCount)
    average(heard[0], mean, from: mean)
    for ago in 0...longest {
      products[ago].average(share: Self.rate, conjugate: played[row(ago)], times: heard[0])
    }
  }

  /// The coherence of what is heard with what was played some hops ago.
  @_noLocks
  private mutating func coherence(_ ago: Int) -> Float {
    // Half of a frame that is heard is silence.
    products[ago].coherence(
      playedMeans[row(ago)], heardMean.buffer(at: 0, count: heardMean.count), least: 1e-16)
      / Float(binCount)
  }

  /// Takes a new delay where an echo stands out there, and is not covered yet.
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
    // Where no echo is: below the mean.
    var (chance, square, count) = (Float(0), Float(0), Float(0))
    var present: Float = 0
    for ago in 0...longest {
      let coherence = coherences[ago]
      if coherence < mean {
        chance += coherence
        square += coherence * coherence
        count += 1
      }
      if ago >= delay && ago < delay + Self.near && coherence > present { present = coherence }
    }
    presence = present
    guard moves && count > 0 else { return false }
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
