import RenderCore

/// The shapes of second-order filters. The numbers are those of NBandEQ's `kAUNBandEQFilterType_…`.
public enum FilterShape: Int, CaseIterable, Sendable {
  case parametric, lowPass, highPass, resonantLowPass, resonantHighPass, bandPass, bandStop
  case lowShelf, highShelf, resonantLowShelf, resonantHighShelf

  /// Its name in patches. Not `"\(self)"`: reflection over all names took a seventh of the start-up
  /// time of the program.
  var name: String {
    switch self {
    case .parametric: "parametric"
    case .lowPass: "lowPass"
    case .highPass: "highPass"
    case .resonantLowPass: "resonantLowPass"
    case .resonantHighPass: "resonantHighPass"
    case .bandPass: "bandPass"
    case .bandStop: "bandStop"
    case .lowShelf: "lowShelf"
    case .highShelf: "highShelf"
    case .resonantLowShelf: "resonantLowShelf"
    case .resonantHighShelf: "resonantHighShelf"
    }
  }

  /// Whether the shape has a gain in decibels.
  public var hasGain: Bool {
    @_noLocks get {
      switch self {
      case .parametric, .lowShelf, .highShelf, .resonantLowShelf, .resonantHighShelf: true
      default: false
      }
    }
  }

  /// Whether the shape has a width: Butterworth filters and plain shelves have Q = 1/√2.
  public var hasWidth: Bool {
    @_noLocks get {
      switch self {
      case .lowPass, .highPass, .lowShelf, .highShelf: false
      default: true
      }
    }
  }

  /// The shape with a number; `parametric` for any other number.
  @_noLocks
  static func numbered(_ number: Double) -> FilterShape {
    switch number {
    case 1: .lowPass
    case 2: .highPass
    case 3: .resonantLowPass
    case 4: .resonantHighPass
    case 5: .bandPass
    case 6: .bandStop
    case 7: .lowShelf
    case 8: .highShelf
    case 9: .resonantLowShelf
    case 10: .resonantHighShelf
    default: .parametric
    }
  }
}

/// `(b0 + b1 z⁻¹ + b2 z⁻²) / (1 + a1 z⁻¹ + a2 z⁻²)`.
public struct Biquad: BitwiseCopyable, Sendable {
  /// The coefficients; a0 is 1.
  public var b0, b1, b2, a1, a2: Double

  /// Divides all coefficients by `a0`.
  @_noLocks
  public init(_ b0: Double, _ b1: Double, _ b2: Double, over a0: Double, _ a1: Double, _ a2: Double)
  {
    self.b0 = b0 / a0
    self.b1 = b1 / a0
    self.b2 = b2 / a0
    self.a1 = a1 / a0
    self.a2 = a2 / a0
  }

  /// Passes every sample as it is.
  public static var identity: Biquad { @_noLocks get { Biquad(1, 0, 0, over: 1, 0, 0) } }

  /// The square of the gain at `w` radians per frame.
  public func power(at w: Double) -> Double {
    // In φ = sin²(w/2), which keeps its precision at low frequencies (Bristow-Johnson).
    let phi = renderSine(w / 2) * renderSine(w / 2)
    func part(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
      let sum = c0 + c1 + c2
      return sum * sum - 4 * (c0 * c1 + 4 * c0 * c2 + c1 * c2) * phi + 16 * c0 * c2 * phi * phi
    }
    return part(b0, b1, b2) / part(1, a1, a2)
  }

  /// The gain in decibels at `w` radians per frame; -200 where nothing gets through.
  public func gain(at w: Double) -> Double {
    let power = power(at: w)
    return power > 1e-20 ? 10 * renderLog10(power) : -200
  }

  /// Frames until the slowest pole has fallen by 120 dB.
  public var tailFrames: Double {
    let half = a1 * a1 / 4 - a2
    let radius =
      half >= 0
      ? Swift.max((-a1 / 2 + half.squareRoot()).magnitude, (-a1 / 2 - half.squareRoot()).magnitude)
      : a2.squareRoot()
    guard radius > 0, radius < 1 else { return 0 }
    return renderLog(1e-6) / renderLog(radius)
  }
}

/// Designs filters: bilinear ones by the closed forms of R. Bristow-Johnson's *Audio EQ Cookbook*
/// or, without their compression near half the rate, those of M. Vicanek, *Matched Second Order
/// Digital Filters* (2016). Apple does not document its own.
///
/// All functions may run on the render thread: a moving control changes the design of its filter.
public enum FilterDesign {
  /// The lowest and the highest frequency of a design, as fractions of the rate.
  static var lowest: Double { @_noLocks get { 1e-6 } }
  static var highest: Double { @_noLocks get { 0.49 } }
  static var plainQ: Double { @_noLocks get { 0.707_106_781_186_547_5 } }

  /// The Q of a bandwidth in octaves of an analogue filter: `1 / (2 sinh(N ln 2 / 2))`. The
  /// bandwidth is clamped to 0.001 to 12 octaves.
  @_noLocks
  public static func q(octaves: Double) -> Double {
    let width = octaves > 0.001 ? octaves < 12 ? octaves : 12 : 0.001
    return 1 / (2 * renderHyperbolicSine(width * 0.346_573_590_279_972_65))
  }

  /// - Parameters:
  ///   - frequency: As a fraction of the rate; clamped to 0.49.
  ///   - gain: In decibels; not used by shapes without a gain.
  ///   - q: Greater than 0; not used by shapes without a width.
  @_noLocks
  public static func biquad(
    _ shape: FilterShape, frequency: Double, gain: Double, q: Double, isMatched: Bool
  ) -> Biquad {
    let part = frequency < lowest ? lowest : frequency > highest ? highest : frequency
    let w = 2 * Double.pi * part
    let width = shape.hasWidth ? q > 1e-4 ? q : 1e-4 : plainQ
    return isMatched
      ? matched(shape, w, gain, width) : cookbook(shape, w, gain, width)
  }

  @_noLocks
  private static func cookbook(
    _ shape: FilterShape, _ w: Double, _ gain: Double, _ q: Double
  ) -> Biquad {
    let cosine = renderCosine(w)
    let half = renderSine(w / 2)
    // 1 - cos w, without cancellation at low frequencies.
    let rest = 2 * half * half
    let alpha = renderSine(w) / (2 * q)
    let a = renderPower(10, gain / 40)
    switch shape {
    case .parametric:
      return Biquad(
        1 + alpha * a, -2 * cosine, 1 - alpha * a, over: 1 + alpha / a, -2 * cosine, 1 - alpha / a)
    case .lowPass, .resonantLowPass:
      return Biquad(
        rest / 2, rest, rest / 2, over: 1 + alpha, -2 * cosine, 1 - alpha)
    case .highPass, .resonantHighPass:
      let sum = 1 + cosine
      return Biquad(sum / 2, -sum, sum / 2, over: 1 + alpha, -2 * cosine, 1 - alpha)
    case .bandPass:
      return Biquad(alpha, 0, -alpha, over: 1 + alpha, -2 * cosine, 1 - alpha)
    case .bandStop:
      return Biquad(1, -2 * cosine, 1, over: 1 + alpha, -2 * cosine, 1 - alpha)
    case .lowShelf, .resonantLowShelf:
      let slope = 2 * renderSquareRoot(a) * alpha
      return Biquad(
        a * ((a + 1) - (a - 1) * cosine + slope), 2 * a * ((a - 1) - (a + 1) * cosine),
        a * ((a + 1) - (a - 1) * cosine - slope),
        over: (a + 1) + (a - 1) * cosine + slope, -2 * ((a - 1) + (a + 1) * cosine),
        (a + 1) + (a - 1) * cosine - slope)
    case .highShelf, .resonantHighShelf:
      let slope = 2 * renderSquareRoot(a) * alpha
      return Biquad(
        a * ((a + 1) + (a - 1) * cosine + slope), -2 * a * ((a - 1) + (a + 1) * cosine),
        a * ((a + 1) + (a - 1) * cosine - slope),
        over: (a + 1) - (a - 1) * cosine + slope, 2 * ((a - 1) - (a + 1) * cosine),
        (a + 1) - (a - 1) * cosine - slope)
    }
  }

  // MARK: Matched

  /// Poles by impulse invariance; zeros so that the gain is the analogue filter's at 0, at the
  /// filter's frequency, and at half the rate or in its slope. A boost is the inverse of the cut by
  /// the same gain; the one whose poles have the lower frequency is designed.
  @_noLocks
  private static func matched(
    _ shape: FilterShape, _ w: Double, _ gain: Double, _ q: Double
  ) -> Biquad {
    let s = renderSine(w / 2)
    let p1 = s * s
    let p0 = 1 - p1
    let p2 = 4 * p0 * p1
    switch shape {
    case .lowPass, .resonantLowPass:
      let poles = MatchedPoles(w, q)
      let b0 = poles.a0Power
      let b1 = (poles.power(p0, p1, p2) * q * q - b0 * p0) / p1
      let (low, high) = (renderSquareRoot(b0), renderSquareRoot(b1 > 0 ? b1 : 0))
      let first = (low + high) / 2
      return Biquad(first, low - first, 0, over: 1, poles.a1, poles.a2)
    case .highPass, .resonantHighPass:
      let poles = MatchedPoles(w, q)
      let b = q * renderSquareRoot(poles.power(p0, p1, p2)) / (4 * p1)
      return Biquad(b, -2 * b, b, over: 1, poles.a1, poles.a2)
    case .bandPass:
      let poles = MatchedPoles(w, q)
      let r1 = poles.power(p0, p1, p2)
      let r2 = -poles.a0Power + poles.a1Power + 4 * (p0 - p1) * poles.a2Power
      let b2 = (r1 - r2 * p1) / (4 * p1 * p1)
      let b1 = r2 + 4 * (p1 - p0) * b2
      let second = -renderSquareRoot(b1 > 0 ? b1 : 0) / 2
      let root = b2 + second * second
      let first = (renderSquareRoot(root > 0 ? root : 0) - second) / 2
      return Biquad(first, second, -first - second, over: 1, poles.a1, poles.a2)
    case .bandStop:
      let poles = MatchedPoles(w, q)
      let b = renderSquareRoot(poles.a0Power) / (4 * p1)
      return Biquad(b, -2 * b * renderCosine(w), b, over: 1, poles.a1, poles.a2)
    case .parametric:
      if gain < 0 { return inverse(matched(shape, w, -gain, q)) }
      let power = renderPower(10, gain / 10)
      let poles = MatchedPoles(w, q * renderSquareRoot(renderSquareRoot(power)))
      let r1 = poles.power(p0, p1, p2) * power
      let r2 =
        (-poles.a0Power + poles.a1Power + 4 * (p0 - p1) * poles.a2Power) * power
      let b0 = poles.a0Power
      let b2 = (r1 - r2 * p1 - b0) / (4 * p1 * p1)
      let b1 = r2 + b0 + 4 * (p1 - p0) * b2
      return zeros(b0, b1 > 0 ? b1 : 0, b2, poles)
    case .lowShelf, .resonantLowShelf, .highShelf, .resonantHighShelf:
      let isLow = shape == .lowShelf || shape == .resonantLowShelf
      if isLow ? gain < 0 : gain > 0 { return inverse(matched(shape, w, -gain, q)) }
      let a = renderPower(10, gain / 40)
      let root = renderSquareRoot(a)
      let poles = MatchedPoles(isLow ? w / root : w * root, q)
      // The analogue shelf at half the rate.
      let x = Double.pi / w * (Double.pi / w)
      let side = a * x / (q * q)
      let (up, down) = ((a - x) * (a - x) + side, (1 - a * x) * (1 - a * x) + side)
      let edge = a * a * (isLow ? up / down : down / up)
      let b0 = poles.a0Power * (isLow ? a * a * a * a : 1)
      let b1 = poles.a1Power * edge
      let b2 = (poles.power(p0, p1, p2) * a * a - b0 * p0 - b1 * p1) / p2
      return zeros(b0, b1, b2, poles)
    }
  }

  /// The filter with a numerator that has these squared gains.
  @_noLocks
  private static func zeros(
    _ power0: Double, _ power1: Double, _ power2: Double, _ poles: MatchedPoles
  ) -> Biquad {
    let (low, high) = (renderSquareRoot(power0), renderSquareRoot(power1))
    let middle = (low + high) / 2
    let root = middle * middle + power2
    let b0 = (middle + renderSquareRoot(root > 0 ? root : 0)) / 2
    return Biquad(b0, (low - high) / 2, -power2 / (4 * b0), over: 1, poles.a1, poles.a2)
  }

  @_noLocks
  private static func inverse(_ filter: Biquad) -> Biquad {
    Biquad(1, filter.a1, filter.a2, over: filter.b0, filter.b1, filter.b2)
  }
}

/// The poles of an analogue filter by impulse invariance.
private struct MatchedPoles {
  let a1, a2: Double

  @_noLocks
  init(_ w: Double, _ q: Double) {
    let damping = 1 / (2 * q)
    let fall = renderExp(-damping * w)
    a1 =
      damping <= 1
      ? -2 * fall * renderCosine(renderSquareRoot(1 - damping * damping) * w)
      : -(renderExp((renderSquareRoot(damping * damping - 1) - damping) * w)
        + renderExp((-renderSquareRoot(damping * damping - 1) - damping) * w))
    a2 = fall * fall
  }

  var a0Power: Double { @_noLocks get { (1 + a1 + a2) * (1 + a1 + a2) } }
  var a1Power: Double { @_noLocks get { (1 - a1 + a2) * (1 - a1 + a2) } }
  var a2Power: Double { @_noLocks get { -4 * a2 } }

  @_noLocks
  func power(_ p0: Double, _ p1: Double, _ p2: Double) -> Double {
    a0Power * p0 + a1Power * p1 + a2Power * p2
  }
}
