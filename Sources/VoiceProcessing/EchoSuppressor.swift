import RenderCore

/// Subtracts the proven echoes from a microphone, then attenuates the residual echo and stationary
/// noise.
///
/// It works in frames of two hops under a sine window, half overlapped. Each bin has its own gain:
/// a Wiener gain with a decision-directed estimate (Y. Ephraim and D. Malah, "Speech enhancement
/// using a minimum mean-square error short-time spectral amplitude estimator", IEEE Trans. ASSP 32,
/// 1984). The unwanted power is
/// - a share of the subtracted echo, as large in each band as the residual has been without
///   near-end speech (the leak): without a proven echo it is 0;
/// - power whose envelope follows the far end (`EnvelopeComparison`), attenuated less;
/// - noise, from the minimum of each bin, which rises more slowly during speech.
///
/// Near-end speech (`NearDetector`) makes the attenuation gentler.
struct EchoSuppressor: ~Copyable {
  let hop: Int
  let bins: Int
  /// The share of the bins with more power than echo and noise explain, with a slow decay: from 0
  /// to 1.
  private(set) var nearActivity: Float = 0
  /// Whether the loudspeaker is heard.
  private(set) var isFarHeard = false
  /// The lateness of the echo relative to the main filter, in frames, and its variance.
  var lateness: Float { @_noLocks get { choice.lateness } }
  var latenessVariance: Float { @_noLocks get { choice.latenessVariance } }
  /// The energy of the last frame without the echo, and of the noise in it.
  private(set) var frameEnergy: Float = 0
  private(set) var noiseEnergy: Float = 0

  /// Whether there is near-end speech in the last frame.
  var hearsSpeech: Bool {
    @_noLocks get {
      guard frameEnergy > 4 * noiseEnergy && frameEnergy > 4 * quietest else { return false }
      return sinceFar < 40 ? nearActivity > Self.spokenShare : true
    }
  }

  /// The coherence of the microphone with the far end: see `DelaySearch`.
  var presence: Float = 0

  /// The number of hops that it was computed from.
  var comparedHops = 0

  /// The highest coherence so far, which decays over some 30 s.
  private var highestPresence: Float = 0
  /// The same without the first `clearHops` hops, whose coherence is high by chance: for seconds a
  /// near end would be taken for an echo.
  private var highestClearPresence: Float = 0
  private static var clearHops: Int { @_noLocks get { 40 } }

  private var fft: RealFFT
  private let window: SampleStorage
  /// The last two hops of the microphone and of the three echoes.
  private let frames: SampleStorage
  private var choice: EchoChoice
  /// For each band, the power of the residual echo relative to the subtracted one.
  private let leaks: SampleStorage
  private var comparison: EnvelopeComparison
  private var detector: NearDetector
  /// The assumed growth of the leaks, as a factor.
  private var growth: Float = 1
  private let windowed: SampleStorage
  private let tail: SampleStorage
  private let spectra: SpectrumStorage
  /// One row for each of `Row`.
  private let rows: SampleStorage
  /// The range of bins for speech: 190 Hz to 8 kHz.
  private let firstBin: Int
  private let endBin: Int
  /// Converts the power in a bin of a frame of 256 samples to that of a frame of this length.
  private let scale: Float

  /// The least energy of a frame in the last 1.6 to 3.2 s: steady sound is not speech.
  private var quietest: Float = 0
  private var quiet = Float.greatestFiniteMagnitude
  private var lastQuiet = Float.greatestFiniteMagnitude
  private var age = 0
  /// Hops since the loudspeaker was last heard.
  private var sinceFar = 0
  /// Hops in which the loudspeaker has been heard, up to `knownHops`.
  private var farHops = 0
  private static var knownHops: Int { @_noLocks get { 300 } }
  private var depth: Float = 1
  private var noiseShare: Float = 0.25

  private enum Row: Int {
    case error, echo, errorMean, echoMean, unwanted, minimum, slowMean, noise, gain, lastGain
    case lastPower, leak, whole, unproven, heard, calmMinimum
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
    frames = SampleStorage(repeating: 0, count: 8 * hop)
    choice = EchoChoice(hop: hop, sampleRate: sampleRate)
    leaks = SampleStorage(repeating: 0.3, count: choice.bandCount)
    comparison = EnvelopeComparison(bins: bins, bandCount: choice.bandCount)
    windowed = SampleStorage(repeating: 0, count: 2 * hop)
    tail = SampleStorage(repeating: 0, count: hop)
    spectra = SpectrumStorage(rowCount: 6, binCount: bins)
    rows = SampleStorage(repeating: 0, count: 16 * bins)
    scale = Float(2 * hop) / 256
    let width = sampleRate / Double(2 * hop)
    firstBin = min(bins - 1, Int((187.5 / width).rounded()))
    endBin = min(bins, Int((8000 / width).rounded()) + 1)
    detector = NearDetector(
      bandCount: choice.bandCount, firstBin: firstBin, endBin: endBin, scale: scale)
    for bin in 0..<bins {
      row(.lastGain)[bin] = 1
      row(.minimum)[bin] = 1e-4 * scale
      row(.calmMinimum)[bin] = 1e-4 * scale
      row(.noise)[bin] = 1e-4 * scale
    }
  }

  /// Filters one hop. The output is the hop before.
  ///
  /// - Parameters:
  ///   - microphone: A hop.
  ///   - canceller: The canceller, which has modelled the echo of that hop; it gets the decisions
  ///     about it.
  ///   - output: Room for a hop.
  @_noLocks
  mutating func suppress(
    microphone: ChannelBuffer, canceller: inout EchoCanceller, into output: ChannelBuffer
  ) {
    transform(microphone, 0, into: spectra[0])
    transform(canceller.echo(.main), 1, into: spectra[1])
    transform(canceller.echo(.shadow), 2, into: spectra[2])
    transform(canceller.echo(.kept), 3, into: spectra[3])
    let spectrum = spectra[4]
    // The coherence of a few hops is high by chance.
    let shown = presence - 3 / Float(age + 1)
    highestPresence = shown > 0.9997 * highestPresence ? shown : 0.9997 * highestPresence
    choice.near = detector.probability
    if comparedHops >= Self.clearHops {
      let clear = presence - 3 / Float(comparedHops + 1)
      highestClearPresence =
        clear > 0.9997 * highestClearPresence ? clear : 0.9997 * highestClearPresence
    }
    choice.doubt = Self.clamped((0.1 - highestClearPresence) * 20)
    if canceller.isKeptUnproven { choice.forgetTrust() }
    choice.choose(
      microphone: spectra[0], echoes: (spectra[1], spectra[2], spectra[3]), error: spectrum,
      echo: spectra[5])
    canceller.betterShare = choice.betterShare
    canceller.shadowShare = choice.shadowShare
    spectrum.power(into: row(.error))
    spectra[0].power(into: row(.heard))
    let whole = row(.whole)
    spectra[5].power(into: whole)
    smooth(whole)
    let echoPower = row(.echo)
    for band in 0..<choice.bandCount {
      let supposed = choice.supposedShare(band)
      for bin in choice.first(band)..<choice.end(band) {
        echoPower[bin] = supposed * supposed * whole[bin]
      }
    }
    average()
    comparison.compare(
      row(.errorMean), far: canceller.farPower, bands: choice, firstBin: firstBin)
    followLeaks()
    guessUnproven()
    updateNearActivity()
    detectNear(
      canceller.uncertainty.buffer(at: 0, count: bins), canceller.errors,
      played: canceller.farPower.sum() > 2e-6 * Float(bins * bins))
    canceller.nearProbability = detector.probability
    let voice = voiceShare()
    // The echo has less than a sixth of the energy.
    canceller.isMostlyVoice = voice > 0.95
    findGains(voiceShare: voice)
    spectrum.multiply(by: row(.gain))
    putBack(spectrum, from: spectra[0])
    synthesize(spectrum, into: output)
  }

  /// Puts back the part of the microphone that was removed without enough proof.
  @_noLocks
  private func putBack(_ spectrum: Spectrum, from microphone: Spectrum) {
    for band in 0..<choice.bandCount {
      let share = choice.withheld(band)
      guard share > 0 else { continue }
      for bin in choice.first(band)..<choice.end(band) {
        spectrum.real[bin] += share * (microphone.real[bin] - spectrum.real[bin])
        spectrum.imaginary[bin] += share * (microphone.imaginary[bin] - spectrum.imaginary[bin])
      }
    }
  }

  @_noLocks
  private mutating func row(_ row: Row) -> ChannelBuffer {
    rows.buffer(at: row.rawValue * bins, count: bins)
  }

  /// Transforms a hop with the one before it, windowed.
  @_noLocks
  private mutating func transform(
    _ samples: ChannelBuffer, _ number: Int, into spectrum: Spectrum
  ) {
    let frame = frames.buffer(at: number * 2 * hop, count: 2 * hop)
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

  /// Averages powers over some 20 ms; for the noise over 80 ms.
  @_noLocks
  private mutating func average() {
    let (error, echo) = (row(.error), row(.echo))
    let (errorMean, echoMean, slowMean) = (row(.errorMean), row(.echoMean), row(.slowMean))
    for bin in 0..<bins {
      errorMean[bin] += 0.4 * (error[bin] - errorMean[bin])
      let risen = echoMean[bin] + 0.4 * (echo[bin] - echoMean[bin])
      // The reverberation decays.
      echoMean[bin] = risen > 0.8 * echoMean[bin] ? risen : 0.8 * echoMean[bin]
      slowMean[bin] += 0.1 * (error[bin] - slowMean[bin])
    }
  }

  /// Estimates the residual echo beyond the proven one: without near-end speech the leaks are
  /// assumed to grow.
  @_noLocks
  private mutating func guessUnproven() {
    let likeness = comparison.likeness
    let near = detector.probability
    // In the first seconds little is known about the echo, and speech is easily taken for it.
    let isKnown = farHops >= Self.knownHops
    growth *= isKnown && near < 0.04 ? 1.4 : isKnown && near < 0.1 ? 1 : 0.1
    growth = growth < 1 ? 1 : growth > 1000 ? 1000 : growth
    let belief =
      Self.clamped((likeness - 0.45) * 6) * Self.clamped((presence - 0.05) * 20)
    let (echoMean, unproven) = (row(.echoMean), row(.unproven))
    for band in 0..<choice.bandCount {
      let grown = growth * leaks[band] < 1 ? growth * leaks[band] : 1
      let leak = belief * comparison.leak(band)
      for bin in choice.first(band)..<choice.end(band) {
        let (alike, known) = (leak * comparison.played(bin), grown * echoMean[bin])
        unproven[bin] = alike > known ? alike : known
      }
    }
  }

  @_noLocks
  private static func clamped(_ value: Float) -> Float { value < 0 ? 0 : value > 1 ? 1 : value }

  /// Updates the leak of each band, and the energies that depend on them.
  @_noLocks
  private mutating func followLeaks() {
    let (errorMean, echoMean, noise) = (row(.errorMean), row(.echoMean), row(.noise))
    let leak = row(.leak)
    var (error, echo, floor) = (Float(0), Float(0), Float(0))
    let rise: Float = nearActivity > 0.35 ? 1.002 : nearActivity > 0.12 ? 1.01 : 1.03
    for band in 0..<choice.bandCount {
      let (first, end) = (choice.first(band), choice.end(band))
      var (bandError, bandEcho, bandFloor) = (Float(0), Float(0), Float(0))
      for bin in first..<end {
        bandError += errorMean[bin]
        bandEcho += echoMean[bin]
        bandFloor += noise[bin]
      }
      if first >= firstBin {
        error += bandError
        echo += bandEcho
        floor += bandFloor
      }
      if bandEcho > 3 * bandFloor {
        let rest = bandError > 1.5 * bandFloor ? bandError - bandFloor : 0.5 * bandFloor
        let found = rest / bandEcho
        let now = leaks[band]
        let next = found < now ? 0.97 * now : rise * now
        leaks[band] = next < 1e-4 ? 1e-4 : next > 1 ? 1 : next
      }
      for bin in first..<end { leak[bin] = leaks[band] }
    }
    frameEnergy = error
    updateQuietest()
    noiseEnergy = floor
    isFarHeard = echo > 10 * floor
    sinceFar = isFarHeard ? 0 : sinceFar + 1
    if isFarHeard && farHops < Self.knownHops { farHops += 1 }
  }

  @_noLocks
  private mutating func updateQuietest() {
    age += 1
    if age % 200 == 0 {
      lastQuiet = quiet
      quiet = frameEnergy
    }
    // The first frames contain silence from before the start.
    if age > 10 && frameEnergy < quiet { quiet = frameEnergy }
    quietest = quiet < lastQuiet ? quiet : lastQuiet
  }

  /// The least `nearActivity` of near-end speech while the loudspeaker is heard.
  private static var spokenShare: Float { @_noLocks get { 0.15 } }

  @_noLocks
  private mutating func updateNearActivity() {
    let (errorMean, echoMean, noise) = (row(.errorMean), row(.echoMean), row(.noise))
    let (leak, unproven) = (row(.leak), row(.unproven))
    // The bins of the bands with more power than explained.
    var unexplained = 0
    for band in 0..<choice.bandCount {
      let (first, end) = (choice.first(band), choice.end(band))
      guard first >= firstBin && first < endBin else { continue }
      var (heard, explained) = (Float(0), Float(0))
      for bin in first..<end {
        heard += errorMean[bin]
        let known = leak[bin] * echoMean[bin]
        explained += (known > unproven[bin] ? known : unproven[bin]) + noise[bin]
      }
      if heard > 2.5 * explained { unexplained += (end < endBin ? end : endBin) - first }
    }
    let share = Float(unexplained) / Float(endBin - firstBin)
    nearActivity = share > 0.93 * nearActivity ? share : 0.93 * nearActivity
  }

  /// Updates the probability of near-end speech, and the weights that follow from it.
  @_noLocks
  private mutating func detectNear(
    _ uncertainty: ChannelBuffer, _ errors: NearDetector.Errors, played: Bool
  ) {
    detector.judge(
      NearDetector.Spectra(
        microphone: row(.heard), left: row(.errorMean), echo: row(.echoMean), leak: row(.leak),
        noise: row(.noise), uncertainty: uncertainty),
      bands: choice, comparison: comparison, presence: (presence, highestPresence), errors: errors,
      known: Float(farHops) / Float(Self.knownHops))
    // Losing speech is worse than letting some echo pass.
    let weight = Self.clamped((detector.probability - 0.01) * 12)
    nearWeight = weight > 0.93 * nearWeight ? weight : 0.93 * nearWeight
    sincePlayed = played ? 0 : sincePlayed + 1
    let isAlone = detector.probability < 0.08 && sincePlayed < 50 && highestPresence > 0.05
    farAlone = isAlone ? 1 : detector.probability > 0.15 ? 0 : 0.7 * farAlone
  }

  /// The certainty that only the far end is heard: from 0 to 1.
  private var farAlone: Float = 0
  /// Hops since something was played.
  private var sincePlayed = 0

  /// The clues of the last frame: see `NearDetector`.
  var clues: ChannelBuffer { @_noLocks get { detector.lastClues } }

  /// How much near-end speech is spared: from 0 to 1.
  private var nearWeight: Float = 0

  /// The least gain where near-end speech dominates: the microphone is nearly good enough then.
  private static var sparedGain: Float { @_noLocks get { 0.7 } }

  /// The dominance of near-end speech over the echo: 0 where the echo has 30 % or more of the
  /// energy of the last quarter of a second, 1 where it has 15 % or less.
  @_noLocks
  private mutating func voiceShare() -> Float {
    let (heard, echo) = (row(.heard), row(.echoMean))
    var (heardEnergy, echoEnergy) = (Float(0), Float(0))
    for bin in firstBin..<endBin {
      heardEnergy += heard[bin]
      echoEnergy += echo[bin]
    }
    heardLevel += 0.03 * (heardEnergy - heardLevel)
    echoLevel += 0.03 * (echoEnergy - echoLevel)
    return Self.clamped(2 * (1 - echoLevel / (0.3 * heardLevel + 1e-9)))
  }

  private var heardLevel: Float = 0
  private var echoLevel: Float = 0

  @_noLocks
  private mutating func findGains(voiceShare: Float) {
    let (error, echo, leak, errorMean) = (row(.error), row(.echo), row(.leak), row(.errorMean))
    let (unwanted, unproven) = (row(.unwanted), row(.unproven))
    let (minimum, noise, slowMean) = (row(.minimum), row(.noise), row(.slowMean))
    let calm = row(.calmMinimum)
    let (gain, lastGain, lastPower) = (row(.gain), row(.lastGain), row(.lastPower))
    let over = 10 - 9 * nearWeight
    let share = over > 2 ? 2 / over : 1
    // From -46 dB to -8 dB: deeper gains during speech would take more of the speech than of the
    // echo.
    let deep = Float(renderExp(-5.298317 + 4.382027 * Double(nearWeight)))
    let spared = Self.sparedGain * voiceShare * nearWeight
    let deepest = deep > spared ? deep : spared
    depth = deepest > 0.8 * depth ? deepest : 0.8 * depth
    // Noise by 12 dB; by 26 dB while the far end is heard alone, and for half a second after.
    let wanted: Float = sinceFar < 60 ? 0.05 + 0.2 * nearWeight : 0.25
    let noiseOver: Float = sinceFar < 60 ? 4 - 3 * nearWeight : 1
    noiseShare = wanted > noiseShare ? wanted : noiseShare + 0.3 * (wanted - noiseShare)
    // 2 dB per second; 16 dB in the first second.
    let noiseRise: Float = age < 125 ? 1.03 : 1.004
    // During speech the noise estimate rises a tenth as fast, so that lasting sounds of speech are
    // not taken for noise. Steady sound is not speech.
    let spoken = frameEnergy > 4 * quietest ? nearWeight : 0
    let spokenRise = 1 + (noiseRise - 1) * (1 - 0.9 * spoken)
    for bin in 0..<bins {
      let known = leak[bin] * echo[bin]
      let guessed = share * unproven[bin]
      let found = known > guessed ? known : guessed
      // With the far end alone, all of the residual is echo or noise.
      let left = farAlone * share * errorMean[bin]
      let present = found > left ? found : left
      let lasting = 0.6 * unwanted[bin]
      let rest = present > lasting ? present : lasting
      unwanted[bin] = rest
      let lowest = minimum[bin]
      let now = slowMean[bin]
      let next = now < lowest ? 0.7 * lowest + 0.3 * now : noiseRise * lowest
      minimum[bin] = next > 1e-9 * scale ? next : 1e-9 * scale
      noise[bin] = 1.5 * minimum[bin]
      let calmest = calm[bin]
      let calmer = now < calmest ? 0.7 * calmest + 0.3 * now : spokenRise * calmest
      calm[bin] = calmer > 1e-9 * scale ? calmer : 1e-9 * scale
      let hum = 1.5 * calm[bin]
      let disturbance = over * rest + noiseOver * hum + 1e-14
      let above = error[bin] / disturbance - 1
      let ratio =
        0.5 * lastGain[bin] * lastGain[bin] * lastPower[bin] / disturbance
        + 0.5 * (above > 0 ? above : 0)
      lastPower[bin] = error[bin]
      let least =
        (depth * over * rest + noiseShare * hum) / (over * rest + hum + 1e-14)
      let wiener = ratio / (1 + ratio)
      gain[bin] = wiener > least ? wiener : least
    }
    smooth(gain)
    lastGain.copy(from: gain)
  }
}
