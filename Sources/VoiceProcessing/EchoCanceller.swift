import RenderCore

/// Takes out of a microphone's signal what a loudspeaker brings into it, a hop at a time.
///
/// A partitioned-block filter in the frequency domain whose step sizes are those of a Kalman filter
/// with a diagonal covariance (see `KalmanBins`; F. Kuech, E. Mabande and G. Enzner, "State-space
/// architecture of the partitioned-block-based acoustic echo controller", ICASSP 2014): a bin that has
/// heard little of the far end is still uncertain and adapts fast, and speech of the near end, which
/// no filter explains, slows the adaptation down by itself.
///
/// Four things go beyond that:
/// - **A shadow filter**, shorter and quick to forget, tells when the room has changed: where it is
///   better than the main one by 3 dB, or by 1 dB in most bands, the main one goes on from there, as
///   uncertain as what is heard allows. Where the main filter makes the sound worse than none would, it
///   starts anew.
/// - **A filter that is kept** does not adapt: it takes the coefficients of the main one when that leaves
///   less beyond chance, in most bands, and gives them back when that leaves more. Speech of the near
///   end leads the main filter astray, and not this one; where there is no echo it stays empty.
/// - **A second step** half as long, from the previous hop, in the first seconds after a start.
/// - **A loudspeaker that distorts** is a sum of what lies above four thresholds and of the square, in
///   front of the filter (a Hammerstein model with odd and even orders); the five weights are found by
///   recursive least squares.
///
/// Everything is made for a hop of about 8 ms; constants per hop are for that.
struct EchoCanceller: ~Copyable {
  let hop: Int
  let bins: Int
  /// Hops of room that the filter covers at most.
  let largestLength: Int

  /// In how many of the bands the filter that adapts has lately left less than the one that is kept: from
  /// 0 to 1. Beside a loud near end the one or the other leaves less by chance, in one band or two.
  var betterShare: Float = 1
  /// The same of the quick filter.
  var shadowShare: Float = 1
  /// How likely it is that someone near speaks: from 0 to 1.
  var nearProbability: Float = 0.5

  /// Whether a voice is nearly all of what has been heard in the last quarter of a second.
  var isMostlyVoice = false
  /// Whether what is kept was replaced in the last hop by what may have been learnt from a voice.
  var isKeptUnproven = false

  /// How much of the machinery is used: see `VoiceQuality`.
  var effort: VoiceEffort

  /// The uncertainty of the echo that was taken out in the last hop: its expected squared error in each
  /// bin of a frame of two hops, without a window.
  let uncertainty: SampleStorage
  /// The far end's power in the last hop, in each bin.
  var farPower: ChannelBuffer {
    @_noLocks mutating get { powers[slot(0)] }
  }

  var fft: RealFFT
  let frame: SampleStorage
  let farFrame: SampleStorage
  let curveFrames: SampleStorage
  /// For one part of a path while they are moved.
  let movedFrame: SampleStorage
  /// The energy of each curve's frame, row by row: where it is none, its spectrum is not there.
  let curvePowers: SampleStorage
  var hasNewCurves = false
  /// Rows for the last hops, as a ring: as played, what each curve makes of it, and their sum.
  let plain: SpectrumStorage
  let curves: SpectrumStorage
  let far: SpectrumStorage
  let powers: RowStorage
  var newest = 0

  let filter: SpectrumStorage
  let variance: RowStorage
  let shadow: SpectrumStorage
  let shadowVariance: RowStorage
  let taper: SampleStorage
  /// The energy of what is heard, and of what is played as a room would make it last, both smoothed over
  /// a third of a second.
  var heardLevel: Float = 0
  var playedLevel: Float = 0
  var ringing: Float = 0

  /// A filter that does not adapt: what has been the best one for some time.
  let kept: SpectrumStorage
  /// The echoes of the three filters in the last hop.
  let echoes: SampleStorage

  let scratch: SpectrumStorage
  let errorSpectrum: SpectrumStorage
  let curveEchoes: SpectrumStorage
  let gains: SampleStorage
  let noise: SampleStorage
  let weights: SampleStorage
  let levelMemory: SampleStorage
  let shadowUncertainty: SampleStorage
  let shadowError: SampleStorage
  let mainError: SampleStorage
  let keptError: SampleStorage
  let previousNear: SampleStorage
  let previousError: SampleStorage

  var errorLevel: Float = 0
  var shadowLevel: Float = 0
  var keptLevel: Float = 0
  var nearLevel: Float = 0
  var keeping = FilterContest()
  var leaving = FilterContest()
  /// The least share of what is heard that has been left in the last seconds.
  var bestRatio: Float = 1
  var calm = 0
  var shadowCalm = 0
  var useless = 0
  var settling = EchoCanceller.settlingHops
  var age = 0

  /// The weights of the curves, and their normal equations.
  let curveWeights: DoubleStorage
  let curveProducts: DoubleStorage
  let curveTargets: DoubleStorage
  let equations: DoubleStorage

  static var curveCount: Int { @_noLocks get { 5 } }
  static var settlingHops: Int { @_noLocks get { 300 } }
  /// What a main filter forgets in a hop, and a shadow filter.
  static var forgetting: Float { @_noLocks get { 0.9999 } }
  static var shadowForgetting: Float { @_noLocks get { 0.99 } }
  /// How much of what a Kalman filter would be surer of by a hop it is surer of: bins are not as
  /// independent as a diagonal covariance has it.
  static var settlingRate: Float { @_noLocks get { 0.25 } }
  /// How many hops pass until each part of a filter has been cleaned.
  static var roundCount: Int { @_noLocks get { 8 } }
  /// Hops without a further restart after one.
  static var calmHops: Int { @_noLocks get { 150 } }

  /// - Parameters:
  ///   - hop: In frames; twice as many have no prime factors above 5.
  ///   - sampleRate: In Hz.
  ///   - length: Hops of room that the filter covers at most.
  init(hop: Int, sampleRate: Double, length: Int) {
    let bins = hop + 1
    self.hop = hop
    self.bins = bins
    largestLength = length
    effort = VoiceEffort(quality: 127, longest: length)
    let shadowLength = max(1, length / 2)
    fft = RealFFT(length: 2 * hop)
    frame = SampleStorage(repeating: 0, count: 2 * hop)
    farFrame = SampleStorage(repeating: 0, count: 2 * hop)
    movedFrame = SampleStorage(repeating: 0, count: 2 * hop)
    curveFrames = SampleStorage(repeating: 0, count: Self.curveCount * 2 * hop)
    curvePowers = SampleStorage(repeating: 0, count: Self.curveCount * (length + 1))
    plain = SpectrumStorage(rowCount: length + 1, binCount: bins)
    curves = SpectrumStorage(rowCount: Self.curveCount * (length + 1), binCount: bins)
    far = SpectrumStorage(rowCount: length + 1, binCount: bins)
    powers = RowStorage(rowCount: length + 1, count: bins)
    filter = SpectrumStorage(rowCount: length, binCount: bins)
    shadow = SpectrumStorage(rowCount: shadowLength, binCount: bins)
    // A room's response is expected to fall by 200 dB a second, which is an RT60 of 0.3 s.
    let hopSeconds = Double(hop) / sampleRate
    taper = SampleStorage(
      (0..<length).map { Float(renderExp(-20 * Double($0) * hopSeconds * 2.302585)) })
    variance = RowStorage(rowCount: length, count: bins)
    shadowVariance = RowStorage(rowCount: shadowLength, count: bins)
    kept = SpectrumStorage(rowCount: length, binCount: bins)
    echoes = SampleStorage(repeating: 0, count: 3 * hop)
    scratch = SpectrumStorage(rowCount: 1, binCount: bins)
    errorSpectrum = SpectrumStorage(rowCount: 1, binCount: bins)
    curveEchoes = SpectrumStorage(rowCount: Self.curveCount, binCount: bins)
    gains = SampleStorage(repeating: 0, count: bins)
    noise = SampleStorage(repeating: 0, count: bins)
    weights = SampleStorage(repeating: 0, count: bins)
    uncertainty = SampleStorage(repeating: 0, count: bins)
    levelMemory = SampleStorage(repeating: 0, count: 4 * bins)
    shadowUncertainty = SampleStorage(repeating: 0, count: bins)
    shadowError = SampleStorage(repeating: 0, count: hop)
    mainError = SampleStorage(repeating: 0, count: hop)
    keptError = SampleStorage(repeating: 0, count: hop)
    previousNear = SampleStorage(repeating: 0, count: hop)
    previousError = SampleStorage(repeating: 0, count: hop)
    curveWeights = DoubleStorage(repeating: 0, count: Self.curveCount)
    curveProducts = DoubleStorage(repeating: 0, count: Self.curveCount * Self.curveCount)
    curveTargets = DoubleStorage(repeating: 0, count: Self.curveCount)
    equations = DoubleStorage(repeating: 0, count: Self.curveCount * (Self.curveCount + 1))
    expectAnything(.main)
    expectAnything(.shadow)
  }

  /// What the filters leave.
  var errors: NearDetector.Errors {
    @_noLocks get {
      NearDetector.Errors(
        main: errorLevel / Float(hop) * 128, shadow: shadowLevel / Float(hop) * 128,
        kept: keptLevel / Float(hop) * 128, microphone: nearLevel / Float(hop) * 128,
        best: bestRatio)
    }
  }

  /// The echo in the last hop as one of the filters has it, a hop long.
  @_noLocks
  mutating func echo(_ filter: EchoFilter) -> ChannelBuffer {
    echoes.buffer(at: filter.index * hop, count: hop)
  }

  /// Models the echo in one hop, and learns from it.
  ///
  /// - Parameters:
  ///   - loudspeaker: What was played, a hop long, finite.
  ///   - microphone: What was heard, a hop long, finite.
  @_noLocks
  mutating func model(loudspeaker: ChannelBuffer, microphone: ChannelBuffer) {
    hear(loudspeaker)
    isKeptUnproven = false
    if calm > 0 { calm -= 1 }
    age += 1
    let error = mainError.buffer(at: 0, count: hop)
    let shadowError = shadowError.buffer(at: 0, count: hop)
    let keptError = keptError.buffer(at: 0, count: hop)
    predict(.kept, into: echo(.kept))
    subtract(echo(.kept), from: microphone, into: keptError)
    predict(.main, into: echo(.main))
    subtract(echo(.main), from: microphone, into: error)
    predict(.shadow, into: echo(.shadow))
    subtract(echo(.shadow), from: microphone, into: shadowError)
    compare(microphone, playedEnergy: loudspeaker.energy())

    let spectrum = errorSpectrum[0]
    transformSecondHalf(error, into: spectrum)
    let uncertainty = uncertainty.buffer(at: 0, count: bins)
    spread(.main, into: uncertainty)
    estimateNoise(.main, spectrum, uncertainty)
    // Beside a near end, what is left says nothing of the loudspeaker.
    if effort.modelsDistortion && age & 3 == 0 && errorLevel < 0.25 * nearLevel {
      fitCurves(spectrum)
    }
    adapt(.main, error: spectrum, spread: uncertainty)
    if effort.repeats { repeatPreviousHop() }
    previousNear.buffer(at: 0, count: hop).copy(from: microphone)

    transformSecondHalf(shadowError, into: spectrum)
    let shadowUncertainty = shadowUncertainty.buffer(at: 0, count: bins)
    spread(.shadow, into: shadowUncertainty)
    estimateNoise(.shadow, spectrum, shadowUncertainty)
    adapt(.shadow, error: spectrum, spread: shadowUncertainty)
  }

  /// Forgets the room.
  @_noLocks
  mutating func restart() {
    for part in 0..<largestLength { filter[part].clear() }
    for part in 0..<largestLength { kept[part].clear() }
    for part in 0..<shadow.rowCount { shadow[part].clear() }
    expectAnything(.main)
    expectAnything(.shadow)
    forgetLevels(.main)
    forgetLevels(.shadow)
    settling = Self.settlingHops
  }

  // MARK: The far end

  /// Transforms the loudspeaker's hop together with the one before.
  @_noLocks
  mutating func hear(_ loudspeaker: ChannelBuffer) {
    newest = newest == 0 ? largestLength : newest - 1
    let row = slot(0)
    let farFrame = farFrame.buffer(at: 0, count: 2 * hop)
    farFrame.copy(from: farFrame.dropping(hop))
    farFrame.dropping(hop).copy(from: loudspeaker)
    fft.forward(farFrame, into: plain[row])
    if effort.modelsDistortion {
      let before = slot(1)
      let peak = Float(bitPattern: VectorMath.largest(loudspeaker))
      for curve in 0..<Self.curveCount {
        let index = row * Self.curveCount + curve
        let isStraight = peak <= Self.threshold(curve)
        if isStraight && curvePowers[before * Self.curveCount + curve] == 0 {
          // The whole frame is below the threshold.
          curvePowers[index] = 0
          continue
        }
        let frame = curveFrames.buffer(at: curve * 2 * hop, count: 2 * hop)
        frame.copy(from: frame.dropping(hop))
        Self.bend(loudspeaker, curve, into: frame.dropping(hop))
        let power = frame.energy()
        curvePowers[index] = power
        if power > 0 { fft.forward(frame, into: curves[curve * (largestLength + 1) + row]) }
      }
    }
    // Where the weights have changed, so has all that has been played.
    let last = effort.length < largestLength ? effort.length : largestLength
    bend(row)
    if hasNewCurves {
      for part in 1...last { bend(slot(part)) }
      hasNewCurves = false
    }
  }

  /// The row of the far end as it was some hops ago.
  @_noLocks
  mutating func slot(_ part: Int) -> Int {
    let row = newest + part
    return row > largestLength ? row - largestLength - 1 : row
  }

  /// How many rows of some there are from one on until the ring of the far end begins anew.
  @_noLocks
  func beforeTurn(_ row: Int, _ count: Int) -> Int {
    let rest = largestLength + 1 - row
    return count < rest ? count : rest
  }

  // MARK: The two filters

  @_noLocks
  mutating func length(_ which: EchoFilter) -> Int {
    which.index == 1 ? effort.shadowLength : effort.length
  }

  @_noLocks
  mutating func coefficients(_ which: EchoFilter, _ part: Int) -> Spectrum {
    switch which {
    case .main: filter[part]
    case .shadow: shadow[part]
    case .kept: kept[part]
    }
  }

  @_noLocks
  mutating func variance(_ which: EchoFilter, _ part: Int) -> ChannelBuffer {
    which.index == 0 ? variance[part] : shadowVariance[part]
  }

  /// The smoothed power of the error (0), and of what of it was expected (1).
  @_noLocks
  mutating func levels(_ which: EchoFilter, _ row: Int) -> ChannelBuffer {
    levelMemory.buffer(at: ((which.index == 0 ? 0 : 2) + row) * bins, count: bins)
  }

  // MARK: Filtering

  /// Filters the far end, as it was `ago` hops ago, into a hop of echo.
  @_noLocks
  mutating func predict(
    _ which: EchoFilter, into echo: ChannelBuffer, ago: Int = 0
  ) {
    let sum = scratch[0]
    sum.clear()
    let (count, row) = (length(which), slot(ago))
    // Up to where the ring begins anew, and from there on.
    let first = beforeTurn(row, count)
    switch which {
    case .main:
      filter.addProducts(first, from: 0, times: far, from: row, to: sum)
      filter.addProducts(count - first, from: first, times: far, from: 0, to: sum)
    case .shadow:
      shadow.addProducts(first, from: 0, times: far, from: row, to: sum)
      shadow.addProducts(count - first, from: first, times: far, from: 0, to: sum)
    case .kept:
      kept.addProducts(first, from: 0, times: far, from: row, to: sum)
      kept.addProducts(count - first, from: first, times: far, from: 0, to: sum)
    }
    let frame = frame.buffer(at: 0, count: 2 * hop)
    fft.inverse(sum, into: frame)
    echo.copy(from: frame.dropping(hop))
  }

  @_noLocks
  mutating func subtract(
    _ echo: ChannelBuffer, from microphone: ChannelBuffer, into error: ChannelBuffer
  ) {
    for index in 0..<hop { error[index] = microphone[index] - echo[index] }
  }

  /// Transforms a hop behind a hop of zeros.
  @_noLocks
  mutating func transformSecondHalf(_ samples: ChannelBuffer, into spectrum: Spectrum) {
    let frame = frame.buffer(at: 0, count: 2 * hop)
    frame.prefix(hop).clear()
    frame.dropping(hop).copy(from: samples)
    fft.forward(frame, into: spectrum)
  }
}
