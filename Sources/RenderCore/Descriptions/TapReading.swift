/// What a tap that measures has read: a snapshot, to be passed around and kept.
///
/// Levels are in decibels in reference to full scale, a square wave of full scale being 0 dBFS in each
/// of them and a sine -3.01 dBFS RMS. Nothing at all is minus infinity.
public enum TapReading: Hashable, Sendable {
  case meter(MeterReading)
  case loudness(LoudnessReading)
  case spectrum(SpectrumReading)
}

/// The levels of the channels of a bus.
public struct MeterReading: Hashable, Sendable {
  /// What is read of one channel.
  public struct Channel: Hashable, Sendable {
    /// The largest magnitude in the last whole interval, in dBFS.
    public var peak: Double
    /// The root mean square over the last whole interval, in dBFS.
    public var rms: Double
    /// The largest magnitude, held and then falling, in dBFS.
    public var heldPeak: Double
    /// The largest magnitude since the beginning, in dBFS.
    public var highestPeak: Double
    /// The root mean square since the beginning, in dBFS.
    public var overallRMS: Double

    public init(
      peak: Double, rms: Double, heldPeak: Double, highestPeak: Double, overallRMS: Double
    ) {
      self.peak = peak
      self.rms = rms
      self.heldPeak = heldPeak
      self.highestPeak = highestPeak
      self.overallRMS = overallRMS
    }
  }

  /// Frames that have been measured.
  public var frameCount: Int
  /// In the order of the bus.
  public var channels: [Channel]

  public init(frameCount: Int, channels: [Channel]) {
    self.frameCount = frameCount
    self.channels = channels
  }
}

/// The loudness of a programme: ITU-R BS.1770-4, EBU R 128, EBU Tech 3341 and 3342.
public struct LoudnessReading: Hashable, Sendable {
  /// Frames that have been measured.
  public var frameCount: Int
  /// Over the last 400 ms, in LUFS.
  public var momentary: Double
  /// Over the last 3 s, in LUFS.
  public var shortTerm: Double
  /// Since the beginning, gated, in LUFS.
  public var integrated: Double
  /// Loudness range since the beginning, in LU.
  public var range: Double
  /// The highest momentary loudness, looked at every 100 ms, in LUFS.
  public var highestMomentary: Double
  /// The highest short-term loudness, looked at every 100 ms, in LUFS.
  public var highestShortTerm: Double
  /// Of each channel the true peak since the beginning, in dBTP.
  public var truePeaks: [Double]

  /// The highest of the true peaks, in dBTP.
  public var truePeak: Double { truePeaks.max() ?? -.infinity }

  public init(
    frameCount: Int, momentary: Double, shortTerm: Double, integrated: Double, range: Double,
    highestMomentary: Double, highestShortTerm: Double, truePeaks: [Double]
  ) {
    self.frameCount = frameCount
    self.momentary = momentary
    self.shortTerm = shortTerm
    self.integrated = integrated
    self.range = range
    self.highestMomentary = highestMomentary
    self.highestShortTerm = highestShortTerm
    self.truePeaks = truePeaks
  }
}

/// What a bus consists of: the amplitudes of sines.
public struct SpectrumReading: Hashable, Sendable {
  /// A level for each bin, from 0 Hz to half the sample rate.
  public struct Curve: Hashable, Sendable {
    /// In dBFS: a sine of amplitude 1 in the middle of a bin reads 0 there. Empty before there is a
    /// spectrum.
    public var levels: [Float]
    /// Where the strongest bin is or, by the parabola through it and its neighbours, what lies in it:
    /// in Hz; `nil` in silence.
    public var peakFrequency: Double?
    /// The level of the strongest bin, in dBFS.
    public var peakLevel: Double

    public init(levels: [Float], peakFrequency: Double?, peakLevel: Double) {
      self.levels = levels
      self.peakFrequency = peakFrequency
      self.peakLevel = peakLevel
    }
  }

  /// Frames that the spectra have been made of.
  public var frameCount: Int
  /// How many spectra there were.
  public var spectrumCount: Int
  /// From one bin to the next, in Hz.
  public var binWidth: Double
  /// The last spectrum or, with averaging, the average of late.
  public var recent: Curve
  /// The mean power of all spectra since the beginning.
  public var overall: Curve

  public init(
    frameCount: Int, spectrumCount: Int, binWidth: Double, recent: Curve, overall: Curve
  ) {
    self.frameCount = frameCount
    self.spectrumCount = spectrumCount
    self.binWidth = binWidth
    self.recent = recent
    self.overall = overall
  }
}

/// The side of a tap that is asked for what it has read, from any thread but the render thread.
public protocol TapReader: AnyObject, Sendable {
  /// What has been read so far. Never waits for the render thread, nor makes it wait.
  var reading: TapReading { get }
}
