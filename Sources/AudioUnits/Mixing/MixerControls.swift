public import RenderCore

/// Where the Multichannel Mixer's numbers stand in its control block: the one place that knows.
///
/// Each input element has a run of `inputStride` words, the output element one of `outputStride`,
/// and what says whether the mix clips one of `clippingStride`. Volumes, enable, pan, levels and
/// meters are `Float`s; modes are whole words, 0 for off. The render thread writes the meters and
/// what is clipped, which the control thread takes back to 0; the control thread all the others.
///
/// A meter is in decibels; each of the four has a word for the left channel and, after it, one for
/// the right: Core Audio's parameters 1000, 2000, 3000 and 4000 in this order.
// Offsets are computed properties, which another file's render code may read: a stored `static let`
// of another file might have to be made first.
public struct MixerControls: BitwiseCopyable, Sendable {
  // MARK: From the start of an input's run

  /// Linear gain: any finite number.
  public static var volume: Int { @_noLocks get { 0 } }
  /// 0 for off, any other number for on.
  public static var enable: Int { @_noLocks get { 1 } }
  /// -1 (left) to 1 (right).
  public static var pan: Int { @_noLocks get { 2 } }
  /// The first of the eight meter words of an input.
  public static var inputMeters: Int { @_noLocks get { 3 } }
  /// A word: whether the input's meters run.
  public static var inputMeteringMode: Int { @_noLocks get { 11 } }
  /// A word: 0 where the pan decides; otherwise another number each time levels have been set.
  public static var matrixMode: Int { @_noLocks get { 12 } }
  /// The first of four words: the gains from the left channel to the left and the right of the mix,
  /// then those from the right channel.
  public static var matrixLevels: Int { @_noLocks get { 13 } }
  public static var inputStride: Int { @_noLocks get { 17 } }

  // MARK: From the start of the output's run

  /// Linear gain: any finite number.
  public static var outputVolume: Int { @_noLocks get { 0 } }
  /// The first of the eight meter words of the output.
  public static var outputMeters: Int { @_noLocks get { 1 } }
  /// A word: whether the output's meters run.
  public static var outputMeteringMode: Int { @_noLocks get { 9 } }
  public static var outputStride: Int { @_noLocks get { 10 } }

  // MARK: From the start of what is clipped

  /// What `ClippingWatch` writes.
  public static var clippingStride: Int { @_noLocks get { ClippingWatch.wordCount } }

  // MARK: From the first meter word

  /// `PreAveragePower`: before the volume.
  public static var preAverage: Int { @_noLocks get { 0 } }
  /// `PrePeakHoldLevel`: before the volume.
  public static var prePeak: Int { @_noLocks get { 2 } }
  /// `PostAveragePower`: after the volume and, on an input, enable and pan.
  public static var postAverage: Int { @_noLocks get { 4 } }
  /// `PostPeakHoldLevel`: after the same.
  public static var postPeak: Int { @_noLocks get { 6 } }
  static var meterCount: Int { @_noLocks get { 8 } }

  // MARK: -

  public let access: ControlAccess
  /// The first word of input 0's run; those of the other inputs follow without a gap.
  public let inputBase: Int
  /// The first word of the output's run.
  public let outputBase: Int
  /// The first word of what is clipped.
  public let clippingBase: Int

  /// Unless they are given, the output comes first, what is clipped follows, and then the inputs.
  public init(
    access: ControlAccess,
    inputBase: Int = MixerControls.outputStride + MixerControls.clippingStride,
    outputBase: Int = 0, clippingBase: Int = MixerControls.outputStride
  ) {
    self.access = access
    self.inputBase = inputBase
    self.outputBase = outputBase
    self.clippingBase = clippingBase
  }

  /// Words that a block needs for a mixer with the default places.
  public static func wordCount(inputCount: Int) -> Int {
    outputStride + clippingStride + inputCount * inputStride
  }

  /// The word of an input that stands `offset` words from the start of its run.
  @_noLocks
  public func input(_ element: Int, _ offset: Int) -> Int {
    inputBase + element * Self.inputStride + offset
  }

  /// The word of the output that stands `offset` words from the start of its run.
  @_noLocks
  public func output(_ offset: Int) -> Int { outputBase + offset }

  /// The word that stands `offset` words from the start of what is clipped.
  @_noLocks
  public func clipping(_ offset: Int) -> Int { clippingBase + offset }

  /// Gives a fresh block Core Audio's defaults: volumes 1, all enabled, pans 0, meters off and at
  /// their floor.
  public func setDefaults(inputCount: Int) {
    for element in 0..<inputCount {
      access[input(element, Self.volume)] = 1
      access[input(element, Self.enable)] = 1
      access[input(element, Self.pan)] = 0
      access[word: input(element, Self.inputMeteringMode)] = 0
      for meter in 0..<Self.meterCount {
        access[input(element, Self.inputMeters + meter)] = LevelMeters.floor
      }
    }
    access[output(Self.outputVolume)] = 1
    access[word: output(Self.outputMeteringMode)] = 0
    for meter in 0..<Self.meterCount {
      access[output(Self.outputMeters + meter)] = LevelMeters.floor
    }
  }
}
