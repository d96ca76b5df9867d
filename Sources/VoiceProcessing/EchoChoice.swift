import RenderCore

/// Selects, band by band, the filter whose echo is subtracted, and the share of it that is.
///
/// The share is the correlation of the microphone with the modelled echo, divided by the power of
/// that echo: 1 for a correct model, 0 for an echo that is not there. It counts only where it
/// exceeds what chance would give beside a near end of this level. So no band becomes louder than
/// the microphone for long, and where no echo is proven the microphone passes unchanged.
///
/// The adaptive filters also follow a voice near the microphone, in the few bands that have its
/// lasting tones; an echo is in most bands at once. So during near-end speech, while the kept
/// filter is empty or unproven, an adaptive filter that correlates with the microphone in few bands
/// only needs more proof in each of them. The unproven part is put back at the end (`withheld`),
/// after the adaptation, which it does not change.
///
/// It uses frames of two hops under a sine window, and averages over some 0.15 s.
struct EchoChoice: ~Copyable {
  let bins: Int
  let bandCount: Int
  /// The bin of 8 kHz. Bands from there on do not count in decisions over all bands: most sounds
  /// have next to nothing there, and which residual is lower is chance.
  private let endBin: Int
  /// The distance of two bins, in radians per frame.
  private let step: Float
  /// The first bin of each band, and the end of the last band.
  private let edges: SampleStorage
  /// Averages for each filter and band: the product of its echo with the microphone, and the power
  /// of its echo; then for each band the power of the microphone.
  private let products: SampleStorage
  private let powers: SampleStorage
  private let heard: SampleStorage
  /// For each filter and band: the share of its echo that is subtracted.
  private let shares: SampleStorage
  /// For each filter and band: the standard deviation of that share by chance.
  private let chanceShares: SampleStorage
  /// For the main and the shadow filter and each band: the part of the subtracted echo that is put
  /// back.
  private let returnedShares: SampleStorage
  /// The additional proof that those two need, in standard deviations.
  private var extraProofs: (main: Float, shadow: Float) = (0, 0)
  /// The share of the bands in which the microphone correlates with them: from 0 to 1.
  private var followed: (main: Float, shadow: Float) = (0, 0)
  private var isNothingKept = true
  /// For each band: the share of the chosen echo that is assumed to be there.
  private let supposed: SampleStorage
  /// For each band: the filter that is chosen.
  private let choices: SampleStorage

  private static var filterCount: Int { @_noLocks get { 3 } }

  init(hop: Int, sampleRate: Double) {
    bins = hop + 1
    step = Float(Double.pi / Double(hop))
    let width = sampleRate / Double(2 * hop)
    endBin = Int((8000 / width).rounded())
    var starts: [Float] = [0]
    var frequency = 0.0
    while true {
      // A critical band, but at least two bins.
      let step = max(2 * width, 100 + 0.16 * frequency)
      frequency += step
      let bin = Int((frequency / width).rounded())
      if bin >= hop - 1 { break }
      starts.append(Float(bin))
    }
    starts.append(Float(hop + 1))
    bandCount = starts.count - 1
    edges = SampleStorage(starts)
    products = SampleStorage(repeating: 0, count: Self.filterCount * bandCount)
    powers = SampleStorage(repeating: 0, count: Self.filterCount * bandCount)
    shares = SampleStorage(repeating: 0, count: Self.filterCount * bandCount)
    chanceShares = SampleStorage(repeating: 1, count: Self.filterCount * bandCount)
    returnedShares = SampleStorage(repeating: 0, count: 2 * bandCount)
    heard = SampleStorage(repeating: 0, count: bandCount)
    choices = SampleStorage(repeating: 0, count: bandCount)
    supposed = SampleStorage(repeating: 0, count: bandCount)
  }

  @_noLocks
  func first(_ band: Int) -> Int { Int(edges[band]) }

  /// The first bin behind the band.
  @_noLocks
  func end(_ band: Int) -> Int { Int(edges[band + 1]) }

  /// The share of the chosen echo that is subtracted in a band: from 0 to 1.
  @_noLocks
  func share(_ band: Int) -> Float {
    shares[Int(choices[band]) * bandCount + band]
  }

  /// The part of the subtracted echo to put back into a band because it is not proven: from 0 to 1.
  @_noLocks
  func withheld(_ band: Int) -> Float {
    let filter = Int(choices[band])
    return filter == 2 ? 0 : returnedShares[filter * bandCount + band]
  }

  /// The share of the chosen echo that is assumed to be in a band: from 0 to 1.
  @_noLocks
  func supposedShare(_ band: Int) -> Float { supposed[band] }

  /// Chooses the echo of each band, and subtracts its share.
  ///
  /// - Parameters:
  ///   - microphone: A frame's spectrum.
  ///   - echoes: Those of the three filters, in the order of `EchoFilter`.
  ///   - error: Becomes the microphone without the echo.
  ///   - echo: Becomes the whole of the echo that is chosen in each band.
  @_noLocks
  mutating func choose(
    microphone: Spectrum, echoes: (Spectrum, Spectrum, Spectrum), error: Spectrum, echo: Spectrum
  ) {
    var (shown, possible) = (Float(0), Float(0))
    var (phaseSum, phaseWeight) = (Float(0), Float(0))
    var (wins, shadowWins, contests) = (Float(0), Float(0), Float(0))
    var (keptPower, wholePower) = (Float(0), Float(0))
    var (bandsOfMain, bandsOfShadow) = (Float(0), Float(0))
    extraProofs = (extraProof(followed.main), extraProof(followed.shadow))
    for band in 0..<bandCount {
      let range = first(band)..<end(band)
      var power: Float = 0
      let (dRe, dIm) = (microphone.real, microphone.imaginary)
      for bin in range { power += dRe[bin] * dRe[bin] + dIm[bin] * dIm[bin] }
      // After a drop of 15 dB the average follows faster.
      let rate = power < 0.03 * heard[band] ? 3 * Self.rate : Self.rate
      heard[band] += rate * (power - heard[band])
      updateCorrelation(echoes.0, microphone, band, 0, rate)
      updateCorrelation(echoes.1, microphone, band, 1, rate)
      updateCorrelation(echoes.2, microphone, band, 2, rate)
      let rest = residual(0, band)
      if first(band) > 1 && shares[band] > 0.5 && rest > 0 {
        // The phase of the microphone relative to the echo, weighted by the inverse of the
        // residual.
        let (yRe, yIm) = (echoes.0.real, echoes.0.imaginary)
        var (turned, certain) = (Float(0), Float(0))
        for bin in range {
          let frequency = Float(bin) * step
          turned -= frequency * (yRe[bin] * dIm[bin] - yIm[bin] * dRe[bin])
          certain += frequency * frequency * (yRe[bin] * yRe[bin] + yIm[bin] * yIm[bin])
        }
        let weight = Float(end(band) - first(band)) / (rest + 1e-9)
        phaseSum += weight * turned
        phaseWeight += weight * certain
      }
      let present = Int(choices[band])
      var best = present
      var least = present == 2 ? 0.9 * residual(present, band) : Float.greatestFiniteMagnitude
      // The residuals of the adaptive filters are biased low, because these follow the near end
      // too.
      let handicap = 1 + 0.3 * trust
      for filter in 0..<Self.filterCount {
        var rest = filter == 2 ? residual(filter, band) : handicap * residual(filter, band)
        // A modelled echo that suddenly becomes much louder is more likely near-end speech.
        if powers[filter * bandCount + band] > 6 * powers[2 * bandCount + band] {
          rest *= 1 + (3 + 30 * near) * trust
        }
        guard rest < least else { continue }
        best = filter
        least = rest
      }
      choices[band] = Float(best)
      let share = shares[best * bandCount + band]
      if first(band) > 1 && first(band) < endBin {
        contests += 1
        if isFollowed(0, band) { bandsOfMain += 1 }
        if isFollowed(1, band) { bandsOfShadow += 1 }
        if fullResidual(0, band) < fullResidual(2, band) { wins += 1 }
        if fullResidual(1, band) < fullResidual(2, band) { shadowWins += 1 }
      }
      keptPower += powers[2 * bandCount + band]
      wholePower += heard[band]
      // The kept filter does not follow the near end.
      if first(band) > 1 && chanceShares[2 * bandCount + band] < 0.2 {
        shown += share > 0.5 ? 1 : 0
        possible += 1
      }
      let chosen = best == 0 ? echoes.0 : best == 1 ? echoes.1 : echoes.2
      let (yRe, yIm) = (chosen.real, chosen.imaginary)
      for bin in range {
        error.real[bin] = dRe[bin] - share * yRe[bin]
        error.imaginary[bin] = dIm[bin] - share * yIm[bin]
      }
      // The echo is in all bands or in none. A band in which near-end speech hides it has it as the
      // others do.
      supposed[band] = share > trust ? share : trust
      for bin in range {
        echo.real[bin] = yRe[bin]
        echo.imaginary[bin] = yIm[bin]
      }
    }
    betterShare = contests > 0 ? wins / contests : 0
    shadowShare = contests > 0 ? shadowWins / contests : 0
    followed = contests > 0 ? (bandsOfMain / contests, bandsOfShadow / contests) : (0, 0)
    lateness = phaseWeight > 0 ? phaseSum / phaseWeight : 0
    latenessVariance = phaseWeight > 0 ? 1 / phaseWeight : 1e9
    // An empty kept filter deserves no trust.
    isNothingKept = keptPower < 1e-6 * wholePower
    if isNothingKept { trust *= 0.98 }
    guard possible > 3 else { return }
    let found = (shown / possible - 0.2) * 1.6
    let next = found < 0 ? 0 : found > 1 ? 1 : found
    trust += (next > trust ? 0.05 : 0.012) * (next - trust)
  }

  /// The share of the bands in which the residual of the main filter is below that of the kept one:
  /// from 0 to 1.
  private(set) var betterShare: Float = 1
  /// The same for the shadow filter.
  private(set) var shadowShare: Float = 1

  /// The lateness of the echo in the last frame relative to the main filter, in frames, and its
  /// variance.
  private(set) var lateness: Float = 0
  private(set) var latenessVariance: Float = 1e9

  /// The doubt that the loudspeaker is heard at all: from 0 to 1.
  var doubt: Float = 0
  /// The probability of near-end speech.
  var near: Float = 0

  /// The share of the bands that could have an echo in which it has lately been proven, scaled to 0
  /// to 1.
  private(set) var trust: Float = 0

  /// Lets the kept filter prove itself again.
  @_noLocks
  mutating func forgetTrust() { trust = 0 }

  /// The additional proof for a filter, in standard deviations.
  ///
  /// With an echo louder than the near end, the microphone correlates with a converged filter in
  /// more than half of the bands. With near-end speech alone it does so in a quarter, there with up
  /// to 20 standard deviations.
  @_noLocks
  private func extraProof(_ followed: Float) -> Float {
    // The kept filter may model a voice as well.
    let isUnshown = isNothingKept || trust < 0.05
    guard isUnshown && near > 0.5 && followed < 0.6 else { return 0 }
    return 20 * (2 * near - 1) * (1 - followed / 0.6)
  }

  /// Whether the correlation of the microphone with a filter in a band is above three standard
  /// deviations of chance.
  @_noLocks
  private func isFollowed(_ filter: Int, _ band: Int) -> Bool {
    let index = filter * bandCount + band
    return products[index] > 3 * chanceShares[index] * powers[index]
  }

  /// A hop's share in the averages.
  private static var rate: Float { @_noLocks get { 0.06 } }

  @_noLocks
  private mutating func updateCorrelation(
    _ echo: Spectrum, _ microphone: Spectrum, _ band: Int, _ filter: Int, _ rate: Float
  ) {
    var product: Float = 0
    var power: Float = 0
    let (yRe, yIm, dRe, dIm) = (
      echo.real, echo.imaginary, microphone.real, microphone.imaginary
    )
    for bin in first(band)..<end(band) {
      product += yRe[bin] * dRe[bin] + yIm[bin] * dIm[bin]
      power += yRe[bin] * yRe[bin] + yIm[bin] * yIm[bin]
    }
    let index = filter * bandCount + band
    products[index] += rate * (product - products[index])
    powers[index] += rate * (power - powers[index])
    guard powers[index] > 1e-9 else {
      shares[index] = 0
      chanceShares[index] = 1
      if filter < 2 { returnedShares[index] = 0 }
      return
    }
    let whole = products[index] / powers[index]
    // The unexplained power, and the standard deviation of the share that it causes.
    let rest = heard[band] - products[index] * whole
    let count = 0.5 * Float(end(band) - first(band)) / Self.rate
    let chance = renderSquareRoot(
      (rest > 0 ? rest : 0) / (powers[index] * count))
    // A significant echo is subtracted with its share plus one standard deviation. The lasting
    // tones of a voice correlate more by chance, so that an echo needs 5.5 standard deviations;
    // more where the microphone has not been coherent with the far end (`doubt`), and less where
    // the echo has been proven in other bands (`trust`), least of all for the kept filter.
    let proof = whole / (chance + 1e-9) - (5.5 + 5 * doubt - (filter == 2 ? 6 : 4) * trust)
    chanceShares[index] = chance
    let most = whole + chance < 1 ? whole + chance : 1
    let shown: Float = proof <= 0 ? 0 : proof < 1 ? proof : 1
    shares[index] = shown * most
    guard filter < 2 else { return }
    let proven = proof - (filter == 0 ? extraProofs.main : extraProofs.shadow)
    returnedShares[index] = shown == 0 || proven >= shown ? 0 : proven <= 0 ? 1 : 1 - proven / shown
  }

  /// The power in a band: of the residuals of the kept and of the main filter, and of the
  /// microphone.
  @_noLocks
  func residuals(_ band: Int) -> (kept: Float, main: Float, heard: Float) {
    (fullResidual(2, band), fullResidual(0, band), heard[band])
  }

  /// The power of the residual when all of a filter's echo is subtracted.
  @_noLocks
  private func fullResidual(_ filter: Int, _ band: Int) -> Float {
    let index = filter * bandCount + band
    return heard[band] - 2 * products[index] + powers[index]
  }

  /// The power of the residual when the share of a filter's echo is subtracted.
  @_noLocks
  private func residual(_ filter: Int, _ band: Int) -> Float {
    let index = filter * bandCount + band
    let share = shares[index]
    return heard[band] - 2 * share * products[index] + share * share * powers[index]
  }
}
