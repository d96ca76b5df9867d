import RenderCore

/// Finds residual echo that no filter explains by its envelope, which follows that of the far end;
/// the envelope of near-end speech does not.
///
/// In each bin, the deviation of the amplitude of the residual from its mean is correlated with
/// that of the far end, over some 0.4 s: J.-M. Valin, "On adjusting the learning rate in frequency
/// domain echo cancellation with double-talk", IEEE Trans. ASLP 15, 2007, finds the leakage of a
/// filter in the same way. The far end is smoothed over some 40 ms, as by the reverberation of a
/// room.
struct EnvelopeComparison: ~Copyable {
  /// The mean correlation over all bands, from -1 to 1: mostly above 0.4 for an echo alone, below
  /// 0.3 with a near end.
  private(set) var likeness: Float = 0

  private let bins: Int
  /// The smoothed power of the far end.
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
  /// The hops after which the correlation counts in full.
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
  ///   - left: The power of the residual in each bin.
  ///   - far: The power of the far end in each bin.
  ///   - choice: Defines the bands.
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
    // The far end counts from -60 dBFS on.
    if far.sum() > 2e-6 * Float(bins * bins) && compared < Self.full { compared += 1 }
    likeness = count > 0 ? alike / count * Float(compared) / Float(Self.full) : 0
  }

  /// The power of the residual echo in a band relative to the far end, if all correlation is echo;
  /// at most 1.
  @_noLocks
  func leak(_ band: Int) -> Float {
    guard products[band] > 0 && playedSquares[band] > 0 else { return 0 }
    let slope = products[band] / playedSquares[band]
    return slope < 1 ? slope * slope : 1
  }

  /// The correlation in a band: from -1 to 1.
  @_noLocks
  func likeness(inBand band: Int) -> Float {
    guard playedSquares[band] > 0, leftSquares[band] > 0 else { return 0 }
    return products[band] / renderSquareRoot(playedSquares[band] * leftSquares[band])
      * Float(compared) / Float(Self.full)
  }

  /// The smoothed power of the far end in a bin.
  @_noLocks
  func played(_ bin: Int) -> Float { played[bin] }
}
