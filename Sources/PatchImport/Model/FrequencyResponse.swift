import Glibc

/// The frequency response of recursive filters.
public enum FrequencyResponse {
  /// The gain of a recursive filter at a frequency, in decibels; -infinity for silence.
  static func decibels(
    _ b: [Double], _ a: [Double], at frequency: Double, sampleRate: Double
  ) -> Double {
    let w = 2 * Double.pi * frequency / sampleRate
    return 20 * log10(magnitude(b, w)) - 20 * log10(magnitude(a, w))
  }

  private static func magnitude(_ coefficients: [Double], _ w: Double) -> Double {
    var real = 0.0
    var imaginary = 0.0
    for (index, value) in coefficients.enumerated() {
      real += value * cos(w * Double(index))
      imaginary -= value * sin(w * Double(index))
    }
    return hypot(real, imaginary)
  }
}
