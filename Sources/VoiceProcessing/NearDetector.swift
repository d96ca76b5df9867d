import RenderCore

/// Tells whether someone near the microphone speaks, from what a frame is beside the echo that is known.
///
/// No single figure tells a voice from what a filter leaves of an echo, say after the room has changed.
/// So all that bears on it is noted (`Clue`, `GroupClue`), and a recurrent network weighs it with what it
/// remembers of the frames before (`RecurrentNetwork`): its weights are made by `Tests/Peers/near-detector.py`.
struct NearDetector: ~Copyable {
  /// How likely it is that someone near speaks: from 0 to 1.
  private(set) var probability: Float = 0.5

  /// What bears on whether someone near speaks. Powers are compared by their logarithms to base 2.
  enum Clue: Int, CaseIterable {
    /// What is left, beside the microphone.
    case left
    /// What is left beside what the leaks of the echo and the noise explain, in the mean of the bands.
    case unexplained
    /// The share of the bands in which far more is left than that.
    case unexplainedShare
    /// How alike what is left and what is played are over the bands: a correlation.
    case playedShape
    /// The same of what is left and the echo.
    case echoShape
    /// What is left beside what the filter may be wrong by.
    case surprise
    /// What is left beside the noise.
    case loudness
    /// The microphone beside what is played.
    case coupling
    case played
    /// How much of the echo is believed, in the mean of the bands, and lately: see `EchoChoice`.
    case share
    case trust
    /// The coherence of the microphone with what is played, now and at its highest: see `DelaySearch`.
    case presence
    case strongest
    /// How alike the loudness of what is left and of what is played are: see `EnvelopeComparison`.
    case likeness
    /// How much of the echo is left when nobody near speaks, in the mean of the bands.
    case leak
    /// In how many of the bands the main filter and the shadow filter do better than the one that is kept.
    case better
    case shadowBetter
    /// What is left when the echo of the filter that is kept, and of the main one, is taken out as a whole.
    case keptLeft
    case mainLeft
    /// What the three filters leave in a hop, beside the microphone, and the least share that the main filter
    /// has left in the last seconds.
    case mainError
    case shadowError
    case keptError
    case bestError
    /// For how long the loudspeaker has been heard: 1 from 2.4 s on.
    case known

    static var count: Int { @_noLocks get { 24 } }
  }

  /// What bears on it in a group of two bands, the lowest first.
  enum GroupClue: Int, CaseIterable {
    /// What is left: beside the microphone, beside what the leaks of the echo and the noise explain, beside
    /// what is played, and beside the noise.
    case left
    case unexplained
    case played
    case loudness
    /// How alike the loudness of what is left and of what is played are.
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
    /// How much of the echo is left when nobody near speaks, as a factor.
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

  /// What a canceller's filters leave in the mean of the last 80 ms, in power.
  struct Errors {
    let main: Float
    let shadow: Float
    let kept: Float
    let microphone: Float
    /// The least share of the microphone that the main one has left in the last seconds.
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

  /// Bins that speech is looked for in.
  private let firstBin: Int
  private let endBin: Int
  /// The least power of a band.
  private let floor: Float
  /// What a power of 1 in a bin of a frame of 256 is.
  private let scale: Float
  /// In the order of `Clue`, then group by group in the order of `GroupClue`.
  private let clues: SampleStorage
  /// For each band, the logarithms of what is left, of what was played and of the echo.
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

  /// What the last frame was judged by.
  var lastClues: ChannelBuffer { @_noLocks get { clues.buffer(at: 0, count: clues.count) } }

  /// Judges a frame.
  ///
  /// - Parameters:
  ///   - spectra: What is compared.
  ///   - choice: Whose bands they are compared in.
  ///   - comparison: Of the loudness of what is left.
  ///   - presence: The coherence of the microphone with what is played, now and at its highest.
  ///   - errors: What the filters leave.
  ///   - known: For how long the loudspeaker has been heard: from 0 to 1.
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
      let remains = choice.remains(band)
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

  /// Below this nothing is compared: -80 dBFS in a hop of 128.
  private static var least: Float { @_noLocks get { 1e-6 } }

  /// What belongs to two neighbouring bands.
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
    // The exponent is the whole part; the mantissa goes on from there in a straight line.
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
