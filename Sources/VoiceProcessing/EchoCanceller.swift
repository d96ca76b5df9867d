import RenderCore

/// Models the echo of a loudspeaker in a microphone's signal, a hop at a time.
///
/// A partitioned-block filter in the frequency domain whose step sizes are those of a Kalman filter
/// with a diagonal covariance (see `KalmanBins`; F. Kuech, E. Mabande and G. Enzner, "State-space
/// architecture of the partitioned-block-based acoustic echo controller", ICASSP 2014): a bin with
/// little far end so far has a large variance and adapts fast; near-end speech, which no filter
/// explains, slows the adaptation down.
///
/// Beyond that:
/// - **A shadow filter**, half as long and quick to forget, tells when the room has changed: where
///   its residual is 3 dB below that of the main filter, or 1 dB in most bands, the main filter
///   continues from its coefficients, with a large variance. A main filter that is worse than none
///   is cleared.
/// - **A kept filter** does not adapt: it takes the coefficients of the main filter when the
///   residual of that one is significantly lower in most bands, and returns them when it is higher.
///   Near-end speech misleads the main filter and not the kept one; without an echo the kept filter
///   stays empty.
/// - **A second step** half as long, from the previous hop, in the first seconds after a start.
/// - **The distortion of the loudspeaker** is modelled in front of the filter, as a weighted sum of
///   five curves: the parts of the signal beyond four thresholds, and its square (a Hammerstein
///   model with odd and even orders). Recursive least squares find the weights.
///
/// Constants per hop are for a hop of about 8 ms.
struct EchoCanceller: ~Copyable {
  let hop: Int
  let bins: Int
  /// Hops of room that the filter covers at most.
  let largestLength: Int

  /// The share of the bands, from 0 to 1, in which the residual of the main filter has lately been
  /// below that of the kept one. Beside a loud near end it may be lower by chance in a band or two.
  var betterShare: Float = 1
  /// The same for the shadow filter.
  var shadowShare: Float = 1
  /// The probability of near-end speech.
  var nearProbability: Float = 0.5

  /// Whether the microphone has been nearly all near-end speech in the last quarter of a second.
  var isMostlyVoice = false
  /// Whether the kept filter was replaced in the last hop by coefficients that may have adapted to
  /// near-end speech.
  var isKeptUnproven = false

  /// The processing that the quality permits.
  var effort: VoiceEffort

  /// The expected squared error of the main filter in the last hop, in each bin of a frame of two
  /// hops, without a window.
  let uncertainty: SampleStorage
  /// The far end's power in the last hop, in each bin.
  var farPower: ChannelBuffer {
    @_noLocks mutating get { powers[slot(0)] }
  }

  var fft: RealFFT
  let frame: SampleStorage
  let farFrame: SampleStorage
  let curveFrames: SampleStorage
  /// Scratch memory for one part of a path.
  let movedFrame: SampleStorage
  /// The energy of each curve's frame, row by row; where it is 0, the spectrum in `curves` is not
  /// valid.
  let curvePowers: SampleStorage
  var hasNewCurves = false
  /// Spectra of the far end in the last hops, as a ring: as played, through each curve, and the
  /// weighted sum.
  let plain: SpectrumStorage
  let curves: SpectrumStorage
  let far: SpectrumStorage
  let powers: RowStorage
  var newest = 0

  let filter: SpectrumStorage
  let variance: RowStorage
  let shadow: SpectrumStorage
  let shadowVariance: RowStorage
  /// The expected decay of an echo path: the power of each part, 1 for the first.
  let taper: SampleStorage
  /// The energy of the residual of the kept filter and of the far end with a decay as in a room,
  /// both smoothed over a third of a second.
  var heardLevel: Float = 0
  var playedLevel: Float = 0
  var ringing: Float = 0

  /// The coefficients of the kept filter.
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
  /// Whether the main filter beats the kept one, and whether no filter does.
  var mainAgainstKept = FilterContest()
  var noneAgainstKept = FilterContest()
  /// The lowest ratio of residual to microphone energy in the last seconds.
  var bestRatio: Float = 1
  /// Hops until the main filter, and the shadow filter, may restart again.
  var restartPause = 0
  var shadowRestartPause = 0
  /// Successive hops in which the main filter has removed next to nothing.
  var uselessHops = 0
  /// Hops with a far end left in which each hop is adapted to twice.
  var settling = EchoCanceller.settlingHops
  var age = 0

  /// The weights of the curves, and their normal equations.
  let curveWeights: DoubleStorage
  let curveProducts: DoubleStorage
  let curveTargets: DoubleStorage
  let equations: DoubleStorage

  static var curveCount: Int { @_noLocks get { 5 } }
  static var settlingHops: Int { @_noLocks get { 300 } }
  /// The forgetting factors of the main filter and of the shadow filter, per hop.
  static var forgetting: Float { @_noLocks get { 0.9999 } }
  static var shadowForgetting: Float { @_noLocks get { 0.99 } }
  /// The share of the reduction of variance that a Kalman filter would apply: bins are not as
  /// independent as a diagonal covariance assumes.
  static var settlingRate: Float { @_noLocks get { 0.25 } }
  /// The hops in which each part of a filter is constrained to a hop once.
  static var roundCount: Int { @_noLocks get { 8 } }
  /// The hops after a restart in which no other one may follow.
  static var restartPauseHops: Int { @_noLocks get { 150 } }

  /// - Parameters:
  ///   - hop: In frames; `2 * hop` has no prime factors above 5.
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
    resetUncertainty(.main)
    resetUncertainty(.shadow)
  }

  /// The residual power of each filter, scaled to a hop of 128 frames.
  var errors: NearDetector.Errors {
    @_noLocks get {
      NearDetector.Errors(
        main: errorLevel / Float(hop) * 128, shadow: shadowLevel / Float(hop) * 128,
        kept: keptLevel / Float(hop) * 128, microphone: nearLevel / Float(hop) * 128,
        best: bestRatio)
    }
  }

  /// The echo that a filter has modelled in the last hop.
  @_noLocks
  mutating func echo(_ filter: EchoFilter) -> ChannelBuffer {
    echoes.buffer(at: filter.index * hop, count: hop)
  }

  /// Models the echo in one hop, and adapts the filters to it.
  ///
  /// - Parameters:
  ///   - loudspeaker: A hop of the far end; all samples finite.
  ///   - microphone: A hop of the microphone; all samples finite.
  @_noLocks
  mutating func model(loudspeaker: ChannelBuffer, microphone: ChannelBuffer) {
    transformFarEnd(loudspeaker)
    isKeptUnproven = false
    if restartPause > 0 { restartPause -= 1 }
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
    expectedError(.main, into: uncertainty)
    estimateNoise(.main, spectrum, uncertainty)
    // In double talk the residual says nothing about distortion.
    if effort.modelsDistortion && age & 3 == 0 && errorLevel < 0.25 * nearLevel {
      fitCurves(spectrum)
    }
    adapt(.main, error: spectrum, spread: uncertainty)
    if effort.repeats { repeatPreviousHop() }
    previousNear.buffer(at: 0, count: hop).copy(from: microphone)

    transformSecondHalf(shadowError, into: spectrum)
    let shadowUncertainty = shadowUncertainty.buffer(at: 0, count: bins)
    expectedError(.shadow, into: shadowUncertainty)
    estimateNoise(.shadow, spectrum, shadowUncertainty)
    adapt(.shadow, error: spectrum, spread: shadowUncertainty)
  }

  /// Clears all filters, for another echo path.
  @_noLocks
  mutating func restart() {
    for part in 0..<largestLength { filter[part].clear() }
    for part in 0..<largestLength { kept[part].clear() }
    for part in 0..<shadow.rowCount { shadow[part].clear() }
    resetUncertainty(.main)
    resetUncertainty(.shadow)
    forgetLevels(.main)
    forgetLevels(.shadow)
    settling = Self.settlingHops
  }

  // MARK: The far end

  /// Transforms a hop of the far end together with the one before, and the curves of both.
  @_noLocks
  mutating func transformFarEnd(_ loudspeaker: ChannelBuffer) {
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
        Self.distort(loudspeaker, curve, into: frame.dropping(hop))
        let power = frame.energy()
        curvePowers[index] = power
        if power > 0 { fft.forward(frame, into: curves[curve * (largestLength + 1) + row]) }
      }
    }
    // New weights change the sums of all earlier hops too.
    let last = effort.length < largestLength ? effort.length : largestLength
    addCurves(to: row)
    if hasNewCurves {
      for part in 1...last { addCurves(to: slot(part)) }
      hasNewCurves = false
    }
  }

  /// The row of the far end some hops ago.
  @_noLocks
  mutating func slot(_ part: Int) -> Int {
    let row = newest + part
    return row > largestLength ? row - largestLength - 1 : row
  }

  /// How many of `count` rows, from `row` on, come before the end of the ring.
  @_noLocks
  func rowsBeforeWrap(_ row: Int, _ count: Int) -> Int {
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

  /// The smoothed power of the error (row 0), and its expected part (row 1).
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
    // First the rows up to the end of the ring, then those from its beginning.
    let first = rowsBeforeWrap(row, count)
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

  /// Transforms a hop that follows a hop of zeros.
  @_noLocks
  mutating func transformSecondHalf(_ samples: ChannelBuffer, into spectrum: Spectrum) {
    let frame = frame.buffer(at: 0, count: 2 * hop)
    frame.prefix(hop).clear()
    frame.dropping(hop).copy(from: samples)
    fft.forward(frame, into: spectrum)
  }
}
