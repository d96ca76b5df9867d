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

  /// How much of the machinery is used: see `VoiceQuality`.
  var effort: VoiceEffort

  /// The uncertainty of the echo that was taken out in the last hop: its expected squared error in each
  /// bin of a frame of two hops, without a window.
  let uncertainty: SampleStorage
  /// The far end's power in the last hop, in each bin.
  var farPower: ChannelBuffer {
    @_noLocks mutating get { powers.buffer(at: slot(0) * bins, count: bins) }
  }

  private var fft: RealFFT
  private let frame: SampleStorage
  private let farFrame: SampleStorage
  private let curveFrames: SampleStorage
  /// The energy of each curve's frame, row by row: where it is none, its spectrum is not there.
  private let curvePowers: SampleStorage
  private var hasNewCurves = false
  /// Rows for the last hops, as a ring: as played, what each curve makes of it, and their sum.
  private let plain: SpectrumStorage
  private let curves: SpectrumStorage
  private let far: SpectrumStorage
  private let powers: SampleStorage
  private var newest = 0

  private let filter: SpectrumStorage
  private let variance: SampleStorage
  private let shadow: SpectrumStorage
  private let shadowVariance: SampleStorage
  private let taper: SampleStorage
  /// The energy of what is heard, and of what is played as a room would make it last, both smoothed over
  /// a third of a second.
  private var heardLevel: Float = 0
  private var playedLevel: Float = 0
  private var ringing: Float = 0

  /// A filter that does not adapt: what has been the best one for some time.
  private let kept: SpectrumStorage
  /// The echoes of the three filters in the last hop.
  private let echoes: SampleStorage

  private let scratch: SpectrumStorage
  private let errorSpectrum: SpectrumStorage
  private let curveEchoes: SpectrumStorage
  private let gains: SampleStorage
  private let noise: SampleStorage
  private let weights: SampleStorage
  private let levelMemory: SampleStorage
  private let shadowUncertainty: SampleStorage
  private let shadowError: SampleStorage
  private let mainError: SampleStorage
  private let keptError: SampleStorage
  private let previousNear: SampleStorage
  private let previousError: SampleStorage

  private var errorLevel: Float = 0
  private var shadowLevel: Float = 0
  private var keptLevel: Float = 0
  private var nearLevel: Float = 0
  private var keeping = FilterContest()
  private var leaving = FilterContest()
  /// The least share of what is heard that has been left in the last seconds.
  private var bestRatio: Float = 1
  private var calm = 0
  private var shadowCalm = 0
  private var useless = 0
  private var settling = EchoCanceller.settlingHops
  private var age = 0

  /// The weights of the curves, and their normal equations.
  private let curveWeights: DoubleStorage
  private let curveProducts: DoubleStorage
  private let curveTargets: DoubleStorage
  private let equations: DoubleStorage

  private static var curveCount: Int { @_noLocks get { 5 } }
  private static var settlingHops: Int { @_noLocks get { 300 } }
  /// What a main filter forgets in a hop, and a shadow filter.
  private static var forgetting: Float { @_noLocks get { 0.9999 } }
  private static var shadowForgetting: Float { @_noLocks get { 0.99 } }
  /// How much of what a Kalman filter would be surer of by a hop it is surer of: bins are not as
  /// independent as a diagonal covariance has it.
  private static var settlingRate: Float { @_noLocks get { 0.25 } }
  /// How many hops pass until each part of a filter has been cleaned.
  private static var roundCount: Int { @_noLocks get { 8 } }
  /// Hops without a further restart after one.
  private static var calmHops: Int { @_noLocks get { 150 } }

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
    curveFrames = SampleStorage(repeating: 0, count: Self.curveCount * 2 * hop)
    curvePowers = SampleStorage(repeating: 0, count: Self.curveCount * (length + 1))
    plain = SpectrumStorage(rowCount: length + 1, binCount: bins)
    curves = SpectrumStorage(rowCount: Self.curveCount * (length + 1), binCount: bins)
    far = SpectrumStorage(rowCount: length + 1, binCount: bins)
    powers = SampleStorage(repeating: 0, count: (length + 1) * bins)
    filter = SpectrumStorage(rowCount: length, binCount: bins)
    shadow = SpectrumStorage(rowCount: shadowLength, binCount: bins)
    // A room's response is expected to fall by 200 dB a second, which is an RT60 of 0.3 s.
    let hopSeconds = Double(hop) / sampleRate
    taper = SampleStorage(
      (0..<length).map { Float(renderExp(-20 * Double($0) * hopSeconds * 2.302585)) })
    variance = SampleStorage(repeating: 0, count: length * bins)
    shadowVariance = SampleStorage(repeating: 0, count: shadowLength * bins)
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

  /// Moves the paths to an earlier time by some frames, fewer than a hop.
  @_noLocks
  mutating func advance(by frames: Int) {
    let turn = Double.pi * Double(frames) / Double(hop)
    for bin in 0..<bins {
      let (c, s) = (Float(renderCosine(turn * Double(bin))), Float(renderSine(turn * Double(bin))))
      for part in 0..<largestLength {
        Self.turn(filter[part], bin, c, s)
        Self.turn(kept[part], bin, c, s)
        if part < shadow.rowCount { Self.turn(shadow[part], bin, c, s) }
      }
    }
  }

  @_noLocks
  private static func turn(_ spectrum: Spectrum, _ bin: Int, _ cosine: Float, _ sine: Float) {
    let (re, im) = (spectrum.real[bin], spectrum.imaginary[bin])
    spectrum.real[bin] = re * cosine - im * sine
    spectrum.imaginary[bin] = re * sine + im * cosine
  }

  // MARK: The far end

  /// Transforms the loudspeaker's hop together with the one before.
  @_noLocks
  private mutating func hear(_ loudspeaker: ChannelBuffer) {
    newest = newest == 0 ? largestLength : newest - 1
    let row = slot(0)
    let farFrame = farFrame.buffer(at: 0, count: 2 * hop)
    farFrame.copy(from: farFrame.dropping(hop))
    farFrame.dropping(hop).copy(from: loudspeaker)
    fft.forward(farFrame, into: plain[row])
    if effort.modelsDistortion {
      for curve in 0..<Self.curveCount {
        let frame = curveFrames.buffer(at: curve * 2 * hop, count: 2 * hop)
        frame.copy(from: frame.dropping(hop))
        Self.bend(loudspeaker, curve, into: frame.dropping(hop))
        let power = frame.energy()
        curvePowers[row * Self.curveCount + curve] = power
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

  /// Adds the curves of one hop to it, as they are weighted.
  @_noLocks
  private mutating func bend(_ row: Int) {
    far[row].copy(from: plain[row])
    if effort.modelsDistortion {
      for curve in 0..<Self.curveCount
      where curveWeights[curve] != 0 && curvePowers[row * Self.curveCount + curve] != 0 {
        far[row].add(
          curves[curve * (largestLength + 1) + row], times: Float(curveWeights[curve]))
      }
    }
    far[row].power(into: powers.buffer(at: row * bins, count: bins))
  }

  /// What a curve makes of some samples: their squares, or what lies above a threshold.
  @_noLocks
  private static func bend(_ samples: ChannelBuffer, _ curve: Int, into bent: ChannelBuffer) {
    if curve == curveCount - 1 {
      for index in samples.indices { bent[index] = samples[index] * samples[index] }
      return
    }
    let threshold = threshold(curve)
    for index in samples.indices {
      let sample = samples[index]
      bent[index] =
        sample > threshold ? sample - threshold : sample < -threshold ? sample + threshold : 0
    }
  }

  /// Where the first four curves begin: full scale is 1.
  @_noLocks
  private static func threshold(_ curve: Int) -> Float {
    switch curve {
    case 0: 0.1
    case 1: 0.2
    case 2: 0.4
    default: 0.7
    }
  }

  /// The row of the far end as it was some hops ago.
  @_noLocks
  private mutating func slot(_ part: Int) -> Int {
    let row = newest + part
    return row > largestLength ? row - largestLength - 1 : row
  }

  // MARK: The two filters

  @_noLocks
  private mutating func length(_ which: EchoFilter) -> Int {
    which.index == 1 ? effort.shadowLength : effort.length
  }

  @_noLocks
  private mutating func coefficients(_ which: EchoFilter, _ part: Int) -> Spectrum {
    switch which {
    case .main: filter[part]
    case .shadow: shadow[part]
    case .kept: kept[part]
    }
  }

  @_noLocks
  private mutating func variance(_ which: EchoFilter, _ part: Int) -> ChannelBuffer {
    which.index == 0
      ? variance.buffer(at: part * bins, count: bins)
      : shadowVariance.buffer(at: part * bins, count: bins)
  }

  /// The smoothed power of the error (0), and of what of it was expected (1).
  @_noLocks
  private mutating func levels(_ which: EchoFilter, _ row: Int) -> ChannelBuffer {
    levelMemory.buffer(at: ((which.index == 0 ? 0 : 2) + row) * bins, count: bins)
  }

  // MARK: Filtering

  /// Filters the far end, as it was `ago` hops ago, into a hop of echo.
  @_noLocks
  private mutating func predict(
    _ which: EchoFilter, into echo: ChannelBuffer, ago: Int = 0
  ) {
    let sum = scratch[0]
    sum.clear()
    for part in 0..<length(which) {
      sum.add(coefficients(which, part), times: far[slot(part + ago)])
    }
    let frame = frame.buffer(at: 0, count: 2 * hop)
    fft.inverse(sum, into: frame)
    echo.copy(from: frame.dropping(hop))
  }

  @_noLocks
  private mutating func subtract(
    _ echo: ChannelBuffer, from microphone: ChannelBuffer, into error: ChannelBuffer
  ) {
    for index in 0..<hop { error[index] = microphone[index] - echo[index] }
  }

  /// Transforms a hop behind a hop of zeros.
  @_noLocks
  private mutating func transformSecondHalf(_ samples: ChannelBuffer, into spectrum: Spectrum) {
    let frame = frame.buffer(at: 0, count: 2 * hop)
    frame.prefix(hop).clear()
    frame.dropping(hop).copy(from: samples)
    fft.forward(frame, into: spectrum)
  }

  // MARK: Choosing

  /// Looks which filter has done best, and lets the others go on from there.
  @_noLocks
  private mutating func compare(_ microphone: ChannelBuffer, playedEnergy: Float) {
    let error = mainError.buffer(at: 0, count: hop)
    let shadowError = shadowError.buffer(at: 0, count: hop)
    let keptError = keptError.buffer(at: 0, count: hop)
    let (main, fast, calmest) = (error.energy(), shadowError.energy(), keptError.energy())
    errorLevel += 0.1 * (main - errorLevel)
    shadowLevel += 0.1 * (fast - shadowLevel)
    keptLevel += 0.1 * (calmest - keptLevel)
    nearLevel += 0.1 * (microphone.energy() - nearLevel)
    ringing = 0.7 * ringing + playedEnergy
    heardLevel += 0.03 * (calmest - heardLevel)
    playedLevel += 0.03 * (ringing - playedLevel)
    if nearLevel > 1e-8 * Float(hop) {
      let ratio = errorLevel / nearLevel
      bestRatio = ratio < bestRatio ? ratio : bestRatio * 1.005
      bestRatio = bestRatio < 1 ? bestRatio : 1
    }
    guard age > 5 else { return }

    // What is kept leaves more than was heard: there is no such echo any more.
    leaving.note(calmest, microphone.energy(), difference: echo(.kept).energy(), hop)
    if leaving.isWon && keptLevel > 1.25 * nearLevel {
      for part in 0..<largestLength { kept[part].clear() }
      keptLevel = nearLevel
      leaving = FilterContest()
      keeping = FilterContest()
    }
    let contest = distance(echo(.main), echo(.kept))
    keeping.note(calmest, main, difference: contest, hop)
    if keeping.isWon && betterShare > 0.6 {
      for part in 0..<effort.length { kept[part].copy(from: filter[part]) }
      keptLevel = errorLevel
      keeping = FilterContest()
      if calm == 0 && errorLevel > 10 * bestRatio * nearLevel {
        // It finds its way along another path than it knew, and may go faster.
        expectAnything(.main)
        settling = Self.settlingHops
        calm = Self.calmHops / 3
      }
    } else if keeping.isLost && errorLevel > 1.2 * keptLevel && calm == 0 {
      // It goes on from what is kept, as unsure as what that leaves can make it.
      for part in 0..<effort.length { filter[part].copy(from: kept[part]) }
      expectAnything(.main)
      forgetLevels(.main)
      error.copy(from: keptError)
      errorLevel = keptLevel
      keeping = FilterContest()
      calm = 20
    }
    guard age > 20, nearLevel > 1e-9 * Float(hop) else { return }
    if shadowLevel > 1.5 * nearLevel && shadowCalm == 0 {
      for part in 0..<shadow.rowCount { shadow[part].clear() }
      expectAnything(.shadow)
      forgetLevels(.shadow)
      shadowError.copy(from: microphone)
      echo(.shadow).clear()
      shadowLevel = nearLevel
      shadowCalm = Self.calmHops / 3
    }
    if shadowCalm > 0 { shadowCalm -= 1 }
    guard calm == 0 else { return }
    // A filter that takes nothing out, though there is something to hear, is as good as none, and too
    // sure of it.
    useless = errorLevel > 0.8 * nearLevel ? useless + 1 : 0
    if useless > Self.calmHops / 3 || errorLevel > 1.5 * nearLevel {
      for part in 0..<largestLength { filter[part].clear() }
      expectAnything(.main)
      forgetLevels(.main)
      error.copy(from: microphone)
      echo(.main).clear()
      errorLevel = nearLevel
      useless = 0
      forgetCurves()
      settling = Self.settlingHops
      calm = Self.calmHops / 2
      keeping = FilterContest()
    } else if shadowLevel < 0.5 * errorLevel
      || (shadowLevel < 0.75 * errorLevel && shadowShare > 0.7)
    {
      for part in 0..<effort.length {
        if part < effort.shadowLength {
          filter[part].copy(from: shadow[part])
        } else {
          filter[part].clear()
        }
      }
      expectAnything(.main)
      forgetLevels(.main)
      error.copy(from: shadowError)
      errorLevel = shadowLevel
      settling = Self.settlingHops
      calm = Self.calmHops / 3
    }
  }

  @_noLocks
  private func distance(_ a: ChannelBuffer, _ b: ChannelBuffer) -> Float {
    var sum: Float = 0
    for index in 0..<hop { sum += (a[index] - b[index]) * (a[index] - b[index]) }
    return sum
  }

  /// Makes a filter as uncertain as it can be: no echo is louder than what is heard.
  @_noLocks
  private mutating func expectAnything(_ which: EchoFilter) {
    var coupling: Float = 1
    if playedLevel > 1e-6 * Float(hop) {
      coupling = 2 * heardLevel / playedLevel
      coupling = coupling > 1 ? 1 : coupling < 1e-6 ? 1e-6 : coupling
    }
    for part in 0..<(which.index == 0 ? largestLength : shadow.rowCount) {
      let uncertain = variance(which, part)
      let expected = taper[part] * coupling
      for bin in 0..<bins {
        if uncertain[bin] < expected { uncertain[bin] = expected }
      }
    }
  }

  @_noLocks
  private mutating func forgetLevels(_ which: EchoFilter) {
    levels(which, 0).clear()
    levels(which, 1).clear()
  }

  // MARK: Adapting

  /// The squared error that the uncertainty of the coefficients leads to.
  @_noLocks
  private mutating func spread(_ which: EchoFilter, into sum: ChannelBuffer, ago: Int = 0) {
    sum.clear()
    for part in 0..<length(which) {
      sum.add(
        variance(which, part),
        times: powers.buffer(at: slot(part + ago) * bins, count: bins))
    }
  }

  /// What in the error the uncertainty does not explain: speech of the near end, and noise.
  @_noLocks
  private mutating func estimateNoise(
    _ which: EchoFilter, _ error: Spectrum, _ spread: ChannelBuffer
  ) {
    let (real, imaginary) = (error.real, error.imaginary)
    let errorPower = levels(which, 0)
    let spreadPower = levels(which, 1)
    for bin in 0..<bins {
      let power = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
      let heard = 0.8 * errorPower[bin] + 0.2 * power
      let explained = 0.8 * spreadPower[bin] + 0.1 * spread[bin]
      errorPower[bin] = heard
      spreadPower[bin] = explained
      let rest = heard - explained
      noise[bin] = rest > 0.05 * heard ? rest : 0.05 * heard
    }
  }

  /// Moves the coefficients against the error of a hop: the present one, from which the filter also
  /// becomes surer, or an earlier one.
  @_noLocks
  private mutating func adapt(
    _ which: EchoFilter, error: Spectrum, spread: ChannelBuffer, ago: Int = 0
  ) {
    let gains = gains.buffer(at: 0, count: bins)
    let noise = noise.buffer(at: 0, count: bins)
    let frame = frame.buffer(at: 0, count: 2 * hop)
    let forgetting = which.index == 0 ? Self.forgetting : Self.shadowForgetting
    for part in 0..<length(which) {
      let row = slot(part + ago)
      let uncertain = variance(which, part)
      KalmanBins.gains(
        gains, variance: uncertain, spread: spread, noise: noise,
        floor: 1e-9 * Float(2 * hop))
      let coefficients = coefficients(which, part)
      coefficients.add(gains, ago == 0 ? 1 : 0.5, conjugate: far[row], times: error)
      guard ago == 0 else { continue }
      coefficients.multiply(by: forgetting)
      KalmanBins.settle(
        uncertain, gains: gains, power: powers.buffer(at: row * bins, count: bins),
        rate: Self.settlingRate, forgetting: forgetting, coefficients: coefficients,
        least: which.index == 0 ? 0 : 1e-3 * taper[part])
      // A part of the response is a hop long: what the steps have put behind that is an artefact of
      // cyclic convolution. It is taken out of one part in eight, in turn: as much is learnt, at an
      // eighth of the cost.
      guard (part + age) & (Self.roundCount - 1) == 0 else { continue }
      fft.inverse(coefficients, into: frame)
      frame.dropping(hop).clear()
      fft.forward(frame, into: coefficients)
    }
  }

  /// In the first seconds, a second step from the hop before, with what is known by now.
  @_noLocks
  private mutating func repeatPreviousHop() {
    guard settling > 0 else { return }
    if farPower.sum() > 1e-6 * Float(bins * 2 * hop) { settling -= 1 }
    let error = previousError.buffer(at: 0, count: hop)
    predict(.main, into: error, ago: 1)
    subtract(error, from: previousNear.buffer(at: 0, count: hop), into: error)
    let spectrum = errorSpectrum[0]
    transformSecondHalf(error, into: spectrum)
    let spread = weights.buffer(at: 0, count: bins)
    self.spread(.main, into: spread, ago: 1)
    adapt(.main, error: spectrum, spread: spread, ago: 1)
  }

  // MARK: A loudspeaker that distorts

  @_noLocks
  private mutating func forgetCurves() {
    hasNewCurves = true
    let count = Self.curveCount
    for row in 0..<count {
      curveWeights[row] = 0
      curveTargets[row] = 0
      for column in 0..<count { curveProducts[row * count + column] = 0 }
    }
  }

  /// Finds the weights of the curves: least squares over the last seconds, each bin weighted by how
  /// little of an error there is, and ever more as the filter becomes surer: what a filter that has yet
  /// to settle leaves looks like a loudspeaker that bends.
  @_noLocks
  private mutating func fitCurves(_ error: Spectrum) {
    let count = Self.curveCount
    let weights = weights.buffer(at: 0, count: bins)
    let heard = levels(.main, 0)
    for bin in 0..<bins {
      weights[bin] = 1 / (heard[bin] + 20 * uncertainty[bin] + 1e-9 * Float(2 * hop))
    }
    let frame = frame.buffer(at: 0, count: 2 * hop)
    for curve in 0..<count {
      let echo = curveEchoes[curve]
      echo.clear()
      var isHeard = false
      for part in 0..<effort.length where curvePowers[slot(part) * count + curve] > 0 {
        isHeard = true
        echo.add(filter[part], times: curves[curve * (largestLength + 1) + slot(part)])
      }
      guard isHeard else { continue }
      fft.inverse(echo, into: frame)
      frame.prefix(hop).clear()
      fft.forward(frame, into: echo)
    }
    for row in 0..<count { curveTargets[row] *= 0.996 }
    for row in 0..<count {
      for column in 0..<count {
        let product = curveEchoes[row].correlation(with: curveEchoes[column], weights: weights)
        let index = row * count + column
        curveProducts[index] = 0.996 * curveProducts[index] + product
        curveTargets[row] += product * curveWeights[column]
      }
      curveTargets[row] += curveEchoes[row].correlation(with: error, weights: weights)
    }
    solve()
  }

  /// Solves the normal equations, made a little stiffer, by elimination: they are positive definite.
  @_noLocks
  private mutating func solve() {
    hasNewCurves = true
    let count = Self.curveCount
    var trace = 0.0
    for row in 0..<count { trace += curveProducts[row * count + row] }
    let ridge = 1e-3 + 1e-6 * trace / Double(count)
    for row in 0..<count {
      for column in 0..<count {
        equations[row * (count + 1) + column] =
          curveProducts[row * count + column] + (row == column ? ridge : 0)
      }
      equations[row * (count + 1) + count] = curveTargets[row]
    }
    for pivot in 0..<count {
      let diagonal = equations[pivot * (count + 1) + pivot]
      guard diagonal > 0 else { return }
      for row in 0..<count where row != pivot {
        let factor = equations[row * (count + 1) + pivot] / diagonal
        for column in pivot...count {
          equations[row * (count + 1) + column] -=
            factor * equations[pivot * (count + 1) + column]
        }
      }
    }
    for row in 0..<count {
      let weight = equations[row * (count + 1) + count] / equations[row * (count + 1) + row]
      // No loudspeaker bends more than over and back.
      curveWeights[row] = weight < -2 ? -2 : weight > 2 ? 2 : weight
    }
  }
}
