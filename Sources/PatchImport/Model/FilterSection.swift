import Glibc

/// A filter of the first or second order.
public struct FilterSection: Hashable, Sendable {
  public enum Shape: String, Hashable, Sendable, CaseIterable {
    case peaking, lowshelf, highshelf, lowpass, highpass, bandpass, notch, allpass
    /// Filters of the first order, which have no Q.
    case lowpass1, highpass1, allpass1, lowshelf1, highshelf1
    /// Turns a resonance with one frequency and Q into one with another (Linkwitz).
    case linkwitzTransform

    /// Whether the shape has a gain.
    public var hasGain: Bool {
      switch self {
      case .peaking, .lowshelf, .highshelf, .lowshelf1, .highshelf1: true
      default: false
      }
    }

    public var hasQ: Bool {
      switch self {
      case .lowpass1, .highpass1, .allpass1, .lowshelf1, .highshelf1: false
      default: true
      }
    }
  }

  public var shape: Shape
  /// In hertz: the centre, the corner of a low-pass or high-pass, or the middle of a shelf's slope.
  public var frequency: Double
  /// In decibels; 0 for shapes without one.
  public var gain: Double
  public var q: Double
  /// The resonance that a Linkwitz transform leads to; `nil` for other shapes.
  public var target: Target?

  public struct Target: Hashable, Sendable {
    /// In hertz.
    public var frequency: Double
    public var q: Double
  }

  /// The Q of a Butterworth filter of the second order.
  public static let butterworth = 0.5.squareRoot()

  public init(
    _ shape: Shape, _ frequency: Double, gain: Double = 0, q: Double = butterworth,
    target: Target? = nil
  ) {
    self.shape = shape
    self.frequency = frequency
    self.gain = gain
    self.q = q
    self.target = target
  }
}

// MARK: Widths

extension FilterSection {
  /// The Q of a bandwidth in octaves by the cookbook, which depends on the sample rate: 1/Q = 2
  /// sinh(ln 2 / 2 N w / sin w).
  public static func q(
    octaves: Double, at frequency: Double, sampleRate: Double
  ) -> Double {
    let w = 2 * Double.pi * frequency / sampleRate
    return 1 / (2 * sinh(log(2.0) / 2 * octaves * w / sin(w)))
  }

  /// The Q of a shelf with the slope S and a gain in decibels: 1/Q^2 = (A + 1/A)(1/S - 1) + 2,
  /// where A^2 is the gain as a factor.
  public static func q(slope: Double, gain: Double) -> Double {
    let a = pow(10, gain / 40)
    return 1 / ((a + 1 / a) * (1 / slope - 1) + 2).squareRoot()
  }

  /// The middle of a shelf's slope from its corner: 10^(|gain| / (80 S)) times the corner for a low
  /// shelf, and divided by it for a high shelf. This is the rule of the Behringer DCX2496, which
  /// REW and Equalizer APO follow.
  public static func centre(
    ofCorner frequency: Double, _ shape: Shape, slope: Double, gain: Double
  ) -> Double {
    let factor = pow(10, abs(gain) / (80 * slope))
    return shape == .lowshelf ? frequency * factor : frequency / factor
  }

  /// The slope S of a shelf with a Q and a gain in decibels.
  public static func slope(q: Double, gain: Double) -> Double {
    let a = pow(10, gain / 40)
    return 1 / ((1 / (q * q) - 2) / (a + 1 / a) + 1)
  }

  /// The sections of a Butterworth low-pass or high-pass, the highest Q first and, for an odd
  /// order, the one of the first order last.
  public static func butterworth(
    order: Int, _ frequency: Double, isHighpass: Bool
  ) -> [FilterSection] {
    var sections = (0..<(order / 2)).map { index in
      FilterSection(
        isHighpass ? .highpass : .lowpass, frequency,
        q: 1 / (2 * sin(Double.pi * (Double(index) + 0.5) / Double(order))))
    }
    if order % 2 == 1 {
      sections.append(FilterSection(isHighpass ? .highpass1 : .lowpass1, frequency))
    }
    return sections
  }
}

// MARK: Closed forms

/// The coefficients of a filter of at most the second order, of z^0, z^-1 and z^-2; `a[0]` is 1.
public struct SectionCoefficients: Hashable, Sendable {
  public var b: [Double]
  public var a: [Double]

  init(_ b: [Double], _ a: [Double]) {
    self.b = b.map { $0 / a[0] }
    self.a = a.map { $0 / a[0] }
  }

  /// The gain in decibels at a frequency in hertz; -infinity for silence.
  public func decibels(at frequency: Double, sampleRate: Double) -> Double {
    FrequencyResponse.decibels(b, a, at: frequency, sampleRate: sampleRate)
  }
}

extension FilterSection {
  /// The coefficients by the bilinear formulas of the Audio EQ Cookbook; those of the first order
  /// use k = tan(w/2).
  public func coefficients(sampleRate: Double) -> SectionCoefficients {
    let w = 2 * Double.pi * frequency / sampleRate
    let c = cos(w)
    let alpha = sin(w) / (2 * q)
    let a = pow(10, gain / 40)
    let k = tan(w / 2)
    let root = 2 * a.squareRoot() * alpha
    switch shape {
    case .peaking:
      return .init(
        [1 + alpha * a, -2 * c, 1 - alpha * a], [1 + alpha / a, -2 * c, 1 - alpha / a])
    case .lowshelf:
      return .init(
        [
          a * ((a + 1) - (a - 1) * c + root), 2 * a * ((a - 1) - (a + 1) * c),
          a * ((a + 1) - (a - 1) * c - root),
        ],
        [
          (a + 1) + (a - 1) * c + root, -2 * ((a - 1) + (a + 1) * c),
          (a + 1) + (a - 1) * c - root,
        ])
    case .highshelf:
      return .init(
        [
          a * ((a + 1) + (a - 1) * c + root), -2 * a * ((a - 1) + (a + 1) * c),
          a * ((a + 1) + (a - 1) * c - root),
        ],
        [
          (a + 1) - (a - 1) * c + root, 2 * ((a - 1) - (a + 1) * c),
          (a + 1) - (a - 1) * c - root,
        ])
    case .lowpass:
      return .init(
        [(1 - c) / 2, 1 - c, (1 - c) / 2], [1 + alpha, -2 * c, 1 - alpha])
    case .highpass:
      return .init(
        [(1 + c) / 2, -(1 + c), (1 + c) / 2], [1 + alpha, -2 * c, 1 - alpha])
    case .bandpass:
      return .init([alpha, 0, -alpha], [1 + alpha, -2 * c, 1 - alpha])
    case .notch:
      return .init([1, -2 * c, 1], [1 + alpha, -2 * c, 1 - alpha])
    case .allpass:
      return .init([1 - alpha, -2 * c, 1 + alpha], [1 + alpha, -2 * c, 1 - alpha])
    case .lowpass1: return .init([k, k], [k + 1, k - 1])
    case .highpass1: return .init([1, -1], [k + 1, k - 1])
    case .allpass1: return .init([k - 1, k + 1], [k + 1, k - 1])
    case .lowshelf1:
      return .init([a * a * k + a, a * a * k - a], [k + a, k - a])
    case .highshelf1:
      return .init([a * k + a * a, a * k - a * a], [a * k + 1, a * k - 1])
    case .linkwitzTransform:
      return linkwitzTransform(sampleRate: sampleRate)
    }
  }

  /// The bilinear transform, prewarped to the mean of the two frequencies.
  private func linkwitzTransform(sampleRate: Double) -> SectionCoefficients {
    let target = self.target ?? Target(frequency: frequency, q: q)
    let centre = (frequency + target.frequency) / 2
    let g = 2 * Double.pi * centre / tan(Double.pi * centre / sampleRate)
    func polynomial(_ frequency: Double, _ q: Double) -> [Double] {
      let w = 2 * Double.pi * frequency
      let (d0, d1) = (w * w, w / q)
      return [d0 + g * d1 + g * g, 2 * (d0 - g * g), d0 - g * d1 + g * g]
    }
    return .init(polynomial(frequency, q), polynomial(target.frequency, target.q))
  }
}
