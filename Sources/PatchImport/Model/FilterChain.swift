public import Diagnostics

/// Filters in the order in which they work, whichever program they were written for.
///
/// Frequencies are in hertz and Q is the one of the Audio EQ Cookbook (R. Bristow-Johnson), so that its
/// formulas, bilinear and at `sampleRate`, give the filters of the original.
public struct FilterChain: Sendable {
  /// What the document says that it is, if it says so.
  public var title: String?
  /// In hertz: what bandwidths in octaves and delays in frames were converted with.
  public var sampleRate: Double
  /// The names of the channels that go in.
  public var channels: [String]
  public var stages: [Stage] = []

  public init(title: String? = nil, sampleRate: Double, channels: [String]) {
    self.title = title
    self.sampleRate = sampleRate
    self.channels = channels
  }

  /// How many channels come out.
  public var outputCount: Int {
    stages.reduce(channels.count) { count, stage in
      if case .mix(let mix) = stage.kind { mix.count } else { count }
    }
  }

  /// The most channels that there are anywhere on the way.
  public var widest: Int {
    stages.reduce(channels.count) { most, stage in
      if case .mix(let mix) = stage.kind { max(most, mix.count) } else { most }
    }
  }

  /// One step: what it does, to which channels, and where it is written.
  public struct Stage: Sendable {
    public var kind: Kind
    /// The channels by number, in ascending order; `nil` for all of them.
    public var channels: [Int]?
    /// In the text that was imported.
    public var range: SourceRange

    public init(_ kind: Kind, channels: [Int]? = nil, at range: SourceRange) {
      self.kind = kind
      self.channels = channels
      self.range = range
    }
  }

  public enum Kind: Hashable, Sendable {
    case section(FilterSection)
    /// In decibels; turned over where it is inverted.
    case gain(Double, isInverted: Bool)
    case mute
    /// In seconds.
    case delay(Double)
    /// Each channel that comes out: a factor for each that goes in.
    case mix([[Double]])
    /// A recursive filter: the coefficients of z^0, z^-1 and so on, with `a[0]` 1.
    case recursive(b: [Double], a: [Double])
    /// The taps of a filter.
    case taps([Double])
    case convolution(ResponseFile)
    /// Decibels at frequencies, joined by straight lines over the logarithm of the frequency, level
    /// beyond the first and the last.
    case curve([CurvePoint])
    /// In decibels above full scale; a soft one bends before it.
    case clip(Double, isSoft: Bool)
    case clamp(low: Double, high: Double)
    /// A compressor or a gate of CamillaDSP, with its numbers by its names.
    case processor(String, [String: Double])
    /// Degrees; the azimuth counts to the left.
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
    /// The sample format of a file without a header, as the original names it.
    public var format: String?
    /// The channel of the file, from 0; `nil` for one after the other.
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
