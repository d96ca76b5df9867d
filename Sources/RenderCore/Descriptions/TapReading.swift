/// What a tap has measured: a snapshot.
///
/// Levels are in decibels relative to full scale, where a square wave of full scale reads 0 dBFS
/// and a sine -3.01 dBFS RMS. Silence reads minus infinity.
public enum TapReading: Hashable, Sendable {
  case meter(MeterReading)
  case loudness(LoudnessReading)
  case spectrum(SpectrumReading)
}

/// The levels of the channels of a bus.
public struct MeterReading: Hashable, Sendable {
  /// The levels of one channel.
  public struct Channel: Hashable, Sendable {
    /// The peak magnitude of the last complete interval, in dBFS.
    public var peak: Double
    /// The RMS level of the last complete interval, in dBFS.
    public var rms: Double
    /// The peak magnitude with hold and decay, in dBFS.
    public var heldPeak: Double
    /// The peak magnitude since the beginning, in dBFS.
    public var highestPeak: Double
    /// The RMS level since the beginning, in dBFS.
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

  /// The number of frames measured.
  public var frameCount: Int
  /// The channels in the order of the bus.
  public var channels: [Channel]

  public init(frameCount: Int, channels: [Channel]) {
    self.frameCount = frameCount
    self.channels = channels
  }
}

/// The loudness of a programme: ITU-R BS.1770-4, EBU R 128, EBU Tech 3341 and 3342.
public struct LoudnessReading: Hashable, Sendable {
  /// The number of frames measured.
  public var frameCount: Int
  /// Over the last 400 ms, in LUFS.
  public var momentary: Double
  /// Over the last 3 s, in LUFS.
  public var shortTerm: Double
  /// Since the beginning, gated, in LUFS.
  public var integrated: Double
  /// Loudness range since the beginning, in LU.
  public var range: Double
  /// The highest momentary loudness, sampled every 100 ms, in LUFS.
  public var highestMomentary: Double
  /// The highest short-term loudness, sampled every 100 ms, in LUFS.
  public var highestShortTerm: Double
  /// The true peak of each channel since the beginning, in dBTP.
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

/// The spectrum of a bus.
public struct SpectrumReading: Hashable, Sendable {
  /// Levels of the bins, from 0 Hz to half the sample rate.
  public struct Curve: Hashable, Sendable {
    /// The level of each bin in dBFS, where a sine of amplitude 1 at the centre of a bin reads 0.
    /// Empty before the first spectrum.
    public var levels: [Float]
    /// The frequency of the strongest bin, refined by a parabola through it and its neighbours, in
    /// Hz; `nil` in silence.
    public var peakFrequency: Double?
    /// The level of the strongest bin, in dBFS.
    public var peakLevel: Double

    public init(levels: [Float], peakFrequency: Double?, peakLevel: Double) {
      self.levels = levels
      self.peakFrequency = peakFrequency
      self.peakLevel = peakLevel
    }
  }

  /// The number of frames that the spectra cover.
  public var frameCount: Int
  /// The number of spectra.
  public var spectrumCount: Int
  /// The distance of two bins, in Hz.
  public var binWidth: Double
  /// The last spectrum or, with averaging, the running average.
  public var recent: Curve
  /// The mean power spectrum since the beginning.
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

/// Reads what a tap measures. Any thread but the render thread.
public protocol TapReader: AnyObject, Sendable {
  /// The latest reading. The call neither waits for the render thread nor delays it.
  var reading: TapReading { get }
}
