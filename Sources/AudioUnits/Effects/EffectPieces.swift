import AudioTypes
public import RenderCore

/// What the kernel of every effect needs around its own work: pieces of a slice, and the bypass.
///
/// While bypassed, every sample passes unchanged, delayed by the effect's latency. A switch
/// crossfades over 20 ms, with weights that add up to 1 and have no corner. After the fade the
/// effect does not run, and it restarts when the bypass ends. The output may share memory with the
/// input: during a fade, the dry samples are copied before the effect writes. A kernel has this form:
///
///     guard pieces.begin(context) else { return .formatNotSupported }
///     while pieces.next(context, atMost: EffectPieces.longest) {
///       if pieces.beginsAnew { … }                // clear the effect's memory
///       if pieces.isProcessed { … }               // frames pieces.start to pieces.start + pieces.count
///       pieces.finish(context, isSilent: false)
///       if pieces.isCheckDue { … }                // every 1024 frames: clear memory that is next to zero
///     }
///
/// The boundaries that a kernel asks for do not depend on slices as long as its requests do not.
public struct EffectPieces: ~Copyable {
  /// The most frames of a piece.
  public static var longest: Int { @_noLocks get { 512 } }
  /// The duration of the fade to the bypass and back, in seconds.
  public static let fadeDuration = 0.02
  private static var checkInterval: Int { @_noLocks get { 1024 } }

  /// The number of channels that are processed.
  public let channelCount: Int
  private let controls: ControlAccess
  private let bypassSlot: Int
  private let latency: Int
  private let fadeLength: Int
  private let dry: SampleStorage
  // The last frames of the input, channel by channel, as many as the latency.
  private let line: SampleStorage
  private var linePlace = 0
  // The position of the fade to the bypass: 0 without bypass, `fadeLength` when bypassed.
  private var faded = 0
  private var isBypassed = false
  private var hasBegun = false
  private var wasProcessed = false
  private var isInputSilent = false
  // Whether the input and the line are zeros, so that zeros are what passes.
  private var isPassingSilence = false
  private var isAllSilent = false
  private var silentFrames = 0
  private var framesUntilCheck = EffectPieces.checkInterval

  /// The first frame of the piece in the slice.
  public private(set) var start = 0
  /// The frames of the piece.
  public private(set) var count = 0
  /// Whether the effect is heard in the piece, and so has to fill the output.
  public private(set) var isProcessed = true
  /// Whether the effect runs for the first time, or again after a bypass.
  public private(set) var beginsAnew = false
  /// Whether the piece has ended on a multiple of 1024 frames.
  public private(set) var isCheckDue = false

  // MARK: Control thread

  /// - Parameters:
  ///   - configuration: Of a unit with the properties `EffectProperties.common`.
  ///   - controls: Their block must outlive this value.
  ///   - latency: The effect's, in frames.
  public init(
    _ configuration: UnitConfiguration, controls: ControlLayout, latency: Int = 0
  ) {
    let format = configuration.outputs[0].format
    channelCount = format.channelCount
    self.controls = controls.block.access
    bypassSlot = controls.slot(PropertyPlace(.bypassEffect, .global, 0)) ?? 0
    self.latency = latency
    fadeLength = Swift.max(1, Int((Self.fadeDuration * format.sampleRate).rounded(.up)))
    dry = SampleStorage(repeating: 0, count: channelCount * Self.longest)
    line = SampleStorage(repeating: 0, count: Swift.max(1, channelCount * latency))
  }

  // MARK: Render thread

  /// Begins a slice.
  ///
  /// - Returns: Whether the buses have the channels that the effect was made for.
  @_noLocks
  public mutating func begin(_ context: RenderContext) -> Bool {
    let input = context.input(0)
    guard input.channelCount == channelCount, context.output(0).channelCount == channelCount else {
      return false
    }
    isBypassed = controls[word: bypassSlot] != 0
    if !hasBegun {
      hasBegun = true
      faded = isBypassed ? fadeLength : 0
    }
    isInputSilent = input.isSilent
    isAllSilent = true
    start = 0
    count = 0
    return true
  }

  /// Whether the input of the slice is all zeros.
  public var isSilent: Bool { @_noLocks get { isInputSilent } }

  /// Advances to the next piece; `false` at the end of the slice.
  @_noLocks
  public mutating func next(_ context: RenderContext, atMost most: Int) -> Bool {
    start += count
    let rest = context.frameCount - start
    guard rest > 0 else {
      count = 0
      if isAllSilent { context.output(0).markSilent() } else { context.output(0).markSounding() }
      return false
    }
    var length = rest < Self.longest ? rest : Self.longest
    if most < length { length = most }
    if framesUntilCheck < length { length = framesUntilCheck }
    let isFading = isBypassed ? faded < fadeLength : faded > 0
    if isFading {
      let left = isBypassed ? fadeLength - faded : faded
      if left < length { length = left }
    }
    count = length
    isProcessed = isFading || !isBypassed
    beginsAnew = isProcessed && !wasProcessed
    wasProcessed = isProcessed
    isPassingSilence = isInputSilent && silentFrames >= latency
    if isFading {
      keep(context.input(0))
    } else if latency > 0, !isPassingSilence {
      if isProcessed { store(context.input(0)) } else { keep(context.input(0)) }
    }
    return true
  }

  /// Clears the output of the piece, where the effect is heard in it.
  @_noLocks
  public func clear(_ output: RenderBus) {
    guard isProcessed else { return }
    for channel in 0..<channelCount {
      output[channel].dropping(start).prefix(count).clear()
    }
  }

  /// Ends a piece, after the effect has written its output.
  ///
  /// - Parameter isSilent: Whether the effect has written zeros only.
  @_noLocks
  public mutating func finish(_ context: RenderContext, isSilent: Bool) {
    let isFading = isBypassed ? faded < fadeLength : faded > 0
    if !isProcessed {
      pass(context.input(0), into: context.output(0))
    } else if isFading {
      blend(context.output(0))
    }
    silentFrames = isInputSilent ? silentFrames + count : 0
    if !(isProcessed ? isSilent && (!isFading || isPassingSilence) : isPassingSilence) {
      isAllSilent = false
    }
    framesUntilCheck -= count
    isCheckDue = framesUntilCheck == 0
    if isCheckDue { framesUntilCheck = Self.checkInterval }
  }

  /// Copies the dry input, delayed by the latency.
  @_noLocks
  private mutating func keep(_ input: RenderBus) {
    let old = count < latency ? count : latency
    for channel in 0..<channelCount {
      let kept = dry.buffer(at: channel * Self.longest, count: count)
      if isPassingSilence {
        kept.clear()
        continue
      }
      if old > 0 {
        line.buffer(at: channel * latency, count: latency)
          .read(aroundFrom: linePlace, into: kept.prefix(old))
      }
      kept.dropping(old).copy(from: input[channel].dropping(start))
    }
    if latency > 0, !isPassingSilence { store(input) }
  }

  /// Writes the input into the delay of the latency.
  @_noLocks
  private mutating func store(_ input: RenderBus) {
    // Of a piece longer than the delay, the end.
    let recent = count < latency ? count : latency
    let place = (linePlace + count - recent) % latency
    for channel in 0..<channelCount {
      let samples = input[channel].dropping(start + count - recent).prefix(recent)
      line.buffer(at: channel * latency, count: latency).write(aroundFrom: place, samples)
    }
    linePlace = (linePlace + count) % latency
  }

  /// Writes what passes while the effect does not run.
  @_noLocks
  private func pass(_ input: RenderBus, into output: RenderBus) {
    for channel in 0..<channelCount {
      let samples = output[channel].dropping(start).prefix(count)
      if isPassingSilence {
        samples.clear()
      } else if latency > 0 {
        samples.copy(from: dry.buffer(at: channel * Self.longest, count: count))
      } else {
        // Nothing, where both are in the same memory.
        samples.copy(from: input[channel].dropping(start))
      }
    }
  }

  @_noLocks
  private mutating func blend(_ output: RenderBus) {
    let step = isBypassed ? 1 : -1
    for channel in 0..<channelCount {
      let samples = output[channel].dropping(start)
      var place = faded
      for frame in 0..<count {
        place += step
        let part = Float(place) / Float(fadeLength)
        let weight = part * part * (3 - 2 * part)
        samples[frame] += weight * (dry[channel * Self.longest + frame] - samples[frame])
      }
    }
    faded += step * count
  }
}
