/// What is added to samples before they are rounded to the integers of a file, so that what is lost is a
/// steady noise and no distortion.
///
/// Nothing is added as long as every sample is a value that the file can hold, so that what is copied stays
/// as it is and silence stays silence. The noise is the same in each run.
public enum Dither: String, CaseIterable, Hashable, Sendable {
  /// Samples are rounded as they are.
  case none
  /// Noise of a triangular distribution, 2 least significant bits wide: the error of the rounding has
  /// then a mean and a power that do not depend on the sound (Lipshitz, Wannamaker and Vanderkooy, "Quantization and
  /// dither: a theoretical survey", 1992). -93.3 dBFS of noise in 16 bits, against 98.1 dB without.
  case tpdf
  /// The same, with the noise moved to where ears hear least of it at 44.1 and 48 kHz: the filter of
  /// five coefficients of Lipshitz, Vanderkooy and Wannamaker, "Minimally audible noise shaping", 1991.
  case shaped
}

/// The samples of a file that were beyond full scale.
public struct Clipping: Hashable, Sendable {
  /// How many.
  public var sampleCount: Int
  /// The first frame that has one.
  public var firstFrame: Int
}
