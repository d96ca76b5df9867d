import Glibc

/// A least-squares fit of a sine of one frequency to a signal.
public struct SineFit: Hashable, Sendable {
  /// The amplitudes of the cosine and the sine, with phase 0 at index 0.
  public var cosine: Double
  public var sine: Double
  /// The root mean square of the residual.
  public var rest: Double

  public var amplitude: Double { (cosine * cosine + sine * sine).squareRoot() }

  public init(_ signal: ArraySlice<Float>, frequency: Double, rate: Double) {
    var (cc, cs, ss, xc, xs) = (0.0, 0.0, 0.0, 0.0, 0.0)
    let angle = 2 * Double.pi * frequency / rate
    for index in signal.indices {
      let (c, s, x) = (
        cos(angle * Double(index)), sin(angle * Double(index)), Double(signal[index])
      )
      cc += c * c
      cs += c * s
      ss += s * s
      xc += x * c
      xs += x * s
    }
    let determinant = cc * ss - cs * cs
    cosine = (xc * ss - xs * cs) / determinant
    sine = (xs * cc - xc * cs) / determinant
    rest = 0
    for index in signal.indices {
      let model = cosine * cos(angle * Double(index)) + sine * sin(angle * Double(index))
      rest += (Double(signal[index]) - model) * (Double(signal[index]) - model)
    }
    rest = (rest / Double(signal.count)).squareRoot()
  }
}
