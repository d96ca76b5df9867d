import Glibc

/// How far a sound is from another, the reference: after it has been moved in time and scaled to be as
/// like it as it can be, or sample for sample.
///
/// Places are in frames of the reference. The difference is what has to be added to the reference to get
/// the sound, at the reference's level. A sample that is no finite number counts as 0, and is told of.
public struct SoundComparison: Sendable {
  public struct Options: Hashable, Sendable {
    /// Whether the sound may be late or early.
    public var aligns = true
    /// Whether it may be louder or softer, or upside down.
    public var matchesGain = true
    /// The greatest offset that is looked for, either way: in seconds, above 0.
    public var mostOffset = 5.0

    public init(aligns: Bool = true, matchesGain: Bool = true, mostOffset: Double = 5) {
      self.aligns = aligns
      self.matchesGain = matchesGain
      self.mostOffset = mostOffset
    }

    /// Sample for sample: of the same bits nothing is left.
    public static let exact = Options(aligns: false, matchesGain: false)
  }

  /// Why two sounds cannot be compared.
  public enum Refusal: Error, Hashable, Sendable {
    /// In Hz: of the sound, and of the reference.
    case sampleRates(Double, Double)
    /// Of the sound, and of the reference.
    case channelCounts(Int, Int)
  }

  /// Which of the two.
  public enum Side: Hashable, Sendable { case sound, reference }

  /// What is left of two sounds when one is taken from the other.
  public struct Null: Hashable, Sendable {
    /// The difference's root of the mean square, in dBFS; minus infinity for none.
    public var rms: Double
    /// Its greatest magnitude, in dBFS.
    public var peak: Double
    /// The root of the reference's mean square, in dBFS.
    public var reference: Double
    /// The difference below the reference, in dB.
    public var relative: Double { rms == -.infinity ? rms : rms - reference }
  }

  /// One channel of the two.
  public struct Channel: Hashable, Sendable {
    public var null: Null
    /// Of the sound over the reference by this channel alone, in dB; `nil` where either is silent.
    public var gain: Double?
    /// Whether this channel alone is upside down.
    public var isInverted: Bool
  }

  /// A stretch of 20 ms.
  public struct Block: Hashable, Sendable {
    public var frames: Range<Int>
    /// For each channel the root of the mean square, in dBFS.
    public var reference: [Double]
    public var difference: [Double]
  }

  /// A third of an octave, of all channels: those of IEC 61260 by powers of ten.
  public struct Band: Hashable, Sendable {
    /// Its middle, in Hz.
    public var frequency: Double
    /// The root of the mean square within it, in dBFS, of the channel that has most.
    public var reference: Double
    public var difference: Double
  }

  /// Frames that only one of the two has.
  public struct Surplus: Hashable, Sendable {
    public var side: Side
    /// In frames of its own.
    public var frames: Range<Int>
    /// In dBFS, at its own level.
    public var peak: Double
    /// Whether it is there because the one is late: no more frames than the offset has.
    public var isMovedOut: Bool
  }

  /// Something that is to be known besides.
  public enum Finding: Hashable, Sendable {
    case silent(Side)
    /// No offset makes them alike: neither it nor the gain is matched.
    case unrelated
    /// The sound is upside down: all of its channels, or those of a list.
    case inverted(channels: [Int])
    /// Left is right: the difference is so much less when they are changed round, in dB.
    case swapped(by: Double)
    /// Samples that are no finite numbers, and the first frame that has one.
    case notFinite(Side, count: Int, first: Int)
    /// The one clock is faster: the offset grows by this many frames in a second.
    case drifts(framesPerSecond: Double)
  }

  /// In Hz.
  public let sampleRate: Double
  public let channelCount: Int
  /// Frames by which the sound is late, to a hundredth; below 0 where it is early.
  public internal(set) var offset = 0.0
  /// Of the sound over the reference, in dB, to a thousandth.
  public internal(set) var gain = 0.0
  /// Whether the sound has been turned upside down to be like the reference.
  public internal(set) var isInverted = false
  /// Of the channel of which most is left.
  public internal(set) var null = Null(rms: -.infinity, peak: -.infinity, reference: -.infinity)
  public internal(set) var channels: [Channel] = []
  /// The frames of the reference that were compared. Where the sound is read between its samples, as many
  /// frames as that takes are left out at an end where it is cut off.
  public internal(set) var frames = 0..<0
  public internal(set) var overTime: [Block] = []
  public internal(set) var overFrequency: [Band] = []
  /// The block with the loudest difference, in dBFS: its frames, channel and the third of an octave that
  /// has most of it; `nil` where nothing is left.
  public internal(set) var worst: SoundReading?
  /// The sample that is farthest off, in dBFS: its frame and channel; `nil` where nothing is left.
  public internal(set) var worstSample: SoundReading?
  public internal(set) var surplus: [Surplus] = []
  public internal(set) var findings: [Finding] = []
  /// Of `frames`.
  public internal(set) var difference: Sound

  /// - Throws: Where they differ in sample rate or channels.
  public init(
    of sound: Sound, with reference: Sound, _ options: Options = Options()
  ) throws(Refusal) {
    guard sound.sampleRate == reference.sampleRate else {
      throw .sampleRates(sound.sampleRate, reference.sampleRate)
    }
    guard sound.channelCount == reference.channelCount else {
      throw .channelCounts(sound.channelCount, reference.channelCount)
    }
    self.init(sound, reference, options, looksAround: true)
  }

  /// - Parameter looksAround: Whether it looks for what else may be the matter.
  init(_ sound: Sound, _ reference: Sound, _ options: Options, looksAround: Bool) {
    sampleRate = reference.sampleRate
    channelCount = reference.channelCount
    difference = Sound(sampleRate: sampleRate, channels: [])
    let pair = SoundPair(sound, reference)
    findings = Self.findings(of: pair)
    var aligned: Double?
    if options.aligns, !pair.isSilent {
      let most = max(1, Int((options.mostOffset * sampleRate).rounded()))
      let alignment = pair.alignment(most: most)
      if alignment.isFound {
        offset = alignment.offset
        aligned = alignment.gain
      } else if looksAround {
        findings.append(.unrelated)
      }
    }
    frames = pair.common(offset)
    let fit = pair.fit(offset, frames)
    var factor = 1.0
    if options.matchesGain, !findings.contains(.unrelated), let gain = gain(fit, aligned) {
      factor = gain
      isInverted = gain < 0
      self.gain = 20 * log10(gain.magnitude)
    }
    measure(pair, fit, factor)
    surplus = Self.surplus(of: pair, offset)
    if looksAround { look(around: sound, reference, pair, options, fit) }
  }

  /// That of all channels together, unless they were aligned by one of them: then of those that are like
  /// that one.
  private func gain(_ fit: SoundPair.Fit, _ aligned: Double?) -> Double? {
    guard channelCount > 1, let aligned else { return fit.gain }
    return fit.gain(
      of: fit.channels.indices.filter { channel in
        guard let gain = fit.channels[channel] else { return false }
        return (gain / aligned - 1).magnitude < 0.1
      }) ?? fit.gain
  }

  /// Whether what is left stays below a bound everywhere.
  ///
  /// It does not where either sound has samples that are no finite numbers and the other has not the same,
  /// nor where one of them has sound, above the bound, that the other has not and that the offset does not
  /// explain.
  ///
  /// - Parameters:
  ///   - bound: Of every 20 ms of each channel, in dBFS.
  ///   - peak: Of every sample, in dBFS; `nil` for any.
  public func isBelow(_ bound: Double, peak: Double? = nil) -> Bool {
    guard unmatched == 0, (worst?.value ?? -.infinity) <= bound else { return false }
    if let peak, null.peak > peak { return false }
    return !surplus.contains { !$0.isMovedOut && $0.peak > bound }
  }

  /// Samples that are finite in one of the two only, or are neither finite nor the same.
  public internal(set) var unmatched = 0
}
