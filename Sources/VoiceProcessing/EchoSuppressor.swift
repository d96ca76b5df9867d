import RenderCore

/// Takes down what an echo canceller has left of the echo, and noise that does not change.
///
/// Frames of two hops under a sine window, half overlapped, each bin with a gain of its own: a Wiener
/// gain with a decision-directed estimate (Y. Ephraim and D. Malah, "Speech enhancement using a minimum
/// mean-square error short-time spectral amplitude estimator", IEEE Trans. ASSP 32, 1984). What counts
/// as unwanted is
/// - the echo that the canceller itself expects to have missed, corrected by how much it has been
///   found to be wrong, and a share of the echo it has taken out, as large as has been seen lately;
/// - noise, followed by the minima of each bin.
///
/// How much of that is taken away follows from whether someone near speaks: where more is heard in many
/// bins than the two explain, the gains are gentle. In the first second after a restart, when the
/// canceller knows little, nobody is believed to.
struct EchoSuppressor: ~Copyable {
  let hop: Int
  let bins: Int
  /// Whether someone near speaks: from 0, not at all, to 1.
  private(set) var nearActivity: Float = 0
  /// Whether the loudspeaker is heard.
  private(set) var isFarHeard = false
  /// The energy of the last frame beside that of its noise.
  private(set) var frameEnergy: Float = 0
  private(set) var noiseEnergy: Float = 0

  /// Whether someone near speaks, in the last frame.
  var hearsSpeech: Bool {
    @_noLocks get {
      guard frameEnergy > 4 * noiseEnergy && frameEnergy > 4 * quietest else { return false }
      return sinceFar < 40 ? nearActivity > Self.spokenShare : true
    }
  }

  private var fft: RealFFT
  private let window: SampleStorage
  private let errorFrame: SampleStorage
  private let echoFrame: SampleStorage
  private let windowed: SampleStorage
  private let tail: SampleStorage
  private let spectra: SpectrumStorage
  /// One row for each of `Row`.
  private let rows: SampleStorage
  /// Bins that speech is looked for in: above 190 Hz, to 8 kHz.
  private let firstBin: Int
  private let endBin: Int
  /// What a power of 1 in a bin of a frame of 256 is in one of this length.
  private let scale: Float

  private var leak: Float = 0.3
  /// The least energy of a frame in the last 1.6 to 3.2 s: what never changes is not speech.
  private var quietest: Float = 0
  private var quiet = Float.greatestFiniteMagnitude
  private var lastQuiet = Float.greatestFiniteMagnitude
  private var age = 0
  /// Hops since the loudspeaker was heard: a room rings on.
  private var sinceFar = 0
  private var settling = 100
  private var depth: Float = 1

  private enum Row: Int {
    case error, echo, expected, errorMean, echoMean, expectedMean, correction, unwanted, minimum
    case slowMean, noise, gain, lastGain, lastPower
  }

  init(hop: Int, sampleRate: Double) {
    let bins = hop + 1
    self.hop = hop
    self.bins = bins
    fft = RealFFT(length: 2 * hop)
    window = SampleStorage(
      (0..<(2 * hop)).map {
        Float(renderSine(Double.pi * (Double($0) + 0.5) / Double(2 * hop)))
      })
    errorFrame = SampleStorage(repeating: 0, count: 2 * hop)
    echoFrame = SampleStorage(repeating: 0, count: 2 * hop)
    windowed = SampleStorage(repeating: 0, count: 2 * hop)
    tail = SampleStorage(repeating: 0, count: hop)
    spectra = SpectrumStorage(rowCount: 2, binCount: bins)
    rows = SampleStorage(repeating: 0, count: 14 * bins)
    scale = Float(2 * hop) / 256
    let width = sampleRate / Double(2 * hop)
    firstBin = min(bins - 1, Int((187.5 / width).rounded()))
    endBin = min(bins, Int((8000 / width).rounded()) + 1)
    for bin in 0..<bins {
      row(.correction)[bin] = 1
      row(.lastGain)[bin] = 1
      row(.minimum)[bin] = 1e-4 * scale
      row(.noise)[bin] = 1e-4 * scale
    }
  }

  /// Filters one hop; what comes out is the hop before.
  ///
  /// - Parameters:
  ///   - error: What the canceller gives, a hop long.
  ///   - echo: What it has taken out.
  ///   - uncertainty: The squared error that it expects in each bin.
  ///   - hasRestarted: Whether it has begun with new coefficients.
  ///   - output: Room for a hop.
  @_noLocks
  mutating func suppress(
    error: ChannelBuffer, echo: ChannelBuffer, uncertainty: ChannelBuffer, hasRestarted: Bool,
    into output: ChannelBuffer
  ) {
    let spectrum = spectra[0]
    transform(error, errorFrame.buffer(at: 0, count: 2 * hop), into: spectrum)
    transform(echo, echoFrame.buffer(at: 0, count: 2 * hop), into: spectra[1])
    spectrum.power(into: row(.error))
    let echoPower = row(.echo)
    spectra[1].power(into: echoPower)
    smooth(echoPower)
    let expected = row(.expected)
    expected.copy(from: uncertainty)
    smooth(expected)
    for bin in 0..<bins { expected[bin] = 0.5 * expected[bin] + 1e-4 * echoPower[bin] }
    if hasRestarted {
      let correction = row(.correction)
      for bin in 0..<bins where correction[bin] < 1 { correction[bin] = 1 }
      settling = Self.settlingHops
      if leak < 0.3 { leak = 0.3 }
    }
    average()
    let doubt = settle(uncertainty)
    followLeak()
    judge(doubt)
    findGains()
    spectrum.multiply(by: row(.gain))
    synthesize(spectrum, into: output)
  }

  private static var settlingHops: Int { @_noLocks get { 100 } }

  @_noLocks
  private mutating func row(_ row: Row) -> ChannelBuffer {
    rows.buffer(at: row.rawValue * bins, count: bins)
  }

  /// Transforms a hop with the one before it, windowed.
  @_noLocks
  private mutating func transform(
    _ samples: ChannelBuffer, _ frame: ChannelBuffer, into spectrum: Spectrum
  ) {
    frame.copy(from: frame.dropping(hop))
    frame.dropping(hop).copy(from: samples)
    let windowed = windowed.buffer(at: 0, count: 2 * hop)
    for index in 0..<(2 * hop) { windowed[index] = frame[index] * window[index] }
    fft.forward(windowed, into: spectrum)
  }

  @_noLocks
  private mutating func synthesize(_ spectrum: Spectrum, into output: ChannelBuffer) {
    let windowed = windowed.buffer(at: 0, count: 2 * hop)
    fft.inverse(spectrum, into: windowed)
    for index in 0..<hop {
      output[index] = tail[index] + windowed[index] * window[index]
      tail[index] = windowed[hop + index] * window[hop + index]
    }
  }

  /// Averages each bin with its neighbours.
  @_noLocks
  private mutating func smooth(_ values: ChannelBuffer) {
    var before = values[0]
    for bin in 1..<(bins - 1) {
      let value = values[bin]
      values[bin] = 0.25 * before + 0.5 * value + 0.25 * values[bin + 1]
      before = value
    }
  }

  /// Averages over some 20 ms; for the noise, over 80 ms.
  @_noLocks
  private mutating func average() {
    let (error, echo, expected) = (row(.error), row(.echo), row(.expected))
    let (errorMean, echoMean) = (row(.errorMean), row(.echoMean))
    let (expectedMean, slowMean) = (row(.expectedMean), row(.slowMean))
    for bin in 0..<bins {
      errorMean[bin] += 0.4 * (error[bin] - errorMean[bin])
      echoMean[bin] += 0.4 * (echo[bin] - echoMean[bin])
      expectedMean[bin] += 0.4 * (expected[bin] - expectedMean[bin])
      slowMean[bin] += 0.1 * (error[bin] - slowMean[bin])
    }
  }

  /// How little is known since the last restart: from 1 to 0, as far as there was anything to learn
  /// from.
  @_noLocks
  private mutating func settle(_ uncertainty: ChannelBuffer) -> Float {
    var heard = 0
    for bin in firstBin..<bins where uncertainty[bin] > 1e-3 * scale { heard += 1 }
    if 5 * heard > bins && settling > 0 { settling -= 1 }
    let doubt = Float(settling) / (0.5 * Float(Self.settlingHops))
    return doubt < 1 ? doubt : 1
  }

  /// Follows how much of the echo the canceller leaves.
  @_noLocks
  private mutating func followLeak() {
    let (errorMean, echoMean, noise) = (row(.errorMean), row(.echoMean), row(.noise))
    var error: Float = 0
    var echo: Float = 0
    var floor: Float = 0
    for bin in firstBin..<bins {
      error += errorMean[bin]
      echo += echoMean[bin]
      floor += noise[bin]
    }
    frameEnergy = error
    watchQuiet()
    noiseEnergy = floor
    isFarHeard = echo > 10 * floor
    sinceFar = isFarHeard ? 0 : sinceFar + 1
    guard isFarHeard else { return }
    let rest = error - floor > 1e-9 ? error - floor : 1e-9
    if rest < leak * (echo + 1e-9) {
      leak = leak * (1 - 0.012) > 1e-4 ? leak * (1 - 0.012) : 1e-4
    } else if nearActivity <= Self.spokenShare {
      leak = leak * 1.01 < 0.5 ? leak * 1.01 : 0.5
    }
  }

  @_noLocks
  private mutating func watchQuiet() {
    age += 1
    if age % 200 == 0 {
      lastQuiet = quiet
      quiet = frameEnergy
    }
    // The first frames are not whole.
    if age > 10 && frameEnergy < quiet { quiet = frameEnergy }
    quietest = quiet < lastQuiet ? quiet : lastQuiet
  }

  /// In which share of the bins more is heard than can be explained when someone near speaks.
  private static var spokenShare: Float { @_noLocks get { 0.15 } }

  @_noLocks
  private mutating func judge(_ doubt: Float) {
    let (errorMean, echoMean, noise) = (row(.errorMean), row(.echoMean), row(.noise))
    let (expectedMean, correction) = (row(.expectedMean), row(.correction))
    var unexplained = 0
    for bin in firstBin..<endBin {
      let explained = correction[bin] * expectedMean[bin] + leak * echoMean[bin] + noise[bin]
      if errorMean[bin] > 6 * explained { unexplained += 1 }
    }
    let share = Float(unexplained) / Float(endBin - firstBin)
    nearActivity = share > 0.93 * nearActivity ? share : 0.93 * nearActivity
    let isSpoken = nearActivity > Self.spokenShare
    nearWeight = (isSpoken ? 1 : nearActivity / Self.spokenShare) * (1 - doubt)
    isCorrectionSlow = isSpoken && settling == 0
  }

  /// How far near speech is to be spared: from 0 to 1.
  private var nearWeight: Float = 0
  private var isCorrectionSlow = false

  @_noLocks
  private mutating func findGains() {
    let (error, echo, expected) = (row(.error), row(.echo), row(.expected))
    let (errorMean, expectedMean) = (row(.errorMean), row(.expectedMean))
    let (correction, unwanted) = (row(.correction), row(.unwanted))
    let (minimum, noise, slowMean) = (row(.minimum), row(.noise), row(.slowMean))
    let (gain, lastGain, lastPower) = (row(.gain), row(.lastGain), row(.lastPower))
    let over = 10 - 9 * nearWeight
    // From -46 dB to -14 dB.
    let deepest = Float(renderExp(-5.298317 + 3.688879 * Double(nearWeight)))
    depth = deepest > 0.8 * depth ? deepest : 0.8 * depth
    let rise: Float = isCorrectionSlow ? 1.0003 : 1.02
    // 2 dB a second; 16 in the first one.
    let noiseRise: Float = age < 125 ? 1.03 : 1.004
    for bin in 0..<bins {
      let floor = noise[bin]
      if expectedMean[bin] > 0.01 * floor && errorMean[bin] > 3 * floor {
        let found = (errorMean[bin] - floor) / (expectedMean[bin] + 1e-12)
        let next = correction[bin] * (found > correction[bin] ? rise : 0.98)
        correction[bin] = next < 0.02 ? 0.02 : next > 10 ? 10 : next
      }
      let present = correction[bin] * expected[bin] + leak * echo[bin]
      let lasting = 0.6 * unwanted[bin]
      let rest = present > lasting ? present : lasting
      unwanted[bin] = rest
      let lowest = minimum[bin]
      let now = slowMean[bin]
      let next = now < lowest ? 0.7 * lowest + 0.3 * now : noiseRise * lowest
      minimum[bin] = next > 1e-9 * scale ? next : 1e-9 * scale
      noise[bin] = 1.5 * minimum[bin]
      let disturbance = over * rest + noise[bin] + 1e-14
      let above = error[bin] / disturbance - 1
      let ratio =
        0.5 * lastGain[bin] * lastGain[bin] * lastPower[bin] / disturbance
        + 0.5 * (above > 0 ? above : 0)
      lastPower[bin] = error[bin]
      let least =
        (depth * over * rest + 0.25 * noise[bin]) / (over * rest + noise[bin] + 1e-14)
      let wiener = ratio / (1 + ratio)
      gain[bin] = wiener > least ? wiener : least
    }
    smooth(gain)
    lastGain.copy(from: gain)
  }
}
