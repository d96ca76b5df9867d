public import Diagnostics

/// Filters in the order in which the signal passes them, independent of the program that they were
/// written for.
///
/// Frequencies are in hertz. Q is that of the Audio EQ Cookbook (R. Bristow-Johnson): its bilinear
/// formulas at `sampleRate` give the filters of the original.
public struct FilterChain: Sendable {
  /// The title in the document.
  public var title: String?
  /// In hertz; bandwidths in octaves and delays in frames were converted with it.
  public var sampleRate: Double
  /// The names of the input channels.
  public var channels: [String]
  public var stages: [Stage] = []

  /// The number of output channels.
  public var outputCount: Int {
    stages.reduce(channels.count) { count, stage in
      if case .mix(let mix) = stage.kind { mix.count } else { count }
    }
  }

  /// The greatest number of channels before, between and behind the stages.
  public var maximumChannelCount: Int {
    stages.reduce(channels.count) { most, stage in
      if case .mix(let mix) = stage.kind { max(most, mix.count) } else { most }
    }
  }

  /// One step: an effect and the channels that it applies to.
  public struct Stage: Sendable {
    public var kind: Kind
    /// The channels by index, in ascending order; `nil` for all.
    public var channels: [Int]?
    /// The range of the stage in the text that was imported.
    public var range: SourceRange

    public init(_ kind: Kind, channels: [Int]? = nil, at range: SourceRange) {
      self.kind = kind
      self.channels = channels
      self.range = range
    }
  }

  public enum Kind: Hashable, Sendable {
    case section(FilterSection)
    /// A gain in decibels; an inverted one changes the sign of the samples.
    case gain(Double, isInverted: Bool)
    case mute
    /// A delay in seconds.
    case delay(Double)
    /// A mix: one row for each output channel, with a factor for each input channel.
    case mix([[Double]])
    /// A recursive filter: the coefficients of z^0, z^-1 and so on, where `a[0]` is 1.
    case recursive(b: [Double], a: [Double])
    /// The impulse response of a filter.
    case taps([Double])
    case convolution(ResponseFile)
    /// Gains at ascending frequencies, interpolated linearly over the logarithm of the frequency,
    /// and constant beyond the first and the last.
    case curve([CurvePoint])
    /// A clip at a level in dBFS; a soft one bends the signal below that level too.
    case clip(Double, isSoft: Bool)
    /// Limits samples to a range; 1 is full scale.
    case clamp(low: Double, high: Double)
    /// A processor of CamillaDSP by its type, with its numbers by CamillaDSP's names.
    case processor(String, [String: Double])
    /// Angles in degrees; the azimuth counts to the left.
    case spatializer(file: String, azimuth: Double, elevation: Double, radius: Double)
  }

  public struct CurvePoint: Hashable, Sendable {
    /// In hertz.
    public var frequency: Double
    /// In decibels.
    public var gain: Double

    public init(_ frequency: Double, _ gain: Double) {
      self.frequency = frequency
      self.gain = gain
    }
  }

  /// An impulse response in a file.
  public struct ResponseFile: Hashable, Sendable {
    public var path: String
    /// The sample format of a file without a header, as the original program names it.
    public var format: String?
    /// The index of the channel in the file; `nil` to give each channel its own.
    public var channel: Int?
    /// In decibels.
    public var gain = 0.0

    public init(_ path: String, format: String? = nil, channel: Int? = nil, gain: Double = 0) {
      self.path = path
      self.format = format
      self.channel = channel
      self.gain = gain
    }
  }
}
