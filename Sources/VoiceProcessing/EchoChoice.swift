import RenderCore

/// Decides, band by band, which of the echoes that the filters model is taken out, and how much of it.
///
/// An echo is there to the extent that the microphone follows it: the part of the microphone that is
/// correlated with it, divided by its own power, is 1 for an echo that is modelled right and 0 for one
/// that is not there. What chance alone would bring, beside a near end as loud as the one that is
/// heard, is taken off. So a band is never made louder than the microphone for long, and where no echo
/// can be shown the microphone passes as it is.
///
/// What adapts follows a voice near the microphone, too: a voice has few and lasting tones, and in the bands
/// that have them it can be foretold from what is played. An echo is in most bands at once. So where someone
/// near is known to speak, and no filter has been kept yet or the one that is kept has shown nothing, one that
/// the microphone follows in few bands has to show more in each of them, and what it does not show is put back
/// at the end (`withheld`): what is learnt from the frame stays what it was.
///
/// Frames of two hops under a sine window; averages over some 0.15 s.
struct EchoChoice: ~Copyable {
  let bins: Int
  let bandCount: Int
  /// Bands from here on, from 8 kHz up, do not count in what is decided for all of them: most sounds have next to
  /// nothing there, and which filter leaves less of that is chance.
  private let endBin: Int
  /// From bin to bin, in radians a frame.
  private let step: Float
  /// Where each band begins, in bins, and where the last one ends.
  private let edges: SampleStorage
  /// For each filter and band: the product of its echo with the microphone, its power; then the
  /// microphone's power.
  private let products: SampleStorage
  private let powers: SampleStorage
  private let heard: SampleStorage
  /// For each filter and band: how much of its echo is believed.
  private let shares: SampleStorage
  /// For each filter and band: what chance would make of that.
  private let chances: SampleStorage
  /// For the main filter and the shadow filter and each band: how much of what is taken out is put back.
  private let returns: SampleStorage
  /// How much more those two have to show, in deviations.
  private var demands: (main: Float, shadow: Float) = (0, 0)
  /// In how many of the bands the microphone follows them: from 0 to 1.
  private var followed: (main: Float, shadow: Float) = (0, 0)
  private var isNothingKept = true
  /// For each band: how much of the chosen echo is supposed to be there.
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
      // As wide as a critical band, and two bins at least.
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
    chances = SampleStorage(repeating: 1, count: Self.filterCount * bandCount)
    returns = SampleStorage(repeating: 0, count: 2 * bandCount)
    heard = SampleStorage(repeating: 0, count: bandCount)
    choices = SampleStorage(repeating: 0, count: bandCount)
    supposed = SampleStorage(repeating: 0, count: bandCount)
  }

  @_noLocks
  func first(_ band: Int) -> Int { Int(edges[band]) }

  /// The bins behind the band.
  @_noLocks
  func end(_ band: Int) -> Int { Int(edges[band + 1]) }

  /// How much of the chosen echo is believed in a band: from 0 to 1.
  @_noLocks
  func share(_ band: Int) -> Float {
    shares[Int(choices[band]) * bandCount + band]
  }

  /// How much of what was taken out of a band is to be put back, since an echo is not proven enough: from 0 to 1.
  @_noLocks
  func withheld(_ band: Int) -> Float {
    let filter = Int(choices[band])
    return filter == 2 ? 0 : returns[filter * bandCount + band]
  }

  /// How much of the chosen echo is supposed to be in a band: from 0 to 1.
  @_noLocks
  func supposedShare(_ band: Int) -> Float { supposed[band] }

  /// Takes the echoes out.
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
    var (turn, reach) = (Float(0), Float(0))
    var (wins, shadowWins, contests) = (Float(0), Float(0), Float(0))
    var (keptPower, wholePower) = (Float(0), Float(0))
    var (bandsOfMain, bandsOfShadow) = (Float(0), Float(0))
    demands = (demand(followed.main), demand(followed.shadow))
    for band in 0..<bandCount {
      let range = first(band)..<end(band)
      var power: Float = 0
      let (dRe, dIm) = (microphone.real, microphone.imaginary)
      for bin in range { power += dRe[bin] * dRe[bin] + dIm[bin] * dIm[bin] }
      // Where it has become far quieter, what was loud before is soon forgotten.
      let rate = power < 0.03 * heard[band] ? 3 * Self.rate : Self.rate
      heard[band] += rate * (power - heard[band])
      weigh(echoes.0, microphone, band, 0, rate)
      weigh(echoes.1, microphone, band, 1, rate)
      weigh(echoes.2, microphone, band, 2, rate)
      let rest = left(0, band)
      if first(band) > 1 && shares[band] > 0.5 && rest > 0 {
        // How far the microphone is turned against the echo, beside what is left.
        let (yRe, yIm) = (echoes.0.real, echoes.0.imaginary)
        var (turned, certain) = (Float(0), Float(0))
        for bin in range {
          let frequency = Float(bin) * step
          turned -= frequency * (yRe[bin] * dIm[bin] - yIm[bin] * dRe[bin])
          certain += frequency * frequency * (yRe[bin] * yRe[bin] + yIm[bin] * yIm[bin])
        }
        let weight = Float(end(band) - first(band)) / (rest + 1e-9)
        turn += weight * turned
        reach += weight * certain
      }
      let present = Int(choices[band])
      var best = present
      var least = present == 2 ? 0.9 * left(present, band) : Float.greatestFiniteMagnitude
      // Those that adapt follow the near end, too, and seem to leave less than they do.
      let handicap = 1 + 0.3 * trust
      for filter in 0..<Self.filterCount {
        var rest = filter == 2 ? left(filter, band) : handicap * left(filter, band)
        // An echo that has suddenly become much louder is more likely someone near, the more so where
        // someone near is known to speak.
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
        if whole(0, band) < whole(2, band) { wins += 1 }
        if whole(1, band) < whole(2, band) { shadowWins += 1 }
      }
      keptPower += powers[2 * bandCount + band]
      wholePower += heard[band]
      // What is kept does not follow the near end, and can be told from it.
      if first(band) > 1 && chances[2 * bandCount + band] < 0.2 {
        shown += share > 0.5 ? 1 : 0
        possible += 1
      }
      let chosen = best == 0 ? echoes.0 : best == 1 ? echoes.1 : echoes.2
      let (yRe, yIm) = (chosen.real, chosen.imaginary)
      for bin in range {
        error.real[bin] = dRe[bin] - share * yRe[bin]
        error.imaginary[bin] = dIm[bin] - share * yIm[bin]
      }
      // What is played is heard in all bands or in none: a band in which the echo cannot be shown, since
      // someone near is louder, has it as the others do.
      supposed[band] = share > trust ? share : trust
      for bin in range {
        echo.real[bin] = yRe[bin]
        echo.imaginary[bin] = yIm[bin]
      }
    }
    betterShare = contests > 0 ? wins / contests : 0
    shadowShare = contests > 0 ? shadowWins / contests : 0
    followed = contests > 0 ? (bandsOfMain / contests, bandsOfShadow / contests) : (0, 0)
    lateness = reach > 0 ? turn / reach : 0
    latenessVariance = reach > 0 ? 1 / reach : 1e9
    // Where nothing is kept there is nothing to believe in.
    isNothingKept = keptPower < 1e-6 * wholePower
    if isNothingKept { trust *= 0.98 }
    guard possible > 3 else { return }
    let found = (shown / possible - 0.2) * 1.6
    let next = found < 0 ? 0 : found > 1 ? 1 : found
    trust += (next > trust ? 0.05 : 0.012) * (next - trust)
  }

  /// In how many of the bands the main filter leaves less than the one that is kept: from 0 to 1.
  private(set) var betterShare: Float = 1
  /// The same of the shadow filter.
  private(set) var shadowShare: Float = 1

  /// How many frames later than the main filter has it the echo came in the last frame, and the variance
  /// of that.
  private(set) var lateness: Float = 0
  private(set) var latenessVariance: Float = 1e9

  /// How unlikely it is that the loudspeaker is heard at all: from 0 to 1.
  var doubt: Float = 0
  /// How likely it is that someone near speaks: from 0 to 1.
  var near: Float = 0

  /// In how many of the bands that could have an echo it has been shown lately: from 0 to 1.
  private(set) var trust: Float = 0

  /// Has what is kept shown anew that it is right.
  @_noLocks
  mutating func forgetTrust() { trust = 0 }

  /// How much more a filter has to show that is followed in some of the bands.
  ///
  /// Where an echo is louder than someone near, the microphone follows a filter that has found it in more than
  /// half of the bands; where only someone near is heard, in a quarter, and in those by up to 20 deviations.
  @_noLocks
  private func demand(_ followed: Float) -> Float {
    // What is kept may be of a voice, too.
    let isUnshown = isNothingKept || trust < 0.05
    guard isUnshown && near > 0.5 && followed < 0.6 else { return 0 }
    return 20 * (2 * near - 1) * (1 - followed / 0.6)
  }

  /// Whether the microphone follows a filter in a band by more than chance would often have it.
  @_noLocks
  private func isFollowed(_ filter: Int, _ band: Int) -> Bool {
    let index = filter * bandCount + band
    return products[index] > 3 * chances[index] * powers[index]
  }

  /// A hop's share in the averages.
  private static var rate: Float { @_noLocks get { 0.06 } }

  @_noLocks
  private mutating func weigh(
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
      chances[index] = 1
      if filter < 2 { returns[index] = 0 }
      return
    }
    let whole = products[index] / powers[index]
    // What is not explained, and how far it could lead astray by chance.
    let rest = heard[band] - products[index] * whole
    let count = 0.5 * Float(end(band) - first(band)) / Self.rate
    let chance = renderSquareRoot(
      (rest > 0 ? rest : 0) / (powers[index] * count))
    // An echo that can be told from chance is taken out as far as it may be there.
    // Voices have few and lasting tones, in which chance goes further: what has not been found elsewhere
    // must show clearly.
    // What is kept and has been shown to be right stays in force until it is shown to be wrong.
    // Where the microphone has not followed what is played at all, much more must be shown.
    let proof = whole / (chance + 1e-9) - (5.5 + 5 * doubt - (filter == 2 ? 6 : 4) * trust)
    chances[index] = chance
    let most = whole + chance < 1 ? whole + chance : 1
    let shown: Float = proof <= 0 ? 0 : proof < 1 ? proof : 1
    shares[index] = shown * most
    guard filter < 2 else { return }
    let proven = proof - (filter == 0 ? demands.main : demands.shadow)
    returns[index] = shown == 0 || proven >= shown ? 0 : proven <= 0 ? 1 : 1 - proven / shown
  }

  /// What is left in a band by the filter that is kept and by the main one, and what is heard, in power.
  @_noLocks
  func remains(_ band: Int) -> (kept: Float, main: Float, heard: Float) {
    (whole(2, band), whole(0, band), heard[band])
  }

  /// The power that is left when the whole of a filter's echo is taken out.
  @_noLocks
  private func whole(_ filter: Int, _ band: Int) -> Float {
    let index = filter * bandCount + band
    return heard[band] - 2 * products[index] + powers[index]
  }

  /// The power that is left when a filter's echo is taken out.
  @_noLocks
  private func left(_ filter: Int, _ band: Int) -> Float {
    let index = filter * bandCount + band
    let share = shares[index]
    return heard[band] - 2 * share * products[index] + share * share * powers[index]
  }
}
