import RenderCore

/// Takes out of a microphone the echoes that can be shown to be in it, takes down what is left of them,
/// and noise that does not change.
///
/// Frames of two hops under a sine window, half overlapped, each bin with a gain of its own: a Wiener
/// gain with a decision-directed estimate (Y. Ephraim and D. Malah, "Speech enhancement using a minimum
/// mean-square error short-time spectral amplitude estimator", IEEE Trans. ASSP 32, 1984). What counts
/// as unwanted is
/// - a share of the echo that was taken out, in each band as large as what is left has been found to be
///   when nobody near speaks: where no echo can be shown there is nothing to take down;
/// - what grows louder and softer together with the far end (`EnvelopeComparison`), less deeply;
/// - noise, followed by the minima of each bin, more slowly beside a voice.
///
/// How much of that is taken away follows from whether someone near speaks (`NearDetector`): then the gains
/// are gentle.
struct EchoSuppressor: ~Copyable {
  let hop: Int
  let bins: Int
  /// Whether someone near speaks: from 0, not at all, to 1.
  private(set) var nearActivity: Float = 0
  /// Whether the loudspeaker is heard.
  private(set) var isFarHeard = false
  /// How late the echo comes, in frames, beside what the filter has learnt, and the variance of that.
  var lateness: Float { @_noLocks get { choice.lateness } }
  var latenessVariance: Float { @_noLocks get { choice.latenessVariance } }
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

  /// The coherence of the microphone with what is played: see `DelaySearch`.
  var presence: Float = 0

  /// Over how many hops it was found.
  var comparedHops = 0

  /// The highest coherence of the last 30 s, some of it forgotten.
  private var strongest: Float = 0
  /// The same without that of the first hops that are compared: it is high by chance, and for seconds after
  /// a near end would be taken for an echo.
  private var clearest: Float = 0
  private static var clearHops: Int { @_noLocks get { 40 } }

  private var fft: RealFFT
  private let window: SampleStorage
  /// The last two hops of the microphone and of the three echoes.
  private let frames: SampleStorage
  private var choice: EchoChoice
  /// For each band, how much of the echo that is taken out is left, in power.
  private let leaks: SampleStorage
  private var comparison: EnvelopeComparison
  private var detector: NearDetector
  /// By how much the leaks are taken to have grown while nobody near speaks.
  private var growth: Float = 1
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

  /// The least energy of a frame in the last 1.6 to 3.2 s: what never changes is not speech.
  private var quietest: Float = 0
  private var quiet = Float.greatestFiniteMagnitude
  private var lastQuiet = Float.greatestFiniteMagnitude
  private var age = 0
  /// Hops since the loudspeaker was heard: a room rings on.
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

  /// Filters one hop; what comes out is the hop before.
  ///
  /// - Parameters:
  ///   - microphone: A hop.
  ///   - canceller: What has modelled the echo of that hop.
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
    strongest = shown > 0.9997 * strongest ? shown : 0.9997 * strongest
    choice.near = detector.probability
    if comparedHops >= Self.clearHops {
      let clear = presence - 3 / Float(comparedHops + 1)
      clearest = clear > 0.9997 * clearest ? clear : 0.9997 * clearest
    }
    choice.doubt = Self.clamped((0.1 - clearest) * 20)
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
    judge()
    listen(
      canceller.uncertainty.buffer(at: 0, count: bins), canceller.errors,
      played: canceller.farPower.sum() > 2e-6 * Float(bins * bins))
    canceller.nearProbability = detector.probability
    let voice = voiceShare()
    // An echo has less than a sixth of the energy.
    canceller.isMostlyVoice = voice > 0.95
    findGains(voiceShare: voice)
    spectrum.multiply(by: row(.gain))
    putBack(spectrum, from: spectra[0])
    synthesize(spectrum, into: output)
  }

  /// Has the microphone pass where too little has been shown for what was taken out.
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

  /// Averages over some 20 ms; for the noise, over 80 ms.
  @_noLocks
  private mutating func average() {
    let (error, echo) = (row(.error), row(.echo))
    let (errorMean, echoMean, slowMean) = (row(.errorMean), row(.echoMean), row(.slowMean))
    for bin in 0..<bins {
      errorMean[bin] += 0.4 * (error[bin] - errorMean[bin])
      let risen = echoMean[bin] + 0.4 * (echo[bin] - echoMean[bin])
      // A room rings on.
      echoMean[bin] = risen > 0.8 * echoMean[bin] ? risen : 0.8 * echoMean[bin]
      slowMean[bin] += 0.1 * (error[bin] - slowMean[bin])
    }
  }

  /// What echo may be left beyond what has been shown: where nobody near speaks, a band's leak is taken to
  /// have grown.
  @_noLocks
  private mutating func guessUnproven() {
    let likeness = comparison.likeness
    let near = detector.probability
    // In the first seconds little is known of the echo, and a voice easily taken for it.
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

  /// Follows how much of the echo is left in each band.
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
    watchQuiet()
    noiseEnergy = floor
    isFarHeard = echo > 10 * floor
    sinceFar = isFarHeard ? 0 : sinceFar + 1
    if isFarHeard && farHops < Self.knownHops { farHops += 1 }
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
  private mutating func judge() {
    let (errorMean, echoMean, noise) = (row(.errorMean), row(.echoMean), row(.noise))
    let (leak, unproven) = (row(.leak), row(.unproven))
    // Bins that belong to bands in which more is heard.
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

  /// Judges whether someone near speaks, and how far that is to be spared.
  @_noLocks
  private mutating func listen(
    _ uncertainty: ChannelBuffer, _ errors: NearDetector.Errors, played: Bool
  ) {
    detector.judge(
      NearDetector.Spectra(
        microphone: row(.heard), left: row(.errorMean), echo: row(.echoMean), leak: row(.leak),
        noise: row(.noise), uncertainty: uncertainty),
      bands: choice, comparison: comparison, presence: (presence, strongest), errors: errors,
      known: Float(farHops) / Float(Self.knownHops))
    // To lose a voice is worse than to let some echo pass.
    let weight = Self.clamped((detector.probability - 0.01) * 12)
    nearWeight = weight > 0.93 * nearWeight ? weight : 0.93 * nearWeight
    sincePlayed = played ? 0 : sincePlayed + 1
    let isAlone = detector.probability < 0.08 && sincePlayed < 50 && strongest > 0.05
    alone = isAlone ? 1 : detector.probability > 0.15 ? 0 : 0.7 * alone
  }

  /// How sure it is that the far end is alone: from 0 to 1.
  private var alone: Float = 0
  /// Hops since something was played.
  private var sincePlayed = 0

  /// What the last frame was judged by, whether someone near speaks.
  var clues: ChannelBuffer { @_noLocks get { detector.lastClues } }

  /// How far near speech is to be spared: from 0 to 1.
  private var nearWeight: Float = 0

  /// The least gain beside a voice that is most of what is heard: the microphone is nearly as good as it is.
  private static var sparedGain: Float { @_noLocks get { 0.7 } }

  /// How far what is heard is a voice and not the echo: 0 where the echo has three tenths of the energy of the last
  /// quarter of a second, or more, and 1 where it has half of that.
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
    // From -46 dB to -8 dB: what is taken down further beside a voice takes of the voice more than of the echo.
    let deep = Float(renderExp(-5.298317 + 4.382027 * Double(nearWeight)))
    let spared = Self.sparedGain * voiceShare * nearWeight
    let deepest = deep > spared ? deep : spared
    depth = deepest > 0.8 * depth ? deepest : 0.8 * depth
    // Noise by 12 dB; by 26 dB while the far end is heard alone, and for half a second after.
    let wanted: Float = sinceFar < 60 ? 0.05 + 0.2 * nearWeight : 0.25
    let noiseOver: Float = sinceFar < 60 ? 4 - 3 * nearWeight : 1
    noiseShare = wanted > noiseShare ? wanted : noiseShare + 0.3 * (wanted - noiseShare)
    // 2 dB a second; 16 in the first one.
    let noiseRise: Float = age < 125 ? 1.03 : 1.004
    // What is taken down beside a voice rises by a tenth of that: its lasting sounds would be taken for noise.
    // What does not change is not speech.
    let spoken = frameEnergy > 4 * quietest ? nearWeight : 0
    let spokenRise = 1 + (noiseRise - 1) * (1 - 0.9 * spoken)
    for bin in 0..<bins {
      let known = leak[bin] * echo[bin]
      let guessed = share * unproven[bin]
      let found = known > guessed ? known : guessed
      // Where the far end is alone, all that is left is echo, or noise.
      let left = alone * share * errorMean[bin]
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
