internal import AudioTypes
internal import RenderCore

/// The kernel of the peak limiter.
///
/// The sound is delayed by the look-ahead, in which the gain reaches what the peaks need. After a
/// change of the attack a second smoother with the new attack runs until its gains are valid; then
/// the kernel fades to it. Both keep the ceiling, and so does every mean of the two.
struct LimiterKernel: RenderKernel, ~Copyable {
  /// Frames after a peak that the detector needs, and that the gain holds around the peak.
  static let lookBeyond = TruePeakDetector.delay + GainSmoother.guardFrames
  private static var cell: Int { @_noLocks get { 64 } }
  private static var attackControl: Int { @_noLocks get { 0 } }
  private static var decayControl: Int { @_noLocks get { 1 } }
  private static var gainControl: Int { @_noLocks get { 2 } }
  private static var ceilingControl: Int { @_noLocks get { 3 } }

  private let sampleRate: Double
  private let lookAhead: Int
  private let latency: Int
  private let fadeLength: Int
  private var pieces: EffectPieces
  private var glides: GlideBank
  private let detector: TruePeakDetector
  private let line: SampleStorage
  private var linePlace = 0
  /// The gain that each frame needs, in a ring: as far back as the shortest attack has to wait.
  private let needs: DoubleStorage
  private var needPlace = 0
  private let gains: DoubleStorage
  private var one: GainSmoother
  private var other: GainSmoother
  private var isOtherActive = false
  /// Frames since the entering smoother began; -1 for none.
  private var change = -1
  private var cellLeft = 0
  private var recovery = 0.0
  private var input = 1.0
  private var inputRise = 0.0
  private var ceiling = 1.0
  private var ceilingRise = 0.0
  /// Frames of silence up to the present piece, since the last sound or the restart.
  private var quietFrames = 0
  /// Frames since the last one that needed a gain below 1.
  private var easyFrames = 0

  // MARK: Control thread

  /// - Parameter lookAhead: In frames.
  init(
    _ configuration: UnitConfiguration, controls: ControlLayout, lookAhead: Int
  ) {
    sampleRate = configuration.outputs[0].format.sampleRate
    self.lookAhead = lookAhead
    latency = lookAhead + Self.lookBeyond
    let length = EffectParameters.glideLength(sampleRate)
    fadeLength = length
    pieces = EffectPieces(configuration, controls: controls, latency: latency)
    typealias Parameter = PeakLimiter.Parameter
    glides = GlideBank(
      controls.block.access,
      EffectParameters.controls(
        controls,
        [
          (Parameter.attackTime, 0), (Parameter.decayTime, length), (Parameter.preGain, length),
          (Parameter.ceiling, length),
        ]))
    detector = TruePeakDetector(channelCount: pieces.channelCount, longest: EffectPieces.longest)
    line = SampleStorage(repeating: 0, count: pieces.channelCount * latency)
    needs = DoubleStorage(repeating: 1, count: lookAhead + 1)
    gains = DoubleStorage(repeating: 1, count: EffectPieces.longest)
    one = GainSmoother(longest: lookAhead)
    other = GainSmoother(longest: lookAhead)
    // The first frame restarts them with the attack that is set.
    one.begin(attack: 1)
    other.begin(attack: 1)
  }

  // MARK: Render thread

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    guard pieces.begin(context) else { return .formatNotSupported }
    if glides.follow() { cellLeft = 0 }
    while true {
      let most = cellLeft > 0 ? cellLeft : Self.cell
      guard pieces.next(context, atMost: most) else { break }
      if pieces.beginsAnew {
        clear()
        cellLeft = 0
      }
      if cellLeft == 0 { beginCell() }
      let isQuiet = isAtRest
      if isQuiet {
        rest(context)
      } else if pieces.isProcessed {
        limit(context)
      }
      quietFrames = pieces.isProcessed && pieces.isSilent ? quietFrames + pieces.count : 0
      cellLeft -= pieces.count
      if cellLeft < 0 { cellLeft = 0 }
      glides.advance(pieces.count)
      pieces.finish(context, isSilent: isQuiet)
    }
    return .ok
  }

  @_noLocks
  private mutating func clear() {
    detector.clear()
    line.buffer(at: 0, count: line.count).clear()
    for index in 0..<needs.count { needs[index] = 1 }
    one.begin(attack: attack)
    other.begin(attack: attack)
    isOtherActive = false
    change = -1
    quietFrames = 0
    easyFrames = 0
  }

  /// Whether the present piece is silence that puts out silence and changes no gain: the sound has
  /// left the line and the detector, every ring is full of gains of 1, and the attack is the one
  /// that is set.
  private var isAtRest: Bool {
    @_noLocks get {
      guard pieces.isProcessed, pieces.isSilent, quietFrames >= latency,
        quietFrames >= TruePeakDetector.memory, easyFrames >= needs.count, change < 0
      else { return false }
      return isOtherActive
        ? other.attack == attack && other.isAtRest : one.attack == attack && one.isAtRest
    }
  }

  /// Outputs silence instead of limiting a piece.
  @_noLocks
  private mutating func rest(_ context: RenderContext) {
    pieces.clear(context.output(0))
    input += inputRise * Double(pieces.count)
    ceiling += ceilingRise * Double(pieces.count)
  }

  /// The set attack in frames, at most the look-ahead.
  private var attack: Int {
    @_noLocks get {
      let frames = Int(renderRound(glides.goal(Self.attackControl) * sampleRate))
      return frames < 1 ? 1 : frames > lookAhead ? lookAhead : frames
    }
  }

  @_noLocks
  private mutating func beginCell() {
    cellLeft = Self.cell
    let decay = glides.value(Self.decayControl)
    // After the decay time a tenth of a reduction in decibels is left.
    recovery = renderExp(-2.302585092994046 / ((decay > 1e-4 ? decay : 1e-4) * sampleRate))
    input = linearGain(glides.value(Self.gainControl))
    inputRise = (linearGain(glides.value(Self.gainControl, ahead: Self.cell)) - input) / 64
    ceiling = linearGain(glides.value(Self.ceilingControl))
    ceilingRise = (linearGain(glides.value(Self.ceilingControl, ahead: Self.cell)) - ceiling) / 64
  }

  @_noLocks
  private mutating func limit(_ context: RenderContext) {
    let count = pieces.count
    let channelCount = pieces.channelCount
    for channel in 0..<channelCount {
      let samples = context.input(0)[channel].dropping(pieces.start).prefix(count)
      let frames = detector.frames(channel, count)
      if input == 1, inputRise == 0 {
        frames.copy(from: samples)
      } else {
        for frame in 0..<count {
          frames[frame] = samples[frame] * Float(input + inputRise * Double(frame))
        }
      }
    }
    for frame in 0..<count {
      let ceiling = ceiling + ceilingRise * Double(frame)
      var peak = 0.0
      for channel in 0..<channelCount {
        let found = detector.peak(channel, at: frame, above: ceiling)
        if found > peak { peak = found }
      }
      let gain = gain(peak > ceiling ? ceiling / peak : 1)
      gains[frame] = gain
    }
    input += inputRise * Double(count)
    ceiling += ceilingRise * Double(count)
    let output = context.output(0)
    for channel in 0..<channelCount {
      let frames = detector.frames(channel, count)
      let samples = output[channel].dropping(pieces.start)
      var place = linePlace
      for frame in 0..<count {
        let index = channel * latency + place
        let sample = line[index]
        line[index] = frames[frame]
        samples[frame] = gains[frame] == 1 ? sample : Float(Double(sample) * gains[frame])
        place = place + 1 == latency ? 0 : place + 1
      }
      detector.advance(channel, count)
    }
    linePlace = (linePlace + count) % latency
  }

  /// The gain of the frame that leaves the line as the frame with `need` enters it.
  @_noLocks
  private mutating func gain(_ need: Double) -> Double {
    // Above 0, so that it has a logarithm.
    needs[needPlace] = need > 1e-10 ? need : 1e-10
    easyFrames = need == 1 ? easyFrames + 1 : 0
    defer { needPlace = needPlace + 1 == needs.count ? 0 : needPlace + 1 }
    let wanted = attack
    if change < 0, wanted != (isOtherActive ? other.attack : one.attack) {
      change = 0
      if isOtherActive { one.begin(attack: wanted) } else { other.begin(attack: wanted) }
    }
    if change < 0 {
      return isOtherActive
        ? other.next(delayed(other.attack), recovery: recovery)
        : one.next(delayed(one.attack), recovery: recovery)
    }
    let first = one.next(delayed(one.attack), recovery: recovery)
    let second = other.next(delayed(other.attack), recovery: recovery)
    change += 1
    let ready = isOtherActive ? one.framesToBeReady : other.framesToBeReady
    let leaving = isOtherActive ? second : first
    let entering = isOtherActive ? first : second
    guard change > ready else { return leaving }
    let x = Double(change - ready) / Double(fadeLength)
    if change - ready >= fadeLength {
      isOtherActive = !isOtherActive
      change = -1
      return entering
    }
    return leaving + (entering - leaving) * (x * x * (3 - 2 * x))
  }

  /// The gain needed by the frame `lookAhead - attack` frames ago: a shorter attack starts later by
  /// the difference.
  @_noLocks
  private func delayed(_ attack: Int) -> Double {
    let place = needPlace - (lookAhead - attack)
    return needs[place < 0 ? place + needs.count : place]
  }
}
