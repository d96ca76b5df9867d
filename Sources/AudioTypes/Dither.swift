/// The noise added to samples before they are rounded to the integers of a file or a bus, which
/// turns the rounding error into steady noise without distortion.
///
/// No noise is added while the format can hold every sample, so that copies stay exact and silence
/// stays silent. The noise is the same in each run.
public enum Dither: String, CaseIterable, Hashable, Sendable {
  /// Rounding without noise.
  case none
  /// Triangular noise, 2 least significant bits wide: mean and power of the rounding error then do
  /// not depend on the signal (Lipshitz, Wannamaker and Vanderkooy, "Quantization and dither: a
  /// theoretical survey", 1992). In 16 bits the noise is at -93.3 dBFS, against -98.1 dBFS without.
  case tpdf
  /// Triangular noise, shifted to where it is least audible at 44.1 and 48 kHz: the filter with
  /// five coefficients of Lipshitz, Vanderkooy and Wannamaker, "Minimally audible noise shaping",
  /// 1991.
  case shaped
}

extension Dither {
  /// The noise-shaping filter: `1 + sum of h[i] z^-(i + 1)`.
  package static let shape = [-2.033, 2.165, -1.959, 1.590, -0.6149]

  /// The dither for a value of `kAudioConverterPropertyDithering`: 0, 1 or 2; `nil` for any other.
  public init?(algorithm: UInt32) {
    switch algorithm {
    case 0: self = .none
    case 1: self = .tpdf
    case 2: self = .shaped
    default: return nil
    }
  }
}

/// The dither of a bus.
public struct BusDither: Hashable, Sendable {
  /// The kind of noise that is added before samples are rounded.
  public var dither: Dither
  /// Makes the noise differ from that of other buses, so that the powers of their noises add in a
  /// mix.
  public var seed: UInt64

  public init(_ dither: Dither, seed: UInt64 = 0) {
    self.dither = dither
    self.seed = seed
  }

  /// Rounding without noise.
  public static let none = BusDither(.none)
}
