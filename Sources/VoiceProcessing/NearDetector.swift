import RenderCore

/// Tells whether someone near the microphone speaks, from what a frame is beside the echo that is known.
///
/// No single figure tells a voice from what a filter leaves of an echo, say after the room has changed.
/// So all that bears on it is noted (`Clue`), each as it is now and as means over some 80 and 400 ms, and
/// a network of one hidden layer weighs them: see `NearDetectorWeights`.
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

    static var count: Int { @_noLocks get { 19 } }
  }

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

  /// Bins that speech is looked for in.
  private let firstBin: Int
  private let endBin: Int
  /// The least power of a band.
  private let floor: Float
  /// What a power of 1 in a bin of a frame of 256 is.
  private let scale: Float
  /// The clues as they are, then their means over some 80 ms, then over some 400 ms.
  private let clues: SampleStorage
  /// For each band, the logarithms of what is left, of what was played and of the echo.
  private let shapes: SampleStorage
  /// What each clue mostly is, and by how much it varies, as a factor.
  private let means: SampleStorage
  private let scales: SampleStorage
  /// How much each clue counts, unit by unit; what each unit adds to that, and what it is worth.
  private let weights: SampleStorage
  private let biases: SampleStorage
  private let outputs: SampleStorage
  private let values: SampleStorage
  private let products: SampleStorage

  init(bandCount: Int, firstBin: Int, endBin: Int, scale: Float) {
    self.firstBin = firstBin
    self.endBin = endBin
    self.scale = scale
    floor = 1e-9 * scale
    clues = SampleStorage(repeating: 0, count: 3 * Clue.count)
    shapes = SampleStorage(repeating: 0, count: 3 * bandCount)
    means = SampleStorage(NearDetectorWeights.means)
    scales = SampleStorage(NearDetectorWeights.scales)
    weights = SampleStorage(NearDetectorWeights.units.flatMap(\.self))
    biases = SampleStorage(NearDetectorWeights.biases)
    outputs = SampleStorage(NearDetectorWeights.outputs)
    values = SampleStorage(repeating: 0, count: clues.count)
    products = SampleStorage(repeating: 0, count: clues.count)
    precondition(weights.count == clues.count * outputs.count, "each unit weighs all clues")
  }

  /// Judges a frame.
  ///
  /// - Parameters:
  ///   - spectra: What is compared.
  ///   - choice: Whose bands they are compared in.
  ///   - comparison: Of the loudness of what is left.
  ///   - presence: The coherence of the microphone with what is played, now and at its highest.
  @_noLocks
  mutating func judge(
    _ spectra: Spectra, bands choice: borrowing EchoChoice,
    comparison: borrowing EnvelopeComparison, presence: (now: Float, strongest: Float)
  ) {
    var (heard, left, noise, played, uncertain) = (Float(0), Float(0), Float(0), Float(0), Float(0))
    var (unexplained, unexplainedBands) = (Float(0), Float(0))
    var (share, leaks) = (Float(0), Float(0))
    var (keptLeft, mainLeft, lately) = (Float(0), Float(0), Float(0))
    var bands = 0
    for band in 0..<choice.bandCount {
      let (first, end) = (choice.first(band), choice.end(band))
      guard first >= firstBin && first < endBin else { continue }
      let rest = sum(spectra.left, first, end)
      let echo = sum(spectra.echo, first, end)
      let quiet = sum(spectra.noise, first, end)
      var source = floor
      for bin in first..<end { source += comparison.played(bin) }
      heard += sum(spectra.microphone, first, end)
      left += rest
      noise += quiet
      played += source
      uncertain += sum(spectra.uncertainty, first, end)
      let leak = spectra.leak[first]
      let ratio = Self.log(rest) - Self.log(leak * echo + quiet)
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
    weigh()
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
    let index = clue.rawValue
    let (short, long) = (Clue.count + index, 2 * Clue.count + index)
    clues[index] = value
    clues[short] += 0.1 * (value - clues[short])
    clues[long] += 0.02 * (value - clues[long])
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

  /// What the network makes of the clues.
  @_noLocks
  private mutating func weigh() {
    let count = clues.count
    let values = values.buffer(at: 0, count: count)
    let products = products.buffer(at: 0, count: count)
    for index in 0..<count {
      values[index] = Self.clamped((clues[index] - means[index]) * scales[index], -4, 4)
    }
    var sum = NearDetectorWeights.bias
    for unit in 0..<outputs.count {
      products.clear()
      products.add(values, times: weights.buffer(at: unit * count, count: count))
      let found = biases[unit] + products.sum()
      sum += outputs[unit] * found / (1 + abs(found))
    }
    probability = 1 / (1 + Float(renderExp(Double(-sum))))
  }
}
