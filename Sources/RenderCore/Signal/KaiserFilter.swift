import Glibc

/// A low-pass filter in continuous time: a sinc under a Kaiser window, with a gain of 1 at 0 Hz.
///
/// Times are in input frames. The shape of the window and the length for a transition band are from
/// Kaiser 1974. Control thread only.
package struct KaiserFilter {
  /// The length of the filter in frames: an even number.
  package let tapCount: Int
  /// The frequency where the response is one half, in cycles per input frame.
  let cutoff: Double
  private let beta: Double
  private let peak: Double
  private let bessel: BesselFunction

  /// Makes a filter for converting from one rate to another.
  ///
  /// - Parameters:
  ///   - attenuation: The attenuation of the stop band, in decibels; above 50.
  ///   - passBand: The end of the pass band, as a fraction of half the lower rate, where the stop
  ///     band begins.
  ///   - step: Input frames for one output frame.
  package init(attenuation: Double, passBand: Double, step: Double) {
    // The lower of the two rates, in cycles per input frame.
    let rate = step > 1 ? 1 / step : 1
    let transition = (1 - passBand) * rate / 2
    let length = (attenuation - 7.95) / (2.285 * 2 * Double.pi * transition) + 1
    // 2^40 taps are too many to make; the limit only lets their memory be computed.
    tapCount = (Int(min(length, 0x1p40).rounded(.up)) + 1) / 2 * 2
    cutoff = (1 + passBand) / 2 * rate / 2
    beta = 0.1102 * (attenuation - 8.7)
    bessel = BesselFunction(upTo: beta)
    peak = bessel.atRoots(of: SIMD8(repeating: beta * beta))[0]
  }

  /// The values at successive times one frame apart, exact to a few of the last digits: each sine
  /// is a rotation of the one before.
  ///
  /// - Parameter first: The first time. Each time must be 0, or at least 1e-4 away from it.
  package func values(from first: Double, count: Int) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(count + 7)
    let turn = 2 * Double.pi * cutoff
    let (stepSine, stepCosine) = (sin(turn), cos(turn))
    var (sine, cosine) = (sin(turn * first), cos(turn * first))
    while values.count < count {
      // Eight at a time, because each step of a series needs the one before it.
      var squares = SIMD8<Double>()
      var sincs = SIMD8<Double>()
      for lane in 0..<8 {
        let time = first + Double(values.count + lane)
        let place = 2 * time / Double(tapCount)
        squares[lane] = 1 - place * place
        sincs[lane] = squares[lane] < 0 ? 0 : time == 0 ? 1 : sine / (turn * time)
        (sine, cosine) = (
          sine * stepCosine + cosine * stepSine, cosine * stepCosine - sine * stepSine
        )
      }
      let windows = bessel.atRoots(of: squares * (beta * beta))
      let scaled = sincs * windows * (2 * cutoff / peak)
      for lane in 0..<min(8, count - values.count) { values.append(scaled[lane]) }
    }
    return values
  }
}

/// The modified Bessel function of the first kind, order 0, up to a largest argument, by its power
/// series: all terms are positive, so that nothing cancels.
private struct BesselFunction {
  /// 1 / n!^2, the highest power first.
  private let coefficients: [Double]

  init(upTo largest: Double) {
    let quarter = largest * largest / 4
    var coefficients = [1.0]
    var (term, sum) = (1.0, 1.0)
    while term > sum * 1e-17 {
      let index = Double(coefficients.count)
      coefficients.append(coefficients[coefficients.count - 1] / (index * index))
      term *= quarter / (index * index)
      sum += term
    }
    self.coefficients = coefficients.reversed()
  }

  /// The values at the square roots of eight numbers.
  func atRoots(of squares: SIMD8<Double>) -> SIMD8<Double> {
    let quarters = squares / 4
    var sums = SIMD8<Double>()
    for coefficient in coefficients { sums = sums * quarters + coefficient }
    return sums
  }
}
