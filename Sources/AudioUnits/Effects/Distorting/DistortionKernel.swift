import AudioTypes
import RenderCore

/// The kernel of Distortion. Its stages, in the order of the parameters:
///
/// 1. echo: `w = x + exp(-decay) w[n - D]`, mixed with x;
/// 2. a sample is held for `64^(decimation)` frames and rounded to `16 - 15 rounding` bits, mixed;
/// 3. `a x + b x² + c x³`, mixed; 4. times `cos f1` and `cos f2`, weighted by the balance, mixed;
/// 5. `tanh(g x)`; 6. a DC blocker at 5 Hz; 7. the final mix.
///
/// 3 to 5 run at `oversampling` times the rate. All mixes are linear.
struct DistortionKernel: RenderKernel, ~Copyable {
  private let sampleRate: Double
  private let factor: Int
  private var pieces: EffectPieces
  private var glides: GlideBank
  private var line: EffectLine
  private var tap: DelayTap
  // The input, delayed by the latency of the filters.
  private var dry: EffectLine
  private let latency: Int
  // For each channel the held sample; the last input and output of the DC blocker.
  private let held: DoubleStorage
  private let dcMemory: DoubleStorage
  private let dcPole: Double
  private var filters: Oversampler
  // The elapsed share of the time for which a sample is held.
  private var holding = 1.0
  private var phase1 = 0.0
  private var phase2 = 0.0
  private var hasBegun = false
  // Frames of silence, up to the present piece, for which zeros have entered the filters.
  private var quietFrames = 0

  // MARK: Control thread

  init(_ configuration: UnitConfiguration, controls: ControlLayout) {
    let rate = configuration.outputs[0].format.sampleRate
    sampleRate = rate
    factor = Distortion.oversampling(in: configuration)
    latency = Distortion.latency(in: configuration)
    pieces = EffectPieces(configuration, controls: controls, latency: latency)
    let length = EffectParameters.glideLength(rate)
    glides = GlideBank(
      controls.block.access,
      EffectParameters.controls(
        controls, (0...15).map { ($0, $0 == Distortion.Parameter.delay ? 0 : length) }))
    let most = Int((rate / 2).rounded(.up)) + 1
    line = EffectLine(channelCount: pieces.channelCount, reach: most)
    tap = DelayTap(limit: most, sampleRate: rate)
    dry = EffectLine(channelCount: pieces.channelCount, reach: latency + 1)
    held = DoubleStorage(repeating: 0, count: pieces.channelCount)
    dcMemory = DoubleStorage(repeating: 0, count: 2 * pieces.channelCount)
    dcPole = renderExp(-2 * Double.pi * 5 / rate)
    filters = Oversampler(factor: factor, channelCount: pieces.channelCount)
  }

  // MARK: Render thread

  var weight: Int { 50 }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    guard pieces.begin(context) else { return .formatNotSupported }
    if glides.follow(), !hasBegun {
      hasBegun = true
      tap.jump(to: glides.goal(0) / 1000 * sampleRate)
    }
    let input = context.input(0)
    let output = context.output(0)
    while pieces.next(context, atMost: EffectPieces.longest) {
      if pieces.beginsAnew { clear() }
      let isStill = pieces.isSilent && line.isEmpty && !isHolding()
      if !isStill { quietFrames = 0 }
      // The dry sound and what was in the filters are gone, and so is the rest of the DC blocker.
      let isQuiet = quietFrames > latency + filters.memory && hasNoDC()
      if pieces.isProcessed, !isQuiet {
        process(input, output)
      } else {
        pieces.clear(output)
        pass()
      }
      if isStill { quietFrames += pieces.count }
      pieces.finish(context, isSilent: isQuiet)
      glides.advance(pieces.count)
      if pieces.isCheckDue { tidy() }
    }
    return .ok
  }

  @_noLocks
  private mutating func follow(ahead: Int) {
    if !glides.isSettled(0) {
      tap.move(to: glides.value(0, ahead: ahead) / 1000 * sampleRate)
    } else if !tap.isFading {
      tap.fade(to: glides.goal(0) / 1000 * sampleRate)
    }
  }

  @_noLocks
  private mutating func turn(ahead: Int, by share: Double) {
    phase1 += glides.value(10, ahead: ahead) / sampleRate * share
    phase2 += glides.value(11, ahead: ahead) / sampleRate * share
    phase1 -= phase1 >= 1 ? renderFloor(phase1) : 0
    phase2 -= phase2 >= 1 ? renderFloor(phase2) : 0
  }

  /// Skips a piece while bypassed; controls and phases still advance.
  @_noLocks
  private mutating func pass() {
    if glides.remaining == 0 { return passSettled() }
    for frame in 0..<pieces.count {
      follow(ahead: frame + 1)
      tap.advance()
      for _ in 0..<factor { turn(ahead: frame + 1, by: 1 / Double(factor)) }
      hold(ahead: frame + 1)
    }
  }

  /// Skips a piece in which no control moves, with the same result.
  @_noLocks
  private mutating func passSettled() {
    let share = 1 / Double(factor)
    phase1 = wrappedSum(
      phase1, by: glides.goal(10) / sampleRate * share, count: factor * pieces.count)
    phase2 = wrappedSum(
      phase2, by: glides.goal(11) / sampleRate * share, count: factor * pieces.count)
    holding = wrappedSum(holding, by: renderPower(64, -glides.goal(3) / 100), count: pieces.count)
    for frame in 0..<pieces.count {
      follow(ahead: frame + 1)
      if !tap.isFading { return }
      tap.advance()
    }
  }

  /// Advances the hold by a frame. Returns whether the next sample is taken.
  @_noLocks
  @discardableResult
  private mutating func hold(ahead: Int) -> Bool {
    holding += renderPower(64, -glides.value(3, ahead: ahead) / 100)
    guard holding >= 1 else { return false }
    holding -= renderFloor(holding)
    return true
  }

  @_noLocks
  private mutating func process(_ input: RenderBus, _ output: RenderBus) {
    for frame in pieces.start..<pieces.start + pieces.count {
      let ahead = frame - pieces.start + 1
      follow(ahead: ahead)
      let takes = hold(ahead: ahead)
      for channel in 0..<pieces.channelCount {
        let sample = Double(input[channel][frame])
        dry.keep(channel, input[channel][frame])
        // Keeps infinities, NaN and huge samples out of the filters.
        let isSound = sample.magnitude <= 1e6
        filters.push(channel, coarse(channel, isSound ? sample : 0, ahead, takes))
      }
      dry.advance()
      let mix = glides.value(15, ahead: ahead) / 100
      for phase in 0..<factor {
        turn(ahead: ahead, by: 1 / Double(factor))
        let factors = shape(ahead: ahead)
        for channel in 0..<pieces.channelCount {
          filters.put(channel, shaped(filters.raised(channel, phase), factors))
          guard phase == 0 else { continue }
          let wet = withoutDC(channel, filters.lowered(channel))
          let passed = dry.sample(channel, back: latency + 1)
          output[channel][frame] = Float(passed + mix * (wet - passed))
        }
        filters.step()
      }
      filters.advance()
      line.advance()
      tap.advance()
    }
  }

  /// Echo, decimation and rounding.
  @_noLocks
  private mutating func coarse(
    _ channel: Int, _ sample: Double, _ ahead: Int, _ takes: Bool
  ) -> Double {
    var before = line.sample(channel, back: tap.now)
    if tap.isFading {
      let former = line.sample(channel, back: tap.from)
      before = former + tap.weight * (before - former)
    }
    line.write(channel, sample + renderExp(-glides.value(1, ahead: ahead)) * before)
    let echoed = sample + glides.value(2, ahead: ahead) / 100 * (before - sample)
    if takes { held[channel] = echoed }
    var stepped = held[channel]
    let rounding = glides.value(4, ahead: ahead) / 100
    if rounding > 0 {
      let step = renderPower(2, -15 * (1 - rounding))
      stepped = renderRound(stepped / step) * step
    }
    return echoed + glides.value(5, ahead: ahead) / 100 * (stepped - echoed)
  }

  /// The factors for a sample at the higher rate: the polynomial mixed with the sample itself, and
  /// the gain of modulation and clipping.
  private struct Shape: BitwiseCopyable {
    let linear, squared, cubic, gain: Double
  }

  @_noLocks
  private mutating func shape(ahead: Int) -> Shape {
    let polynomial = glides.value(9, ahead: ahead) / 100
    var gain = renderPower(10, glides.value(14, ahead: ahead) / 20)
    let mix = glides.value(13, ahead: ahead) / 100
    if mix != 0 {
      let balance = glides.value(12, ahead: ahead) / 100
      let one = renderCosine(2 * Double.pi * phase1)
      let other = renderCosine(2 * Double.pi * phase2)
      gain *= 1 + mix * (one + balance * (other - one) - 1)
    }
    return Shape(
      linear: 1 + polynomial * (glides.value(6, ahead: ahead) - 1),
      squared: polynomial * glides.value(7, ahead: ahead),
      cubic: polynomial * glides.value(8, ahead: ahead), gain: gain)
  }

  /// Polynomial, modulation and clipping.
  @_noLocks
  private mutating func shaped(_ sample: Double, _ shape: Shape) -> Double {
    // Limited, so that the polynomial stays finite.
    let x = sample < -100 ? -100 : sample > 100 ? 100 : sample
    return renderHyperbolicTangent(
      x * (shape.linear + x * (shape.squared + x * shape.cubic)) * shape.gain)
  }

  /// Passes a sample through the DC blocker.
  @_noLocks
  private mutating func withoutDC(_ channel: Int, _ sample: Double) -> Double {
    let value = sample - dcMemory[2 * channel] + dcPole * dcMemory[2 * channel + 1]
    dcMemory[2 * channel] = sample
    dcMemory[2 * channel + 1] = value
    return value
  }

  @_noLocks
  private mutating func clear() {
    line.clear()
    dry.clear()
    filters.clear()
    for channel in 0..<held.count { held[channel] = 0 }
    for index in 0..<dcMemory.count { dcMemory[index] = 0 }
    quietFrames = 0
  }

  @_noLocks
  private func hasNoDC() -> Bool {
    for index in 0..<dcMemory.count where dcMemory[index] != 0 { return false }
    return true
  }

  /// Whether a held sample is not zero.
  @_noLocks
  private func isHolding() -> Bool {
    for index in 0..<held.count where held[index] != 0 { return true }
    return false
  }

  @_noLocks
  private mutating func tidy() {
    dcMemory.clear(below: 1e-9)
  }
}
