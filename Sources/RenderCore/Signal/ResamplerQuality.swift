extension PolyphaseResampler {
  /// How steep and how deep the filter is: Core Audio's complexity, and its render quality within
  /// that.
  public struct Quality: Hashable, Sendable, BitwiseCopyable {
    /// `kAudioUnitSampleRateConverterComplexity_…`
    public enum Complexity: Hashable, Sendable, BitwiseCopyable, CaseIterable {
      /// A straight line between each two input frames: next to no cost and no filter. It dulls the
      /// treble, and images and aliases are heard.
      case linear
      /// At least 100 dB of stop band from half the lower rate on; flat to 0.8 of that at the worst
      /// render quality, to 0.9 (19.8 kHz of 44.1 kHz) at the middle one.
      case normal
      /// At least 120 dB of stop band from half the lower rate on, 130 dB at the middle render
      /// quality; flat to 0.91 of that (20.06 kHz of 44.1 kHz), at the best to 0.95.
      case mastering
    }

    /// Which filter is used.
    public var complexity: Complexity
    /// 0 (worst) to 127 (best); what is outside is taken as the nearer of the two.
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

    /// How many times as many rows as a cubic would need lie between two input frames, where a row is
    /// taken by a straight line between two. That misses a little: tones near half the rate get images
    /// at -130 dB from 1024 rows, 12 dB less from twice as many.
    var rowDensity: Int {
      switch complexity {
      case .linear: 1
      case .normal: renderQuality > 64 ? 8 : 4
      case .mastering: renderQuality > 64 ? 16 : 8
      }
    }

    /// The stop band's depth in decibels, with some to spare, and the pass band's end as a part of
    /// half the lower rate. The worst mastering is above the best normal.
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
