import Glibc

/// The window of a spectrum. A window that shows a sine as a narrower peak shows it lower between
/// two bins.
public enum SpectrumWindow: String, CaseIterable, Sendable {
  case rectangular
  case hann
  case hamming
  case blackmanHarris
  case flatTop

  /// The terms of the sum of cosines: Hamming's own; Blackman-Harris with four terms and -92 dB (F.
  /// J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform",
  /// Proc. IEEE 66, 1978); the flat top of ISO 18431-2.
  private var terms: [Double] {
    switch self {
    case .rectangular: [1]
    case .hann: [0.5, 0.5]
    case .hamming: [0.54, 0.46]
    case .blackmanHarris: [0.35875, 0.48829, 0.14128, 0.01168]
    case .flatTop: [1, 1.933, 1.286, 0.388, 0.0322]
    }
  }

  /// The window for `count` frames, periodic in `count`.
  package func values(_ count: Int) -> [Double] {
    (0..<count).map { frame in
      let angle = 2 * Double.pi * Double(frame) / Double(count)
      var sign = 1.0
      var sum = 0.0
      for (order, term) in terms.enumerated() {
        sum += sign * term * cos(Double(order) * angle)
        sign = -sign
      }
      return sum
    }
  }
}
