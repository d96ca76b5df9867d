internal import RenderCore

/// A head as a rigid sphere with an ear on either side: C. P. Brown and R. O. Duda, "A Structural
/// Model for Binaural Sound Synthesis" (1998).
///
/// With θ the angle between the direction of the source and the axis of the ear, a the sphere's
/// radius and c the speed of sound: sound reaches an ear that can see the source after
/// (a / c)(1 - cos θ), and around the head after (a / c)(1 + θ - π/2), counted from where the ear
/// nearest to the source is. The head's shadow is a filter of first order,
/// (α s + β) / (s + β) with β = 2c / a and α(θ) = 1.05 + 0.95 cos(1.2 θ): treble is up to 6 dB
/// stronger on the near side and weakest, by 20 dB, at 150°.
enum SphericalHead {
  /// In meters.
  static var radius: Double { @_noLocks get { 0.0875 } }
  /// In meters a second, at 20 °C.
  static var speedOfSound: Double { @_noLocks get { 343.3 } }
  /// The longest delay, in seconds: to the far ear from a source at the side.
  static var longestDelay: Double {
    @_noLocks get { radius / speedOfSound * (1 + Double.pi / 2) }
  }

  /// The angle between a source and the axis of an ear, 0 to π.
  @_noLocks
  static func angle(_ direction: SourceDirection, isLeft: Bool) -> Double {
    let cosine = isLeft ? -direction.right : direction.right
    return renderArcCosine(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine)
  }

  /// Seconds until sound reaches an ear, after it would reach the nearest one.
  @_noLocks
  static func delay(_ angle: Double) -> Double {
    let time =
      angle < Double.pi / 2 ? 1 - renderCosine(angle) : 1 + angle - Double.pi / 2
    return radius / speedOfSound * time
  }

  /// The shadow's filter for an ear, by the bilinear transform.
  @_noLocks
  static func shadow(_ angle: Double, sampleRate: Double) -> FirstOrderFilter {
    let alpha = 1.05 + 0.95 * renderCosine(1.2 * angle)
    let beta = 2 * speedOfSound / radius
    let k = 2 * sampleRate
    return FirstOrderFilter(
      b0: (alpha * k + beta) / (k + beta), b1: (beta - alpha * k) / (k + beta),
      a1: (beta - k) / (k + beta))
  }
}

/// y[n] = b0 x[n] + b1 x[n-1] - a1 y[n-1].
struct FirstOrderFilter: BitwiseCopyable {
  var b0: Double
  var b1: Double
  var a1: Double

  @_noLocks
  init(b0: Double, b1: Double, a1: Double) {
    self.b0 = b0
    self.b1 = b1
    self.a1 = a1
  }
}
