extension PolyphaseResampler {
  /// The steepness and the depth of the filter: Core Audio's complexity, and the render quality
  /// within that.
  public struct Quality: Hashable, Sendable, BitwiseCopyable {
    /// `kAudioUnitSampleRateConverterComplexity_…`
    public enum Complexity: Hashable, Sendable, BitwiseCopyable, CaseIterable {
      /// Linear interpolation between input frames, without a filter, at hardly any cost. It dulls
      /// the treble; images and aliases are audible.
      case linear
      /// At least 100 dB of stop band from half the lower rate on; flat to 0.8 of that at the worst
      /// render quality, to 0.9 (19.8 kHz of 44.1 kHz) at the middle one.
      case normal
      /// At least 120 dB of stop band from half the lower rate on, 130 dB at the middle render
      /// quality; flat to 0.91 of that (20.06 kHz of 44.1 kHz), at the best to 0.95.
      case mastering
    }

    /// The kind of filter.
    public var complexity: Complexity
    /// 0 (worst) to 127 (best); `init` limits it to that.
    public var renderQuality: Int

    public init(_ complexity: Complexity, renderQuality: Int = 64) {
      self.complexity = complexity
      self.renderQuality = min(127, max(0, renderQuality))
    }

    /// `.linear` at the middle render quality, 64.
    public static var linear: Quality { Quality(.linear) }
    /// `.normal` at the middle render quality, 64.
    public static var normal: Quality { Quality(.normal) }
    /// `.mastering` at the middle render quality, 64.
    public static var mastering: Quality { Quality(.mastering) }

    /// The rows to compute for each row that cubic interpolation would need, so that linear
    /// interpolation between rows suffices. The error of that leaves images of tones near half the
    /// rate at -130 dB for 1024 rows, and 12 dB less for twice as many.
    var rowDensity: Int {
      switch complexity {
      case .linear: 1
      case .normal: renderQuality > 64 ? 8 : 4
      case .mastering: renderQuality > 64 ? 16 : 8
      }
    }

    /// The attenuation of the stop band in decibels, with a margin, and the end of the pass band as
    /// a fraction of half the lower rate. The worst mastering quality is above the best normal one.
    var band: (attenuation: Double, passBand: Double) {
      let quality = Double(renderQuality)
      let low = quality < 64 ? quality / 64 : 1
      let high = quality > 64 ? (quality - 64) / 63 : 0
      return switch complexity {
      case .linear: (0, 0)
      case .normal: (102 + 3 * low + 11 * high, 0.8 + 0.1 * low + 0.005 * high)
      case .mastering: (125 + 11 * low + 14 * high, 0.91 + 0.04 * high)
      }
    }
  }
}
