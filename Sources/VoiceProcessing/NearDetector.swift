import RenderCore

/// Estimates the probability of near-end speech in a frame.
///
/// No single number tells speech from residual echo, for instance after the room has changed. So
/// all clues (`Clue`, `GroupClue`) are the inputs of a recurrent network (`RecurrentNetwork`),
/// whose weights `Tests/Peers/near-detector.py` trains.
struct NearDetector: ~Copyable {
  /// The probability of near-end speech.
  private(set) var probability: Float = 0.5

  /// The inputs of the network. "A relative to B" is the difference of the logarithms, to base 2,
  /// of their powers. The residual is the microphone without the subtracted echo.
  enum Clue: Int, CaseIterable {
    /// The residual relative to the microphone.
    case left
    /// The residual relative to the expected residual echo plus noise, as the mean of the bands.
    case unexplained
    /// The share of the bands in which that is above 1.3.
    case unexplainedShare
    /// The correlation of the residual with the far end over the bands.
    case playedShape
    /// The correlation of the residual with the echo over the bands.
    case echoShape
    /// The residual relative to the expected squared error of the filter.
    case surprise
    /// The residual relative to the noise.
    case loudness
    /// The microphone relative to the far end; then the far end itself.
    case coupling
    case played
    /// The share of the echo that is subtracted, as the mean of the bands; then `EchoChoice.trust`.
    case share
    case trust
    /// The coherence of the microphone with the far end: now, and the highest so far: see
    /// `DelaySearch`.
    case presence
    case strongest
    /// The correlation of the envelopes of residual and far end: see `EnvelopeComparison`.
    case likeness
    /// The leak of the echo without near-end speech, as the mean of the bands.
    case leak
    /// The share of the bands in which the main filter, and the shadow filter, is better than the
    /// kept one.
    case better
    case shadowBetter
    /// The residual relative to the microphone when all of the echo is subtracted: of the kept
    /// filter, and of the main one.
    case keptLeft
    case mainLeft
    /// The residual of each filter in a hop relative to the microphone, and the lowest of the main
    /// filter in the last seconds.
    case mainError
    case shadowError
    case keptError
    case bestError
    /// The time for which the loudspeaker has been heard: 1 from 2.4 s on.
    case known

    static var count: Int { @_noLocks get { 24 } }
  }

  /// The inputs for a group of two bands, the lowest first.
  enum GroupClue: Int, CaseIterable {
    /// The residual relative to the microphone, to the expected residual echo plus noise, to the
    /// far end, and to the noise.
    case left
    case unexplained
    case played
    case loudness
    /// The correlation of the envelopes of residual and far end.
    case likeness

    static var count: Int { @_noLocks get { 5 } }
  }

  /// Groups of two bands, up to 4 kHz: as many as there are at 8 kHz.
  static var groupCount: Int { @_noLocks get { 6 } }
  static var clueCount: Int { @_noLocks get { Clue.count + groupCount * GroupClue.count } }

  /// The spectra of a frame, in power, bin by bin.
  struct Spectra {
    let microphone: ChannelBuffer
    let left: ChannelBuffer
    let echo: ChannelBuffer
    /// The leak of the echo without near-end speech, as a factor.
    let leak: ChannelBuffer
    let noise: ChannelBuffer
    /// The expected squared error of the echo.
    let uncertainty: ChannelBuffer

    @_noLocks
    init(
      microphone: ChannelBuffer, left: ChannelBuffer, echo: ChannelBuffer, leak: ChannelBuffer,
      noise: ChannelBuffer, uncertainty: ChannelBuffer
    ) {
      self.microphone = microphone
      self.left = left
      self.echo = echo
      self.leak = leak
      self.noise = noise
      self.uncertainty = uncertainty
    }
  }

  /// The residual power of a canceller's filters, averaged over the last 80 ms.
  struct Errors {
    let main: Float
    let shadow: Float
    let kept: Float
    let microphone: Float
    /// The lowest ratio of the residual of the main filter to the microphone in the last seconds.
    let best: Float

    @_noLocks
    init(main: Float, shadow: Float, kept: Float, microphone: Float, best: Float) {
      self.main = main
      self.shadow = shadow
      self.kept = kept
      self.microphone = microphone
      self.best = best
    }
  }

  /// The range of bins for speech.
  private let firstBin: Int
  private let endBin: Int
  /// The least power of a band.
  private let floor: Float
  /// Converts the power in a bin of a frame of 256 samples to that of a frame of this length.
  private let scale: Float
  /// In the order of `Clue`, then group by group in the order of `GroupClue`.
  private let clues: SampleStorage
  /// For each band, the logarithms of residual, far end and echo.
  private let shapes: SampleStorage
  private var network: RecurrentNetwork

  init(bandCount: Int, firstBin: Int, endBin: Int, scale: Float) {
    self.firstBin = firstBin
    self.endBin = endBin
    self.scale = scale
    floor = 1e-9 * scale
    clues = SampleStorage(repeating: 0, count: Self.clueCount)
    shapes = SampleStorage(repeating: 0, count: 3 * bandCount)
    network = RecurrentNetwork(NearDetectorWeights.network)
    precondition(network.inputCount == Self.clueCount, "the network weighs all clues")
  }

  /// The clues of the last frame.
  var lastClues: ChannelBuffer { @_noLocks get { clues.buffer(at: 0, count: clues.count) } }

  /// Judges a frame.
  ///
  /// - Parameters:
  ///   - spectra: The powers of the frame.
  ///   - choice: Defines the bands.
  ///   - comparison: The comparison of the envelopes.
  ///   - presence: The coherence of the microphone with the far end: now, and the highest so far.
  ///   - errors: The residuals of the filters.
  ///   - known: How long the loudspeaker has been heard: from 0 to 1.
  @_noLocks
  mutating func judge(
    _ spectra: Spectra, bands choice: borrowing EchoChoice,
    comparison: borrowing EnvelopeComparison, presence: (now: Float, strongest: Float),
    errors: Errors, known: Float
  ) {
    var (heard, left, noise, played, uncertain) = (Float(0), Float(0), Float(0), Float(0), Float(0))
    var (unexplained, unexplainedBands) = (Float(0), Float(0))
    var (share, leaks) = (Float(0), Float(0))
    var (keptLeft, mainLeft, lately) = (Float(0), Float(0), Float(0))
    var group = Group()
    var bands = 0
    for band in 0..<choice.bandCount {
      let (first, end) = (choice.first(band), choice.end(band))
      guard first >= firstBin && first < endBin else { continue }
      let rest = sum(spectra.left, first, end)
      let echo = sum(spectra.echo, first, end)
      let quiet = sum(spectra.noise, first, end)
      var source = floor
      for bin in first..<end { source += comparison.played(bin) }
      let whole = sum(spectra.microphone, first, end)
      heard += whole
      left += rest
      noise += quiet
      played += source
      uncertain += sum(spectra.uncertainty, first, end)
      let leak = spectra.leak[first]
      let ratio = Self.log(rest) - Self.log(leak * echo + quiet)
      group.heard += whole
      group.left += rest
      group.explained += leak * echo + quiet
      group.played += source
      group.noise += quiet
      group.likeness += comparison.likeness(inBand: band)
      unexplained += Self.clamped(ratio, -3, 8)
      if ratio > 1.3 { unexplainedBands += 1 }
      share += choice.share(band)
      leaks += Self.log(leak)
      let remains = choice.residuals(band)
      keptLeft += remains.kept
      mainLeft += remains.main
      lately += remains.heard
      shapes[3 * bands] = Self.log(rest + 2 * quiet)
      shapes[3 * bands + 1] = Self.log(source + 30 * floor)
      shapes[3 * bands + 2] = Self.log(echo + 2 * quiet)
      if bands % 2 == 1 {
        note(group, bands / 2)
        group = Group()
      }
      bands += 1
    }
    guard bands > 0 else { return }
    let count = Float(bands)
    note(.left, Self.log(left) - Self.log(heard))
    note(.unexplained, unexplained / count)
    note(.unexplainedShare, unexplainedBands / count)
    note(.playedShape, likeness(0, 1, bands))
    note(.echoShape, likeness(0, 2, bands))
    note(.surprise, Self.clamped(Self.log(left) - Self.log(uncertain), -8, 12))
    note(.loudness, Self.clamped(Self.log(left) - Self.log(noise), -127, 12))
    note(
      .coupling, Self.clamped(Self.log(heard) - Self.log(played + 1000 * floor), -10, 10))
    note(.played, Self.log(played + 100 * floor) - Self.log(scale))
    note(.share, share / count)
    note(.trust, choice.trust)
    note(.presence, presence.now)
    note(.strongest, presence.strongest)
    note(.likeness, comparison.likeness)
    note(.leak, leaks / count)
    note(.better, choice.betterShare)
    note(.shadowBetter, choice.shadowShare)
    let whole = Self.log(lately + floor)
    note(.keptLeft, Self.clamped(Self.log(keptLeft + floor) - whole, -8, 3))
    note(.mainLeft, Self.clamped(Self.log(mainLeft + floor) - whole, -8, 3))
    let microphone = Self.log(errors.microphone + Self.least)
    note(.mainError, Self.clamped(Self.log(errors.main + Self.least) - microphone, -10, 3))
    note(.shadowError, Self.clamped(Self.log(errors.shadow + Self.least) - microphone, -10, 3))
    note(.keptError, Self.clamped(Self.log(errors.kept + Self.least) - microphone, -10, 3))
    note(.bestError, Self.clamped(Self.log(errors.best + Self.least), -12, 1))
    note(.known, known)
    let found = network.judge(lastClues)
    probability = 1 / (1 + Float(renderExp(Double(-found))))
  }

  /// The floor of residual powers: -80 dBFS in a hop of 128 frames.
  private static var least: Float { @_noLocks get { 1e-6 } }

  /// The powers of two neighbouring bands.
  private struct Group: BitwiseCopyable {
    var heard: Float = 0
    var left: Float = 0
    var explained: Float = 0
    var played: Float = 0
    var noise: Float = 0
    var likeness: Float = 0

    @_noLocks
    init() {}
  }

  @_noLocks
  private mutating func note(_ group: Group, _ number: Int) {
    guard number < Self.groupCount else { return }
    let start = Clue.count + number * GroupClue.count
    let left = Self.log(group.left)
    clues[start + GroupClue.left.rawValue] = left - Self.log(group.heard)
    clues[start + GroupClue.unexplained.rawValue] = Self.clamped(
      left - Self.log(group.explained), -3, 10)
    clues[start + GroupClue.played.rawValue] = Self.clamped(
      left - Self.log(group.played + 100 * floor), -16, 10)
    clues[start + GroupClue.loudness.rawValue] = Self.clamped(
      left - Self.log(group.noise), -2, 14)
    clues[start + GroupClue.likeness.rawValue] = group.likeness / 2
  }

  @_noLocks
  private func sum(_ power: ChannelBuffer, _ first: Int, _ end: Int) -> Float {
    var sum = floor
    for bin in first..<end { sum += power[bin] }
    return sum
  }

  /// The logarithm to base 2, within 0.09.
  @_noLocks
  private static func log(_ power: Float) -> Float {
    // The exponent is the whole part; the mantissa interpolates linearly.
    Float(power.bitPattern) * (1 / 8_388_608) - 127
  }

  @_noLocks
  private static func clamped(_ value: Float, _ low: Float, _ high: Float) -> Float {
    value < low ? low : value > high ? high : value
  }

  @_noLocks
  private mutating func note(_ clue: Clue, _ value: Float) {
    clues[clue.rawValue] = value
  }

  /// The correlation of two of the shapes over some bands.
  @_noLocks
  private func likeness(_ first: Int, _ second: Int, _ count: Int) -> Float {
    var (firstMean, secondMean) = (Float(0), Float(0))
    for band in 0..<count {
      firstMean += shapes[3 * band + first]
      secondMean += shapes[3 * band + second]
    }
    firstMean /= Float(count)
    secondMean /= Float(count)
    var (product, firstSquare, secondSquare) = (Float(0), Float(0.1), Float(0.1))
    for band in 0..<count {
      let (a, b) = (shapes[3 * band + first] - firstMean, shapes[3 * band + second] - secondMean)
      product += a * b
      firstSquare += a * a
      secondSquare += b * b
    }
    return product / renderSquareRoot(firstSquare * secondSquare)
  }
}
