internal import AudioTypes
internal import RenderCore

/// The kernel of the dynamics processor.
///
/// For each frame it takes the largest magnitude of all channels in decibels, and from it the
/// reductions of the compressor and of the expander, which it smooths separately. The compressor's
/// reduction rises with the attack time, and falls from its last peak with the release time; for
/// the expander it is the reverse. So a steady level gets exactly its reduction, and each time is
/// that of a single pole.
///
/// The expander takes the least of its reductions over a quarter of the release time, at most 10
/// ms: between two peaks of a wave the reduction is far larger than at the peaks, and more so at a
/// high ratio. The pole has the rest of the release, so that 63 % of a reduction still takes as
/// long.
struct DynamicsKernel: RenderKernel, ~Copyable {
  /// The largest reduction, in decibels.
  private static var mostReduction: Double { @_noLocks get { 144 } }
  /// The longest time over which the expander takes its least reduction, in seconds.
  private static var longestHold: Double { @_noLocks get { 0.01 } }
  private static var block: Int { @_noLocks get { 256 } }
  private static var threshold: Int { @_noLocks get { 0 } }
  private static var headRoom: Int { @_noLocks get { 1 } }
  private static var ratio: Int { @_noLocks get { 2 } }
  private static var lower: Int { @_noLocks get { 3 } }
  private static var attackTime: Int { @_noLocks get { 4 } }
  private static var releaseTime: Int { @_noLocks get { 5 } }
  private static var overall: Int { @_noLocks get { 6 } }

  private let sampleRate: Double
  private let hasKey: Bool
  private let access: ControlAccess
  private let firstMeter: Int
  private var pieces: EffectPieces
  private var glides: GlideBank
  private let gains: DoubleStorage
  // The settings of the present frame.
  private var settings = Settings()
  // The reductions of the compressor and of the expander: held at their peaks, and smoothed.
  private var compressorPeak = 0.0
  private var compressor = 0.0
  private var expanderPeak = 0.0
  private var expander = 0.0
  private var least: SlidingMinimum
  // Whether the expander had no reduction in the previous frame, and none is left.
  private var isExpanderIdle = true
  private var inputPeak: Float = 0
  private var outputPeak: Float = 0
  private var blockLeft = DynamicsKernel.block

  private struct Settings: BitwiseCopyable {
    var threshold = 0.0
    var headRoom = 1.0
    var ratio = 1.0
    var lower = -120.0
    var attack = 0.0
    var release = 0.0
    // The expander's window in frames, and its pole.
    var hold = 1
    var settling = 0.0
    var overall = 0.0
    // The thresholds as magnitudes: a magnitude between them needs no logarithm.
    var top = 1.0
    var bottom = 0.0

    @_noLocks
    init() {}
  }

  // MARK: Control thread

  init(_ configuration: UnitConfiguration, controls: ControlLayout) {
    sampleRate = configuration.outputs[0].format.sampleRate
    hasKey = configuration.inputs.count > 1
    access = controls.block.access
    firstMeter = controls.slot(DynamicsProcessor.Parameter.compressionAmount, .global, 0) ?? 0
    pieces = EffectPieces(configuration, controls: controls)
    let length = EffectParameters.glideLength(sampleRate)
    glides = GlideBank(access, EffectParameters.controls(controls, (0...6).map { ($0, length) }))
    gains = DoubleStorage(repeating: 1, count: EffectPieces.longest)
    least = SlidingMinimum(longest: Int((Self.longestHold * sampleRate).rounded()) + 1)
  }

  // MARK: Render thread

  var weight: Int { 6 }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    guard pieces.begin(context) else { return .formatNotSupported }
    if glides.follow(), glides.remaining == 0 { settle(ahead: 0) }
    while true {
      let most = blockLeft
      guard pieces.next(context, atMost: most) else { break }
      if pieces.beginsAnew { clear() }
      // Zeros change no peak.
      if !pieces.isSilent { measure(context.input(0), isOutput: false) }
      if pieces.isProcessed {
        work(context)
      } else {
        glides.advance(pieces.count)
      }
      pieces.finish(context, isSilent: pieces.isSilent)
      if !pieces.isSilent { measure(context.output(0), isOutput: true) }
      blockLeft -= pieces.count
      if blockLeft == 0 { publish() }
    }
    return .ok
  }

  @_noLocks
  private mutating func clear() {
    compressorPeak = 0
    compressor = 0
    expanderPeak = 0
    expander = 0
    isExpanderIdle = true
    settle(ahead: 0)
  }

  @_noLocks
  private mutating func settle(ahead: Int) {
    settings.threshold = glides.value(Self.threshold, ahead: ahead)
    let room = glides.value(Self.headRoom, ahead: ahead)
    settings.headRoom = room > 0.01 ? room : 0.01
    settings.ratio = glides.value(Self.ratio, ahead: ahead)
    settings.lower = glides.value(Self.lower, ahead: ahead)
    settings.attack = coefficient(glides.value(Self.attackTime, ahead: ahead))
    let release = glides.value(Self.releaseTime, ahead: ahead)
    settings.release = coefficient(release)
    var hold = 0.25 * release
    if hold > Self.longestHold { hold = Self.longestHold }
    let frames = renderFloor(hold * sampleRate)
    settings.hold = 1 + Int(frames)
    settings.settling = coefficient(release - frames / sampleRate)
    settings.overall = glides.value(Self.overall, ahead: ahead)
    settings.top = linearGain(settings.threshold)
    settings.bottom = settings.ratio > 1 ? linearGain(settings.lower) : 0
  }

  /// The share of a difference that is left after one frame.
  @_noLocks
  private func coefficient(_ time: Double) -> Double {
    renderExp(-1 / ((time > 1e-5 ? time : 1e-5) * sampleRate))
  }

  @_noLocks
  private mutating func work(_ context: RenderContext) {
    let count = pieces.count
    let key = context.input(hasKey ? 1 : 0)
    var moving = glides.remaining
    if moving > count { moving = count }
    // The output of silence is silence, at any gain.
    let isSilent = pieces.isSilent
    if isSilent, key.isSilent, moving == 0 {
      followSilence(count)
      return pieces.clear(context.output(0))
    }
    for frame in 0..<count {
      if frame < moving { settle(ahead: frame + 1) }
      var level: Float = 0
      for channel in 0..<key.channelCount {
        let magnitude = key[channel][pieces.start + frame].magnitude
        if magnitude > level { level = magnitude }
      }
      follow(Double(level))
      if !isSilent { gains[frame] = linearGain(settings.overall - compressor - expander) }
    }
    if moving > 0 {
      glides.advance(count)
      if glides.remaining == 0 { settle(ahead: 0) }
    }
    if isSilent { return pieces.clear(context.output(0)) }
    let input = context.input(0)
    let output = context.output(0)
    for channel in 0..<output.channelCount {
      let samples = input[channel].dropping(pieces.start)
      let target = output[channel].dropping(pieces.start)
      for frame in 0..<count {
        let gain = gains[frame]
        target[frame] = gain == 1 ? samples[frame] : Float(Double(samples[frame]) * gain)
      }
    }
  }

  /// Follows frames of silence. The first one that changes no reduction is the last one computed:
  /// the others would change none either.
  @_noLocks
  private mutating func followSilence(_ frameCount: Int) {
    for _ in 0..<frameCount {
      let wasIdle = isExpanderIdle
      let (formerPeak, former) = (compressorPeak, compressor)
      let (formerLowerPeak, formerLower) = (expanderPeak, expander)
      follow(0)
      // A window that holds one value is the same after each frame, but for its time.
      let isWindowSteady = isExpanderIdle || least.isSingle
      if isWindowSteady, isExpanderIdle == wasIdle, compressorPeak == formerPeak,
        compressor == former, expanderPeak == formerLowerPeak, expander == formerLower
      {
        return
      }
    }
  }

  /// Follows the level of a frame with both reductions.
  @_noLocks
  private mutating func follow(_ magnitude: Double) {
    var asked = 0.0
    var askedBelow = 0.0
    if magnitude > settings.top {
      // Infinite for an infinite magnitude.
      let over = 8.685889638065037 * renderLog(magnitude) - settings.threshold
      let reduction = over + settings.headRoom * renderExpMinusOne(-over / settings.headRoom)
      asked = reduction < Self.mostReduction ? reduction : Self.mostReduction
    } else if magnitude < settings.bottom {
      let level = magnitude > 1e-10 ? 8.685889638065037 * renderLog(magnitude) : -200
      let reduction = (settings.ratio - 1) * (settings.lower - level)
      askedBelow = reduction < Self.mostReduction ? reduction : Self.mostReduction
    }
    if asked > 0 || compressor > 0 {
      let falling = settings.release * compressorPeak
      compressorPeak = asked > falling ? asked : falling + (1 - settings.release) * asked
      compressor =
        compressorPeak > compressor
        ? settings.attack * compressor + (1 - settings.attack) * compressorPeak : compressorPeak
      // 0.00001 dB: below it a reduction ends.
      if compressor < 1e-5, asked == 0, compressorPeak < 1e-5 {
        compressor = 0
        compressorPeak = 0
      }
    }
    if askedBelow > 0 || !isExpanderIdle {
      if isExpanderIdle {
        // There was no reduction before this frame.
        isExpanderIdle = false
        least.clear()
        _ = least.next(0, window: settings.hold)
      }
      let held = least.next(askedBelow, window: settings.hold)
      let rising = settings.settling * expanderPeak + (1 - settings.settling) * held
      expanderPeak = held < rising ? held : rising
      expander =
        expanderPeak < expander
        ? settings.attack * expander + (1 - settings.attack) * expanderPeak : expanderPeak
      if expander < 1e-5, askedBelow == 0 {
        expander = 0
        expanderPeak = 0
        isExpanderIdle = true
      }
    }
  }

  // MARK: Meters

  @_noLocks
  private mutating func measure(_ bus: RenderBus, isOutput: Bool) {
    var peak = isOutput ? outputPeak : inputPeak
    for channel in 0..<bus.channelCount {
      let samples = bus[channel].dropping(pieces.start).prefix(pieces.count)
      let largest = VectorMath.largest(samples)
      if largest <= Float.infinity.bitPattern {
        let magnitude = Float(bitPattern: largest)
        if magnitude > peak { peak = magnitude }
      } else {
        // Among samples that are not numbers, the largest number.
        for frame in 0..<pieces.count where samples[frame].magnitude > peak {
          peak = samples[frame].magnitude
        }
      }
    }
    if isOutput { outputPeak = peak } else { inputPeak = peak }
  }

  @_noLocks
  private mutating func publish() {
    blockLeft = Self.block
    access.note(Float(compressor + expander).bitPattern, at: firstMeter)
    access.note(Self.level(inputPeak).bitPattern, at: firstMeter + 1)
    access.note(Self.level(outputPeak).bitPattern, at: firstMeter + 2)
    inputPeak = 0
    outputPeak = 0
  }

  @_noLocks
  private static func level(_ peak: Float) -> Float {
    guard peak > 1e-6 else { return -120 }
    let level = Float(20 * renderLog10(Double(peak)))
    return level < 40 ? level : 40
  }
}
