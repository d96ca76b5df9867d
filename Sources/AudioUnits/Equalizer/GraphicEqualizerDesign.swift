internal import Glibc

/// One second-order peaking filter of the Audio EQ Cookbook (R. Bristow-Johnson), 1.25 octaves
/// wide.
///
/// `H(z) = (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2)`, and `b1 == a1`.
public struct PeakingFilter: Hashable, Sendable {
  /// The coefficient of the present input.
  public let b0: Double
  /// The coefficient of the input one frame before.
  public let b1: Double
  /// The coefficient of the input two frames before.
  public let b2: Double
  /// The coefficient of the output one frame before, subtracted.
  public let a1: Double
  /// The coefficient of the output two frames before, subtracted.
  public let a2: Double
  /// `1 - b0`, computed without cancellation.
  let reduction: Double

  /// Octaves between the frequencies at which the filter has half its gain in decibels.
  ///
  /// For bands an octave apart, a width of one octave (Q 1.41) leaves dips of up to 0.8 dB between
  /// equally raised bands, and a width of 1.4 or more counteracts the neighbours; 1.25 keeps the
  /// curves of the presets within 0.35 dB of the range between the two gains on either side.
  public static let bandwidth = 1.25

  /// Passes every sample as it is.
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
    self.init(Place(center: center, sampleRate: sampleRate), gain: gain)
  }

  /// The arguments of a filter apart from its gain.
  struct Place: Hashable, Sendable {
    let alpha: Double
    let cosine: Double

    init(center: Double, sampleRate: Double, factors: WarpingCorrection.Factors = .init()) {
      precondition(
        center > 0 && center < sampleRate / 2, "a centre lies below half the sample rate")
      let angle = 2 * Double.pi * center / sampleRate
      // The cookbook's width in octaves, which compensates for the bilinear transform's narrowing.
      alpha = sin(angle) * sinh(log(2) / 2 * bandwidth * angle / sin(angle)) * factors.width
      cosine = cos(angle * factors.center)
    }
  }

  init(_ place: Place, gain: Double) {
    let amplitude = pow(10, gain / 40)
    let scale = 1 / (1 + place.alpha / amplitude)
    self.init(
      b0: (1 + place.alpha * amplitude) * scale, a1: -2 * place.cosine * scale,
      b2: (1 - place.alpha * amplitude) * scale, a2: (1 - place.alpha / amplitude) * scale,
      reduction: (place.alpha / amplitude - place.alpha * amplitude) * scale)
  }

  /// Frames until it has rung out: its impulse response begins with `reduction` and has fallen to
  /// 140 dB below the impulse, so that ten of them together are below 120 dB.
  var tailFrames: Double {
    let radius = a2 > 0 ? a2.squareRoot() : a1.magnitude
    guard reduction.magnitude > 1e-7, radius > 0, radius < 1 else { return 0 }
    return log(1e-7 / reduction.magnitude) / log(radius)
  }

  /// The gain in decibels at a frequency in hertz.
  public func response(at frequency: Double, sampleRate: Double) -> Double {
    10 * log10(power(at: Self.argument(frequency, sampleRate: sampleRate)))
  }

  /// The argument of `power(at:)` for a frequency.
  static func argument(_ frequency: Double, sampleRate: Double) -> Double {
    let sine = sin(Double.pi * frequency / sampleRate)
    return sine * sine
  }

  /// The squared magnitude of the response, by the squared sine of half the angle: near z = 1 plain
  /// cosines would cancel.
  func power(at p: Double) -> Double {
    func squared(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
      let sum = c0 + c1 + c2
      return sum * sum - 4 * (c0 * c1 + 4 * c0 * c2 + c1 * c2) * p + 16 * c0 * c2 * p * p
    }
    return squared(b0, b1, b2) / squared(1, a1, a2)
  }
}

/// A graphic equalizer: peaking filters in series whose combined response has a given gain at the
/// centre of each band.
///
/// Neighbouring bands overlap: filters that had the wanted gains themselves would miss them by up
/// to 1.8 dB. So the gains of the filters are solved for. The effect of each filter at each centre
/// is, in decibels, nearly proportional to its gain (the interaction matrix of Välimäki and Liski,
/// "Accurate cascade graphic equalizer", 2017); iterations with the inverse of that matrix remove
/// the remaining error of the true responses.
///
/// The three highest bands are corrected, so that the curve is that of the analogue filters up to
/// the highest centre, at any rate: `WarpingCorrection`.
public struct GraphicEqualizerDesign: Hashable, Sendable {
  /// In hertz.
  public let sampleRate: Double
  /// One for each band, the lowest first; `.identity` for a band without gain, and for one above
  /// `highestCenter`.
  public let filters: [PeakingFilter]

  /// The tail after the input has ended, in seconds, until the sound has fallen by 120 dB.
  public var tailTime: Double { (filters.map(\.tailFrames).max() ?? 0) / sampleRate }

  /// The highest centre of a band, as a part of the sample rate. Bands above it are left out: at
  /// 8000 Hz the highest one is that of 2 kHz, from 35556 Hz on there are all ten.
  public static let highestCenter = 0.45

  /// Designs filters that together have `gains` decibels at `centers`.
  ///
  /// - Parameters:
  ///   - gains: In decibels, within about ±24.
  ///   - centers: In hertz, rising, about an octave apart.
  ///   - sampleRate: In hertz.
  public init(
    gains: [Double], centers: [Double] = EqualizerPresets.centers, sampleRate: Double
  ) {
    self.init(
      gains: gains, solver: GraphicEqualizerSolver(centers: centers, sampleRate: sampleRate))
  }

  /// The same with a solver, which is independent of the gains, for several designs.
  init(gains: [Double], solver: GraphicEqualizerSolver) {
    precondition(gains.count == solver.bandCount, "a band has one centre and one gain")
    sampleRate = solver.sampleRate
    let solved = solver.gains(for: gains)
    filters = gains.indices.map { band in
      band < solved.count && solved[band] != 0
        ? PeakingFilter(solver.places[band], gain: solved[band]) : .identity
    }
  }

  /// The combined gain in decibels at a frequency in hertz.
  public func response(at frequency: Double) -> Double {
    filters.reduce(0) { $0 + $1.response(at: frequency, sampleRate: sampleRate) }
  }
}

/// Finds the gains of a graphic equalizer's filters.
struct GraphicEqualizerSolver {
  let sampleRate: Double
  let bandCount: Int
  /// The bands below `GraphicEqualizerDesign.highestCenter`, the lowest first.
  let places: [PeakingFilter.Place]
  // The centres, as arguments of `power(at:)`.
  private let arguments: [Double]
  // The inverse of the interaction matrix, by rows.
  private let interaction: [[Double]]

  init(centers: [Double], sampleRate: Double) {
    precondition(sampleRate > 0, "a sample rate is above 0")
    self.sampleRate = sampleRate
    bandCount = centers.count
    let active = centers.prefix { $0 < GraphicEqualizerDesign.highestCenter * sampleRate }
    let correction = WarpingCorrection(highestCenter: (active.last ?? 0) / sampleRate)
    places = active.enumerated().map { band, center in
      let below = active.count - 1 - band
      return PeakingFilter.Place(
        center: center, sampleRate: sampleRate,
        factors: below < correction.factors.count ? correction.factors[below] : .init())
    }
    let arguments = active.map { PeakingFilter.argument($0, sampleRate: sampleRate) }
    self.arguments = arguments
    // Decibels at each centre for each decibel of a filter's gain, taken at a typical 6 dB.
    let filters = places.map { PeakingFilter($0, gain: 6) }
    let matrix = arguments.map { argument in
      filters.map { 10 * log10($0.power(at: argument)) / 6 }
    }
    interaction = Self.inverse(of: matrix)
  }

  /// The gains of the filters for `wanted` gains at the centres: one for each place.
  func gains(for wanted: [Double]) -> [Double] {
    let wanted = wanted.prefix(places.count)
    var gains = Array(wanted)
    guard wanted.contains(where: { $0 != 0 }) else { return gains }
    func errors(_ gains: [Double]) -> [Double] {
      let filters = zip(places, gains).map { PeakingFilter($0, gain: $1) }
      return zip(wanted, arguments).map { wanted, argument in
        wanted - 10 * log10(filters.reduce(1) { $0 * $1.power(at: argument) })
      }
    }
    func size(_ errors: [Double]) -> Double { errors.reduce(0) { max($0, abs($1)) } }

    var error = errors(gains)
    // Each step with the interaction matrix removes about nine tenths of the error. Where it does
    // not, at large gains, the slopes at that point are used; a step that increases the error is
    // halved.
    var inverse = interaction
    for _ in 0..<100 where size(error) > 1e-8 {
      let step = inverse.map { row in zip(row, error).reduce(0) { $0 + $1.0 * $1.1 } }
      var scale = 1.0
      var next = gains
      var nextError = error
      repeat {
        next = zip(gains, step).map { $0 + scale * $1 }
        nextError = errors(next)
        scale /= 2
      } while size(nextError) > size(error) && scale > 1e-3
      let isSlow = size(nextError) > 0.5 * size(error)
      gains = next
      error = nextError
      if isSlow { inverse = Self.inverse(of: slopes(at: gains)) }
    }
    return gains
  }

  /// Decibels at each centre for each decibel of a small change of each filter's gain.
  private func slopes(at gains: [Double]) -> [[Double]] {
    let above = zip(places, gains).map { PeakingFilter($0, gain: $1 + 1e-3) }
    let below = zip(places, gains).map { PeakingFilter($0, gain: $1 - 1e-3) }
    return arguments.map { argument in
      zip(above, below).map {
        10 * log10($0.power(at: argument) / $1.power(at: argument)) / 2e-3
      }
    }
  }

  /// Gauss-Jordan elimination with partial pivoting.
  private static func inverse(of matrix: [[Double]]) -> [[Double]] {
    let count = matrix.count
    var rows = matrix.enumerated().map { index, row in
      row + (0..<count).map { $0 == index ? 1 : 0 }
    }
    for column in 0..<count {
      let pivot = (column..<count).max { abs(rows[$0][column]) < abs(rows[$1][column]) } ?? column
      rows.swapAt(column, pivot)
      let scale = 1 / rows[column][column]
      for index in column..<(2 * count) { rows[column][index] *= scale }
      for row in 0..<count where row != column {
        let factor = rows[row][column]
        for index in column..<(2 * count) { rows[row][index] -= factor * rows[column][index] }
      }
    }
    return rows.map { Array($0.dropFirst(count)) }
  }
}
