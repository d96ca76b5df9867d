import Glibc

/// A low-pass filter in continuous time: a sinc under a Kaiser window, with a gain of 1 at 0 Hz.
///
/// Times are in input frames. Kaiser 1974 gives the window's shape and the length that a transition
/// band takes. Control thread only.
struct KaiserFilter {
  /// Whole frames that the filter spans: an even number.
  let tapCount: Int
  /// Where the response is at one half, in cycles per input frame.
  let cutoff: Double
  private let beta: Double
  private let peak: Double

  /// A filter for one step from a rate to another.
  ///
  /// - Parameters:
  ///   - attenuation: Of the stop band, in decibels; over 50.
  ///   - passBand: Where the pass band ends, as a fraction of the lower rate's half, at which the
  ///     stop band begins.
  ///   - step: Input frames for one output frame.
  init(attenuation: Double, passBand: Double, step: Double) {
    // The lower of the two rates, in cycles per input frame.
    let rate = step > 1 ? 1 / step : 1
    let transition = (1 - passBand) * rate / 2
    let length = (attenuation - 7.95) / (2.285 * 2 * Double.pi * transition) + 1
    tapCount = (Int(length.rounded(.up)) + 1) / 2 * 2
    cutoff = (1 + passBand) / 2 * rate / 2
    beta = 0.1102 * (attenuation - 8.7)
    peak = bessel(beta)
  }

  func value(at time: Double) -> Double {
    let place = 2 * time / Double(tapCount)
    let inside = 1 - place * place
    guard inside >= 0 else { return 0 }
    let angle = 2 * Double.pi * cutoff * time
    let sinc = angle == 0 ? 1 : sin(angle) / angle
    return 2 * cutoff * sinc * bessel(beta * inside.squareRoot()) / peak
  }
}

/// The modified Bessel function of the first kind, order 0, by its power series: all of its terms
/// are positive, so that nothing cancels.
private func bessel(_ x: Double) -> Double {
  let quarter = x * x / 4
  var term = 1.0
  var sum = 1.0
  var index = 1.0
  while term > sum * 1e-17 {
    term *= quarter / (index * index)
    sum += term
    index += 1
  }
  return sum
}
