import RenderCore

/// Tells by its loudness what is left of an echo that no filter explains: it grows louder and softer
/// together with what is played, and speech of the near end does not.
///
/// In each bin, how far the amplitude of what is left is above its own mean is compared with the same
/// of what was played, over some 0.4 s: J.-M. Valin, "On adjusting the learning rate in frequency domain
/// echo cancellation with double-talk", IEEE Trans. ASLP 15, 2007, finds the leakage of a filter in the
/// same way. A room makes sound last: what was played is smoothed over some 40 ms.
struct EnvelopeComparison: ~Copyable {
  /// How alike the two are, in the mean of all bands: from -1 to 1. In an echo alone mostly above 0.4, beside a
  /// near end below 0.3.
  private(set) var likeness: Float = 0

  private let bins: Int
  /// What was played, as a room makes it last, in power.
  private let played: SampleStorage
  private let playedMeans: SampleStorage
  private let leftMeans: SampleStorage
  /// For each band: the product of the two deviations, and their squares.
  private let products: SampleStorage
  private let playedSquares: SampleStorage
  private let leftSquares: SampleStorage
  /// Hops with a far end that have been compared, up to `full`.
  private var compared = 0

  /// A hop's share in the means.
  private static var rate: Float { @_noLocks get { 0.02 } }
  /// Hops after which a comparison says what it says.
  private static var full: Int { @_noLocks get { 75 } }

  init(bins: Int, bandCount: Int) {
    self.bins = bins
    played = SampleStorage(repeating: 0, count: bins)
    playedMeans = SampleStorage(repeating: 0, count: bins)
    leftMeans = SampleStorage(repeating: 0, count: bins)
    products = SampleStorage(repeating: 0, count: bandCount)
    playedSquares = SampleStorage(repeating: 0, count: bandCount)
    leftSquares = SampleStorage(repeating: 0, count: bandCount)
  }

  /// Compares a frame.
  ///
  /// - Parameters:
  ///   - left: What is left of the microphone, in power, bin by bin.
  ///   - far: What was played, in power.
  ///   - choice: Whose bands are compared.
  ///   - firstBin: Bands below it do not count.
  @_noLocks
  mutating func compare(
    _ left: ChannelBuffer, far: ChannelBuffer, bands choice: borrowing EchoChoice, firstBin: Int
  ) {
    for bin in 0..<bins { played[bin] = 0.8 * played[bin] + 0.2 * far[bin] }
    var (alike, count) = (Float(0), Float(0))
    for band in 0..<choice.bandCount {
      let (first, end) = (choice.first(band), choice.end(band))
      var (product, playedSquare, leftSquare) = (Float(0), Float(0), Float(0))
      for bin in first..<end {
        let rise = renderSquareRoot(left[bin]) - leftMeans[bin]
        let swell = renderSquareRoot(played[bin]) - playedMeans[bin]
        leftMeans[bin] += Self.rate * rise
        playedMeans[bin] += Self.rate * swell
        product += rise * swell
        playedSquare += swell * swell
        leftSquare += rise * rise
      }
      products[band] += Self.rate * (product - products[band])
      playedSquares[band] += Self.rate * (playedSquare - playedSquares[band])
      leftSquares[band] += Self.rate * (leftSquare - leftSquares[band])
      guard first >= firstBin, playedSquares[band] > 0, leftSquares[band] > 0 else { continue }
      alike += products[band] / renderSquareRoot(playedSquares[band] * leftSquares[band])
      count += 1
    }
    // Full scale is 1: at -60 dBFS and above something is played.
    if far.sum() > 2e-6 * Float(bins * bins) && compared < Self.full { compared += 1 }
    likeness = count > 0 ? alike / count * Float(compared) / Float(Self.full) : 0
  }

  /// How much of what is played is left in a band, in power, if all that is alike is echo.
  @_noLocks
  func leak(_ band: Int) -> Float {
    guard products[band] > 0 && playedSquares[band] > 0 else { return 0 }
    let slope = products[band] / playedSquares[band]
    return slope < 1 ? slope * slope : 1
  }

  /// How alike the two are in a band: from -1 to 1.
  @_noLocks
  func likeness(inBand band: Int) -> Float {
    guard playedSquares[band] > 0, leftSquares[band] > 0 else { return 0 }
    return products[band] / renderSquareRoot(playedSquares[band] * leftSquares[band])
      * Float(compared) / Float(Self.full)
  }

  /// What was played, in power, in a bin.
  @_noLocks
  func played(_ bin: Int) -> Float { played[bin] }
}
