internal import Glibc

/// One second-order peaking filter, 1.25 octaves wide: the audio-EQ-cookbook's (R. Bristow-Johnson).
///
/// `H(z) = (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2)`, and `b1 == a1`.
public struct PeakingFilter: Hashable, Sendable {
  public let b0: Double
  public let b1: Double
  public let b2: Double
  public let a1: Double
  public let a2: Double
  /// `1 - b0`, worked out without the difference: the part of the input that is taken out at once.
  let reduction: Double

  /// Octaves between the frequencies at which the filter has half its gain in decibels.
  ///
  /// With bands an octave apart a width of one octave (Q 1.41) leaves dips of up to 0.8 dB between
  /// bands that are raised alike, and from 1.4 on neighbours work against each other; 1.25 keeps the
  /// presets' curves within 0.35 dB of the range between the two gains on either side.
  public static let bandwidth = 1.25

  /// Lets everything through as it is.
  public static let identity = PeakingFilter(b0: 1, a1: 0, b2: 0, a2: 0, reduction: 0)

  private init(b0: Double, a1: Double, b2: Double, a2: Double, reduction: Double) {
    self.b0 = b0
    self.b1 = a1
    self.b2 = b2
    self.a1 = a1
    self.a2 = a2
    self.reduction = reduction
  }

  /// - Parameters:
  ///   - center: In hertz, above 0 and below half the sample rate.
  ///   - gain: At the centre, in decibels.
  ///   - sampleRate: In hertz.
  public init(center: Double, gain: Double, sampleRate: Double) {
    precondition(center > 0 && center < sampleRate / 2, "a centre lies below half the sample rate")
    let angle = 2 * Double.pi * center / sampleRate
    // The cookbook's width in octaves, which allows for the bilinear transform's narrowing.
    let alpha = sin(angle) * sinh(log(2) / 2 * Self.bandwidth * angle / sin(angle))
    let amplitude = pow(10, gain / 40)
    let scale = 1 / (1 + alpha / amplitude)
    self.init(
      b0: (1 + alpha * amplitude) * scale, a1: -2 * cos(angle) * scale,
      b2: (1 - alpha * amplitude) * scale, a2: (1 - alpha / amplitude) * scale,
      reduction: (alpha / amplitude - alpha * amplitude) * scale)
  }

  /// The gain in decibels at a frequency in hertz.
  public func response(at frequency: Double, sampleRate: Double) -> Double {
    // Squared magnitudes around z = 1 by the half angle, where the plain cosines would cancel.
    let angle = Double.pi * frequency / sampleRate
    let p = sin(angle) * sin(angle)
    func power(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
      let sum = c0 + c1 + c2
      return sum * sum - 4 * (c0 * c1 + 4 * c0 * c2 + c1 * c2) * p + 16 * c0 * c2 * p * p
    }
    return 10 * log10(power(b0, b1, b2) / power(1, a1, a2))
  }
}

/// A graphic equalizer: peaking filters in series whose combined response has a given gain at the
/// centre of each band.
///
/// Neighbouring bands overlap, so that filters which simply had the wanted gains would miss them by
/// up to 1.8 dB. The gains of the filters are solved for instead: how much each filter does at each
/// centre is, in decibels, nearly proportional to its own gain (the interaction matrix of Välimäki
/// and Liski, "Accurate cascade graphic equalizer", 2017); Newton's method on the true responses
/// takes the rest out.
public struct GraphicEqualizerDesign: Hashable, Sendable {
  /// In hertz.
  public let sampleRate: Double
  /// One for each band, the lowest first; `.identity` for a band that the rate has no room for.
  public let filters: [PeakingFilter]

  /// The largest part of the sample rate at which a band may have its centre. A band above is left
  /// out: at 8000 Hz the highest is that of 2 kHz, from 36409 Hz on all ten are there.
  public static let highestCenter = 0.45

  /// Designs filters that together have `gains` decibels at `centers`.
  ///
  /// - Parameters:
  ///   - gains: In decibels, within ±24 or so.
  ///   - centers: In hertz, rising, about an octave apart.
  ///   - sampleRate: In hertz.
  public init(
    gains: [Double], centers: [Double] = EqualizerPresets.centers, sampleRate: Double
  ) {
    precondition(gains.count == centers.count, "a band has one centre and one gain")
    precondition(sampleRate > 0, "a sample rate is above 0")
    self.sampleRate = sampleRate
    let active = centers.prefix { $0 < Self.highestCenter * sampleRate }
    let wanted = Array(gains.prefix(active.count))
    let solved =
      wanted.allSatisfy { $0 == 0 }
      ? wanted : Self.solve(for: wanted, centers: Array(active), sampleRate: sampleRate)
    filters = centers.indices.map { band in
      band < solved.count && solved[band] != 0
        ? PeakingFilter(center: centers[band], gain: solved[band], sampleRate: sampleRate)
        : .identity
    }
  }

  /// The combined gain in decibels at a frequency in hertz.
  public func response(at frequency: Double) -> Double {
    filters.reduce(0) { $0 + $1.response(at: frequency, sampleRate: sampleRate) }
  }

  /// The gains to give the filters, for `wanted` at the centres.
  private static func solve(
    for wanted: [Double], centers: [Double], sampleRate: Double
  ) -> [Double] {
    let bands = wanted.indices
    func responses(of band: Int, gain: Double) -> [Double] {
      let filter = PeakingFilter(center: centers[band], gain: gain, sampleRate: sampleRate)
      return centers.map { filter.response(at: $0, sampleRate: sampleRate) }
    }
    func errors(_ gains: [Double]) -> [Double] {
      var errors = wanted
      for band in bands {
        for (center, value) in responses(of: band, gain: gains[band]).enumerated() {
          errors[center] -= value
        }
      }
      return errors
    }
    func size(_ errors: [Double]) -> Double { errors.reduce(0) { max($0, abs($1)) } }

    var gains = wanted
    var error = errors(gains)
    // Five or six rounds get there; a step that makes it worse, which far-out gains can bring
    // about, is halved.
    for _ in 0..<60 where size(error) > 1e-8 {
      var matrix = bands.map { _ in [Double](repeating: 0, count: wanted.count) }
      for band in bands {
        let above = responses(of: band, gain: gains[band] + 1e-3)
        let below = responses(of: band, gain: gains[band] - 1e-3)
        for center in bands { matrix[center][band] = (above[center] - below[center]) / 2e-3 }
      }
      let step = solution(of: matrix, for: error)
      var scale = 1.0
      while true {
        let next = zip(gains, step).map { $0 + scale * $1 }
        let nextError = errors(next)
        if size(nextError) < size(error) || scale < 1e-3 {
          gains = next
          error = nextError
          break
        }
        scale /= 2
      }
    }
    return gains
  }

  /// Solves a small dense system by elimination with partial pivoting.
  private static func solution(of rows: [[Double]], for right: [Double]) -> [Double] {
    var a = rows
    var x = right
    let count = x.count
    for column in 0..<count {
      let pivot = (column..<count).max { abs(a[$0][column]) < abs(a[$1][column]) } ?? column
      a.swapAt(column, pivot)
      x.swapAt(column, pivot)
      for row in (column + 1)..<max(count, column + 1) {
        let factor = a[row][column] / a[column][column]
        for index in column..<count { a[row][index] -= factor * a[column][index] }
        x[row] -= factor * x[column]
      }
    }
    for row in (0..<count).reversed() {
      for column in (row + 1)..<max(count, row + 1) { x[row] -= a[row][column] * x[column] }
      x[row] /= a[row][row]
    }
    return x
  }
}
