import Glibc

/// The difference between a sound and a reference, either sample for sample or after the sound has
/// been moved in time and scaled to be most like the reference.
///
/// Places are in frames of the reference. The difference plus the reference is the sound at the
/// reference's level. A sample that is not finite counts as 0 and becomes a finding.
public struct SoundComparison: Sendable {
  public struct Options: Hashable, Sendable {
    /// Whether the sound may be late or early: the offset is matched.
    public var aligns = true
    /// Whether the sound may be louder, softer or inverted: the gain is matched.
    public var matchesGain = true
    /// The greatest offset to look for, in either direction: in seconds, above 0.
    public var mostOffset = 5.0

    public init(aligns: Bool = true, matchesGain: Bool = true, mostOffset: Double = 5) {
      self.aligns = aligns
      self.matchesGain = matchesGain
      self.mostOffset = mostOffset
    }

    /// Sample for sample: equal samples leave no difference.
    public static let exact = Options(aligns: false, matchesGain: false)
  }

  /// Why two sounds cannot be compared.
  public enum Refusal: Error, Hashable, Sendable {
    /// The sample rates of the sound and of the reference, in Hz.
    case sampleRates(Double, Double)
    /// The channel counts of the sound and of the reference.
    case channelCounts(Int, Int)
  }

  /// One of the two sounds.
  public enum Side: Hashable, Sendable { case sound, reference }

  /// The levels of a difference.
  public struct Null: Hashable, Sendable {
    /// The root mean square of the difference, in dBFS; minus infinity for none.
    public var rms: Double
    /// The greatest magnitude of the difference, in dBFS.
    public var peak: Double
    /// The root mean square of the reference, in dBFS.
    public var reference: Double
    /// The difference relative to the reference, in dB.
    public var relative: Double { rms == -.infinity ? rms : rms - reference }
  }

  /// The comparison of one channel.
  public struct Channel: Hashable, Sendable {
    public var null: Null
    /// The gain of the sound over the reference in this channel alone, in dB; `nil` where either is
    /// silent.
    public var gain: Double?
    /// Whether this channel alone is inverted.
    public var isInverted: Bool
  }

  /// The levels in a block of 20 ms.
  public struct Block: Hashable, Sendable {
    public var frames: Range<Int>
    /// The root mean square of each channel, in dBFS.
    public var reference: [Double]
    public var difference: [Double]
  }

  /// A third of an octave (IEC 61260, powers of ten), over all channels.
  public struct Band: Hashable, Sendable {
    /// The centre frequency, in Hz.
    public var frequency: Double
    /// The root mean square in the band, in dBFS, of the channel with the most.
    public var reference: Double
    public var difference: Double
  }

  /// Frames that only one of the two has.
  public struct Surplus: Hashable, Sendable {
    public var side: Side
    /// In frames of that sound.
    public var frames: Range<Int>
    /// In dBFS, at that sound's own level.
    public var peak: Double
    /// Whether the offset explains it: it has no more frames than the offset.
    public var isMovedOut: Bool
  }

  /// A further result of a comparison.
  public enum Finding: Hashable, Sendable {
    case silent(Side)
    /// No offset makes the sounds similar, so that neither offset nor gain is matched.
    case unrelated
    /// The sound is inverted: the listed channels, or all where the list is empty.
    case inverted(channels: [Int])
    /// Left and right are swapped: swapping them back lowers the difference by this many dB.
    case swapped(by: Double)
    /// Samples that are not finite, and the first frame with one.
    case notFinite(Side, count: Int, first: Int)
    /// The clocks differ: the offset grows by this many frames per second.
    case drifts(framesPerSecond: Double)
  }

  /// In Hz.
  public let sampleRate: Double
  public let channelCount: Int
  /// The frames by which the sound is late, to a hundredth; below 0 where it is early.
  public internal(set) var offset = 0.0
  /// The gain of the sound over the reference, in dB, to a thousandth.
  public internal(set) var gain = 0.0
  /// Whether the sound was inverted to match the reference.
  public internal(set) var isInverted = false
  /// The highest levels of any channel.
  public internal(set) var null = Null(rms: -.infinity, peak: -.infinity, reference: -.infinity)
  public internal(set) var channels: [Channel] = []
  /// The frames of the reference that were compared. Where the sound is read between its samples,
  /// the filter's reach is left out at an end that is not silent.
  public internal(set) var frames = 0..<0
  public internal(set) var overTime: [Block] = []
  public internal(set) var overFrequency: [Band] = []
  /// The block with the loudest difference, in dBFS: its frames, its channel and the strongest
  /// third of an octave; `nil` where there is no difference.
  public internal(set) var worst: SoundReading?
  /// The sample with the greatest difference, in dBFS: its frame and channel; `nil` where there is
  /// no difference.
  public internal(set) var worstSample: SoundReading?
  public internal(set) var surplus: [Surplus] = []
  public internal(set) var findings: [Finding] = []
  /// The difference over `frames`.
  public internal(set) var difference: Sound

  /// - Throws: `Refusal` where the two differ in sample rate or channel count.
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

  /// - Parameter looksAround: Whether to look for further causes of a difference.
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

  /// The gain of the channels whose own gain is within 10 % of the alignment's; without any, of
  /// all.
  private func gain(_ fit: SoundPair.Fit, _ aligned: Double?) -> Double? {
    guard channelCount > 1, let aligned else { return fit.gain }
    return fit.gain(
      of: fit.channels.indices.filter { channel in
        guard let gain = fit.channels[channel] else { return false }
        return (gain / aligned - 1).magnitude < 0.1
      }) ?? fit.gain
  }

  /// Whether the difference stays at or below a bound everywhere.
  ///
  /// `false` also where the two have different samples that are not finite, and where one sound has
  /// frames above the bound that the other lacks, unless the offset explains them.
  ///
  /// - Parameters:
  ///   - bound: For each block of 20 ms of each channel, in dBFS.
  ///   - peak: For each sample, in dBFS; `nil` for any.
  public func isBelow(_ bound: Double, peak: Double? = nil) -> Bool {
    guard unmatched == 0, (worst?.value ?? -.infinity) <= bound else { return false }
    if let peak, null.peak > peak { return false }
    return !surplus.contains { !$0.isMovedOut && $0.peak > bound }
  }

  /// Pairs of samples that differ and are not both finite.
  public internal(set) var unmatched = 0
}
