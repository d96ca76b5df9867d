import AudioTypes
import RenderCore

/// The kernel of Reverb2: a feedback delay network (J.-M. Jot and A. Chaigne, *Digital Delay
/// Networks for Designing Artificial Reverberators*, 1991).
///
/// Four all-passes per channel turn one echo into many. Sixteen lines follow, from the shortest to
/// the longest delay in equal ratios, varied by a pattern; each delay is another prime number of
/// frames. The lines' outputs go back to their inputs through a Hadamard matrix, which keeps the
/// energy. Each line ends in the filter `g / (1 - b z⁻¹)`. In a sound that decays by the factor r
/// per frame, a line of d frames has the gain r^d, including the delay of the filter: this is the
/// filter's gain at `z = r` for 0 Hz, and at `z = -r` for half the rate, with r = 10^(-3 / (f T))
/// for the rate f and the decay time T there. The two equations give b and g. A channel feeds eight
/// of the lines and sums all of them, with signs that are orthogonal to the other channel's.
///
/// An all-pass decays at least twice as fast as the lines.
///
/// Decay times and gains follow their controls in steps of 32 frames, linearly in between.
struct ReverbKernel: RenderKernel, ~Copyable {
  private static var lineCount: Int { @_noLocks get { 16 } }
  private static var cell: Int { @_noLocks get { 32 } }
  private static var mostDiffusion: Double { @_noLocks get { 0.6 } }
  private static var diffuserCount: Int { @_noLocks get { 4 } }
  // The controls in their order.
  private static var mix: Int { @_noLocks get { 0 } }
  private static var gain: Int { @_noLocks get { 1 } }
  private static var shortest: Int { @_noLocks get { 2 } }
  private static var longest: Int { @_noLocks get { 3 } }
  private static var low: Int { @_noLocks get { 4 } }
  private static var high: Int { @_noLocks get { 5 } }
  private static var pattern: Int { @_noLocks get { 6 } }

  private let sampleRate: Double
  private let fadeLength: Int
  private var pieces: EffectPieces
  private var glides: GlideBank
  private var lines: EffectLine
  private var diffusers: EffectLine
  private let diffuserDelays: DoubleStorage
  // The gain of each all-pass.
  private let diffusion: DoubleStorage
  // The delay of each line, and the delay that it fades from.
  private let delays: DoubleStorage
  private let formerDelays: DoubleStorage
  // The gain and the pole of each line's filter: now, at the end of the cell, and their steps per
  // frame.
  private let filters: DoubleStorage
  private let goals: DoubleStorage
  private let steps: DoubleStorage
  // The last output of each line's filter.
  private let memory: DoubleStorage
  private let ends: DoubleStorage
  private var mixing = EqualPowerMix()
  private var fadeLeft = 0
  // The settings that the present delays have been chosen for.
  private var wantedShortest = -1.0
  private var wantedLongest = -1.0
  private var wantedPattern = -1.0
  private var level = 0.0
  private var levelStep = 0.0
  private var levelGoal = 0.0
  // Frames left of a cell; 0 while nothing moves.
  private var cellLeft = 0
  private var hasBegun = false

  // MARK: Control thread

  init(_ configuration: UnitConfiguration, controls: ControlLayout) {
    let rate = configuration.outputs[0].format.sampleRate
    sampleRate = rate
    fadeLength = Swift.max(1, Int((0.05 * rate).rounded()))
    pieces = EffectPieces(configuration, controls: controls)
    typealias Parameter = Reverb2.Parameter
    let length = EffectParameters.glideLength(rate)
    glides = GlideBank(
      controls.block.access,
      EffectParameters.controls(
        controls,
        [
          (Parameter.dryWetMix, length), (Parameter.gain, length), (Parameter.minDelayTime, 0),
          (Parameter.maxDelayTime, 0), (Parameter.decayTimeAt0Hz, length),
          (Parameter.decayTimeAtNyquist, length), (Parameter.randomizeReflections, 0),
        ]))
    let count = Self.lineCount
    // Room for the primes above the longest delay.
    lines = EffectLine(
      channelCount: count, reach: Int((Reverb2.longest * rate).rounded(.up)) + 1000)
    let shares = [0.00113, 0.00171, 0.00257, 0.00409, 0.00119, 0.00163, 0.00269, 0.00397]
    let diffuserDelays = shares.map { Swift.max(1, ($0 * rate).rounded()) }
    self.diffuserDelays = DoubleStorage(diffuserDelays)
    diffusion = DoubleStorage(repeating: Self.mostDiffusion, count: diffuserDelays.count)
    diffusers = EffectLine(
      channelCount: 2 * Self.diffuserCount, reach: Int(diffuserDelays.max() ?? 1))
    delays = DoubleStorage(repeating: 1, count: count)
    formerDelays = DoubleStorage(repeating: 1, count: count)
    filters = DoubleStorage(repeating: 0, count: 2 * count)
    goals = DoubleStorage(repeating: 0, count: 2 * count)
    steps = DoubleStorage(repeating: 0, count: 2 * count)
    memory = DoubleStorage(repeating: 0, count: count)
    ends = DoubleStorage(repeating: 0, count: count)
  }

  // MARK: Render thread

  var weight: Int { 25 }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    guard pieces.begin(context) else { return .formatNotSupported }
    if glides.follow() {
      if !hasBegun { setUp() }
      plan()
    }
    let input = context.input(0)
    let output = context.output(0)
    while pieces.next(context, atMost: cellLeft > 0 ? cellLeft : EffectPieces.longest) {
      if pieces.beginsAnew { clear() }
      let isQuiet = pieces.isSilent && lines.isEmpty && diffusers.isEmpty && isAtRest()
      if pieces.isProcessed, !isQuiet {
        process(input, output)
      } else {
        pieces.clear(output)
        for _ in 0..<pieces.count { move() }
        fadeLeft = pieces.count < fadeLeft ? fadeLeft - pieces.count : 0
      }
      pieces.finish(context, isSilent: isQuiet)
      if pieces.isCheckDue { tidy() }
      advance()
    }
    return .ok
  }

  @_noLocks
  private mutating func setUp() {
    hasBegun = true
    chooseDelays()
    for line in 0..<Self.lineCount { formerDelays[line] = delays[line] }
    fadeLeft = 0
    design(ahead: 0)
    for index in 0..<filters.count { filters[index] = goals[index] }
    level = levelGoal
  }

  /// Starts a cell, if anything moves.
  @_noLocks
  private mutating func plan() {
    if fadeLeft == 0,
      glides.goal(Self.shortest) != wantedShortest || glides.goal(Self.longest) != wantedLongest
        || glides.goal(Self.pattern) != wantedPattern
    {
      for line in 0..<Self.lineCount { formerDelays[line] = delays[line] }
      chooseDelays()
      fadeLeft = fadeLength
    }
    design(ahead: Self.cell)
    var isThere = level == levelGoal
    for index in 0..<filters.count where filters[index] != goals[index] { isThere = false }
    guard !isThere || glides.remaining > 0 || fadeLeft > 0 else {
      cellLeft = 0
      levelStep = 0
      for index in 0..<steps.count { steps[index] = 0 }
      return
    }
    cellLeft = Self.cell
    for index in 0..<filters.count {
      steps[index] = (goals[index] - filters[index]) / Double(Self.cell)
    }
    levelStep = (levelGoal - level) / Double(Self.cell)
  }

  /// Computes the filters and the level of a later frame.
  @_noLocks
  private mutating func design(ahead: Int) {
    let low = clamped(glides.value(Self.low, ahead: ahead), from: 0.001, to: 20)
    let high = clamped(glides.value(Self.high, ahead: ahead), from: 0.001, to: 20)
    // The decay in one frame, in decades.
    let slow = -3 / (low * sampleRate)
    let quick = -3 / (high * sampleRate)
    let lowest = renderPower(10, slow)
    let highest = renderPower(10, quick)
    var energy = 0.0
    for line in 0..<Self.lineCount {
      let k = powerOfTen(slow * delays[line])
      let edge = powerOfTen(quick * delays[line])
      let b = (k - edge) / (k / lowest + edge / highest)
      let g = k * (1 - b / lowest)
      goals[2 * line] = g
      goals[2 * line + 1] = b
      // The share of white noise's energy that is left after a pass through the line.
      energy += g * g / (1 - b * b)
    }
    let least = 2 * (slow < quick ? slow : quick)
    for index in 0..<diffusion.count {
      let gain = powerOfTen(least * diffuserDelays[index])
      diffusion[index] = gain < Self.mostDiffusion ? gain : Self.mostDiffusion
    }
    let turn = energy / Double(Self.lineCount)
    let balance = turn > 0 ? renderSquareRoot((1 - turn) / turn) : 0
    levelGoal =
      balance * renderPower(10, glides.value(Self.gain, ahead: ahead) / 20)
      / renderSquareRoot(Double(Self.lineCount))
  }

  /// Ten to a power, but never 0, because results are divided by each other.
  @_noLocks
  private func powerOfTen(_ decades: Double) -> Double {
    renderPower(10, decades > -15 ? decades : -15)
  }

  @_noLocks
  private func clamped(_ value: Double, from low: Double, to high: Double) -> Double {
    value < low ? low : value > high ? high : value
  }

  /// Chooses the delays of a pattern.
  @_noLocks
  private mutating func chooseDelays() {
    wantedShortest = glides.goal(Self.shortest)
    wantedLongest = glides.goal(Self.longest)
    wantedPattern = glides.goal(Self.pattern)
    let one = clamped(wantedShortest, from: 0.0001, to: Reverb2.longest)
    let other = clamped(wantedLongest, from: 0.0001, to: Reverb2.longest)
    let short = one < other ? one : other
    let ratio = (one < other ? other : one) / short
    let most = Int(Reverb2.longest * sampleRate)
    var random = UInt64(truncatingIfNeeded: Int(clamped(wantedPattern, from: 1, to: 1000)))
    let count = Self.lineCount
    for line in 0..<count {
      // Delays between the two ends are shifted by up to half a step to either side, by SplitMix64
      // (G. L. Steele et al., 2014).
      random &+= 0x9E37_79B9_7F4A_7C15
      var bits = (random ^ (random &>> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits &>> 27)) &* 0x94D0_49BB_1331_11EB
      bits ^= bits &>> 31
      let isEnd = line == 0 || line == count - 1
      let moved = isEnd ? 0 : Double(bits &>> 11) / 9_007_199_254_740_992 - 0.5
      let share = (Double(line) + moved) / Double(count - 1)
      var delay = Int(renderRound(short * sampleRate * renderPower(ratio, share)))
      if delay < 2 { delay = 2 }
      if delay > most { delay = most }
      while !Self.isPrime(delay) || isTaken(delay, before: line) { delay += 1 }
      delays[line] = Double(delay)
    }
  }

  @_noLocks
  private func isTaken(_ delay: Int, before line: Int) -> Bool {
    for other in 0..<line where delays[other] == Double(delay) { return true }
    return false
  }

  @_noLocks
  static func isPrime(_ number: Int) -> Bool {
    if number % 2 == 0 { return number == 2 }
    var divisor = 3
    while divisor * divisor <= number {
      if number % divisor == 0 { return false }
      divisor += 2
    }
    return true
  }

  /// Moves the filters and the level by one frame.
  @_noLocks
  private mutating func move() {
    guard cellLeft > 0 else { return }
    for index in 0..<filters.count { filters[index] += steps[index] }
    level += levelStep
  }

  @_noLocks
  private mutating func advance() {
    glides.advance(pieces.count)
    guard cellLeft > 0 else { return }
    cellLeft -= pieces.count
    guard cellLeft == 0 else { return }
    for index in 0..<filters.count { filters[index] = goals[index] }
    level = levelGoal
    plan()
  }

  @_noLocks
  private mutating func process(_ input: RenderBus, _ output: RenderBus) {
    let channelCount = pieces.channelCount
    for frame in pieces.start..<pieces.start + pieces.count {
      mixing.turn(to: glides.value(Self.mix, ahead: frame - pieces.start + 1) / 100)
      move()
      readLines()
      var left = 0.0
      var right = 0.0
      for line in 0..<Self.lineCount {
        // The signs are rows 5 and 10 of the matrix.
        left += isOdd(line & 5) ? -ends[line] : ends[line]
        right += isOdd(line & 10) ? -ends[line] : ends[line]
      }
      mixLines()
      for channel in 0..<channelCount {
        let sample = Double(input[channel][frame])
        let spread = diffuse(sample, channel)
        // A mono input feeds all lines.
        var line = channel
        while line < Self.lineCount {
          ends[line] += line & 4 == 0 ? spread : -spread
          line += channelCount
        }
        let wet = level * (channel == 0 ? left : right)
        output[channel][frame] = Float(mixing.dry * sample + mixing.wet * wet)
      }
      for line in 0..<Self.lineCount { lines.write(line, ends[line]) }
      lines.advance()
      diffusers.advance()
      if fadeLeft > 0 { fadeLeft -= 1 }
    }
  }

  /// Reads the outputs of the lines through their filters.
  @_noLocks
  private mutating func readLines() {
    let part = Double(fadeLength - fadeLeft) / Double(fadeLength)
    let weight = part * part * (3 - 2 * part)
    for line in 0..<Self.lineCount {
      var sample = lines.sample(line, back: Int(delays[line]))
      if fadeLeft > 0 {
        let before = lines.sample(line, back: Int(formerDelays[line]))
        sample = before + weight * (sample - before)
      }
      memory[line] = filters[2 * line] * sample + filters[2 * line + 1] * memory[line]
      ends[line] = memory[line]
    }
  }

  /// Multiplies the line outputs by a Hadamard matrix of order 16, by butterflies.
  @_noLocks
  private mutating func mixLines() {
    var width = 1
    while width < Self.lineCount {
      for line in 0..<Self.lineCount where line & width == 0 {
        let (one, other) = (ends[line], ends[line + width])
        ends[line] = one + other
        ends[line + width] = one - other
      }
      width *= 2
    }
    for line in 0..<Self.lineCount { ends[line] *= 0.25 }
  }

  @_noLocks
  private func isOdd(_ bits: Int) -> Bool {
    (bits ^ (bits &>> 1) ^ (bits &>> 2) ^ (bits &>> 3)) & 1 == 1
  }

  /// Passes a sample through four all-passes in series.
  @_noLocks
  private mutating func diffuse(_ sample: Double, _ channel: Int) -> Double {
    var value = sample
    for stage in 0..<Self.diffuserCount {
      let index = channel * Self.diffuserCount + stage
      let before = diffusers.sample(index, back: Int(diffuserDelays[index]))
      let gain = diffusion[index]
      let kept = value - gain * before
      diffusers.write(index, kept)
      value = before + gain * kept
    }
    return value
  }

  @_noLocks
  private mutating func clear() {
    lines.clear()
    diffusers.clear()
    for line in 0..<memory.count { memory[line] = 0 }
  }

  @_noLocks
  private func isAtRest() -> Bool {
    for line in 0..<memory.count where memory[line] != 0 { return false }
    return true
  }

  @_noLocks
  private mutating func tidy() {
    memory.clear(below: 1e-15)
  }
}
