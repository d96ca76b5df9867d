public import AudioTypes
public import RenderCore

/// The Multichannel Mixer's render half: any number of mono and stereo inputs, one stereo output.
///
/// Core Audio documents no pan law; patchrun's are its sister services' (facts, section 6.3). A mono
/// input is panned with equal power, `L = cos((p + 1) π/4)`, `R = sin((p + 1) π/4)`; a stereo input
/// is balanced, `L = min(1, 1 - p)`, `R = min(1, 1 + p)`. Levels that have been set for an input stand
/// in the place of its pan: a gain from each of its channels to each of the mix. A channel's gain is
/// that times the volume, and 0 where the input is disabled. What comes out is the sum in the order
/// of the inputs, times the output's volume. The output's memory may not be an input's.
///
/// Controls are read at the start of each slice. What the first slice finds holds at once; a later
/// change takes 10 ms, or as long as its control says it is to glide, a straight line in each
/// channel's gain. A pan that changes after levels have been set takes their place. An input that is
/// off, once it has got there, adds nothing at all, not even where it carries infinities, and costs
/// nothing. A volume or a pan that is not a number changes nothing, and a pan outside -1 to 1 is taken
/// as the nearer end; a level that is not a number is 0.
///
/// Pre meters show what arrives at a bus, be it enabled or not; post meters what is left after
/// enable, volume and pan. A mono input has a left pre meter only. The output's meters show the sum
/// before and after its volume. Meters that are off read their floor and cost nothing. What leaves
/// the mixer is always watched for clipping.
public struct MixerKernel: RenderKernel, ~Copyable {
  // Numbers that an input has in `strips`; the output's are behind those of the last input.
  private static let stripStride = 15
  // Where in a strip the gains stand, and those that cross from one side to the other.
  private static let straight = 3
  private static let cross = 9

  private let controls: MixerControls
  private let clipping: ClippingWatch
  private let inputCount: Int
  private let channelCounts: DoubleStorage
  private let rampLength: Int
  // For each element the volume, the pan and the enable that its gains were worked out from, then
  // the gains from its left channel to the left and from its right one to the right: where the ramp
  // began, where it goes, how far it has come, how long it is. A mono input has but one channel, for
  // both. After that the gains that cross: from the right channel to the left, from the left one to
  // the right.
  private let strips: SampleStorage
  // For each input the matrix mode that its gains were worked out from, and whether its levels were
  // in force, 0 for no.
  private let modes: DoubleStorage
  // For each element the pre and post meters, left and right; `metered` says whether they run.
  private let meters: LevelMeters
  private let metered: DoubleStorage
  // Signals with steady gains that come next.
  private var waiting: WaitingSignals
  private var framesUntilBlock = LevelMeters.blockLength
  private var hasStarted = false
  // Whether all gains are where they are to be, and no meter runs; the controls' version then. As long as
  // that is their version, nobody need look at them.
  private var isQuiet = false
  private var quietVersion: UInt32 = 0

  // MARK: Control thread

  /// - Parameters:
  ///   - sampleRate: Of all buses, in hertz.
  ///   - inputChannelCounts: For each input element 1 or 2.
  ///   - controls: Their block must outlive the kernel.
  public init(sampleRate: Double, inputChannelCounts: [Int], controls: MixerControls) {
    precondition(
      inputChannelCounts.allSatisfy { $0 == 1 || $0 == 2 }, "an input is mono or stereo")
    let count = inputChannelCounts.count
    precondition(
      controls.input(count, 0) <= controls.access.count
        && controls.output(MixerControls.outputStride) <= controls.access.count
        && controls.clipping(MixerControls.clippingStride) <= controls.access.count,
      "the control block is too small for the mixer")
    self.controls = controls
    clipping = ClippingWatch(controls.access, at: controls.clipping(0))
    inputCount = count
    channelCounts = DoubleStorage(inputChannelCounts.map(Double.init) + [2])
    rampLength = Swift.max(1, Int((sampleRate / 100).rounded()))
    strips = SampleStorage(repeating: 0, count: (count + 1) * Self.stripStride)
    for element in 0...count {
      for ramp in [Self.straight, Self.cross] {
        strips[element * Self.stripStride + ramp + 5] = Float(rampLength)
      }
    }
    modes = DoubleStorage(repeating: 0, count: 2 * count)
    meters = LevelMeters(count: 4 * (count + 1), sampleRate: sampleRate)
    metered = DoubleStorage(repeating: 0, count: count + 1)
    // An input has two signals at most: itself, and what crosses. Those that are mixed at once are mixed
    // in the nearest cache.
    waiting = WaitingSignals(capacity: Swift.max(1, Swift.min(128, 2 * count)))
  }

  // MARK: Render thread
  // What `render` calls is `mutating` even where nothing changes: for another kind of call the
  // compiler copies the whole kernel first, which with many inputs costs as much as the mixing.

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    guard context.inputCount == inputCount, output.channelCount == 2 else {
      return .formatNotSupported
    }
    let count = context.frameCount
    let version = controls.access.version
    let isQuiet = self.isQuiet && version == quietVersion
    var sum = MixSum(left: output[0], right: output[1])
    for element in 0..<inputCount {
      let input = context.input(element)
      let isOther = input.channelCount != channelCount(element)
      if isOther {
        // A free input that has been given another format.
        guard input.channelCount == 1 || input.channelCount == 2 else { return .formatNotSupported }
        channelCounts[element] = Double(input.channelCount)
      } else if isQuiet {
        addSteady(input, element, &sum)
        continue
      }
      updateInput(element, isOther: isOther)
      updateMetering(
        element, controls.input(element, MixerControls.inputMeteringMode),
        meters: controls.input(element, MixerControls.inputMeters))
      if metered[element] != 0 { measure(input, as: element) }
      add(input, element, &sum)
    }
    sum.finish(&waiting)
    if isQuiet {
      if sum.isEmpty {
        output.silence()
      } else {
        let volume = strips[inputCount * Self.stripStride + Self.straight + 2]
        finish(output, gain: volume, largest: sum.largest)
      }
      countFrames(count)
      return .ok
    }
    finishOutput(output, isEmpty: sum.isEmpty, largest: sum.largest)
    publish(count)
    hasStarted = true
    quietVersion = version
    self.isQuiet = isAllQuiet()
    return .ok
  }

  /// Whether all gains are where they are to be, and no meter runs.
  @_noLocks
  private mutating func isAllQuiet() -> Bool {
    // A volume that is not a number is looked at again.
    let output = inputCount * Self.stripStride + Self.straight
    guard controls.access[controls.output(MixerControls.outputVolume)] == strips[output + 2] else {
      return false
    }
    guard metered[inputCount] == 0, isSteady(output) else { return false }
    for element in 0..<inputCount {
      let first = element * Self.stripStride
      guard metered[element] == 0, isSteady(first + Self.straight), isSteady(first + Self.cross)
      else { return false }
    }
    return true
  }

  /// Adds an input whose gains stay as they are.
  @_noLocks
  private mutating func addSteady(_ input: RenderBus, _ element: Int, _ sum: inout MixSum) {
    guard !input.isSilent else { return }
    let first = element * Self.stripStride
    let left = input[0]
    let right = channelCount(element) == 1 ? left : input[1]
    let (straightLeft, straightRight) = (
      strips[first + Self.straight + 2], strips[first + Self.straight + 3]
    )
    if straightLeft != 0 || straightRight != 0 {
      sum.add(left, right, leftGain: straightLeft, rightGain: straightRight, after: &waiting)
    }
    let (crossLeft, crossRight) = (
      strips[first + Self.cross + 2], strips[first + Self.cross + 3]
    )
    if crossLeft != 0 || crossRight != 0 {
      sum.add(right, left, leftGain: crossLeft, rightGain: crossRight, after: &waiting)
    }
  }

  /// Adds an input to the mix, and lets its gains go on.
  @_noLocks
  private mutating func add(_ input: RenderBus, _ element: Int, _ sum: inout MixSum) {
    let isSilent = input.isSilent
    let left = input[0]
    let right = input[channelCount(element) - 1]
    let first = element * Self.stripStride + Self.straight
    if isSteady(first) {
      let leftGain = strips[first + 2]
      let rightGain = strips[first + 3]
      if !isSilent, leftGain != 0 || rightGain != 0 {
        sum.add(left, right, leftGain: leftGain, rightGain: rightGain, after: &waiting)
      }
    } else {
      var ramp = ramp(first)
      if !isSilent { sum.add(left, right, ramp: ramp, after: &waiting) }
      ramp.advance(input.frameCount)
      keep(ramp, at: first)
    }
    let cross = element * Self.stripStride + Self.cross
    if isSteady(cross) {
      let leftGain = strips[cross + 2]
      let rightGain = strips[cross + 3]
      if !isSilent, leftGain != 0 || rightGain != 0 {
        sum.add(right, left, leftGain: leftGain, rightGain: rightGain, after: &waiting)
      }
    } else {
      var ramp = ramp(cross)
      if !isSilent { sum.add(right, left, ramp: ramp, after: &waiting) }
      ramp.advance(input.frameCount)
      keep(ramp, at: cross)
    }
  }

  /// The output's own volume and meters.
  ///
  /// - Parameter largest: The largest magnitude of the sum, where it is known.
  @_noLocks
  private mutating func finishOutput(_ output: RenderBus, isEmpty: Bool, largest: UInt32?) {
    let element = inputCount
    let first = element * Self.stripStride + Self.straight
    let control = controls.output(MixerControls.outputVolume)
    let volume = controls.access[control]
    let isSettled = hasStarted && strips[first + 2] == volume && isSteady(first)
    if !isSettled, volume.isFinite {
      aim(first, left: volume, right: volume, in: controls.access.glide(control))
    }
    updateMetering(
      element, controls.output(MixerControls.outputMeteringMode),
      meters: controls.output(MixerControls.outputMeters))
    if isEmpty { output.silence() }
    if metered[element] != 0 { measure(output, as: element) }
    if isSettled {
      if !isEmpty { finish(output, gain: volume, largest: largest) }
      return
    }
    var ramp = ramp(first)
    if !isEmpty {
      if ramp.isClosed {
        output.silence()
      } else {
        scale(output[0], by: ramp)
        scale(output[1], by: ramp)
        clipping.watch(output[0])
        clipping.watch(output[1])
      }
    }
    if !ramp.isSettled {
      ramp.advance(output.frameCount)
      keep(ramp, at: first)
    }
  }

  /// Ends a mix whose volume stays as it is.
  @_noLocks
  private mutating func finish(_ output: RenderBus, gain: Float, largest: UInt32?) {
    if gain == 0 {
      output.silence()
    } else if gain == 1, let largest, largest < ClippingWatch.infinity {
      clipping.note(largest)
    } else {
      if gain != 1 {
        VectorMath.scale(output[0], by: gain)
        VectorMath.scale(output[1], by: gain)
      }
      clipping.watch(output[0])
      clipping.watch(output[1])
    }
  }

  @_noLocks
  private mutating func scale(_ buffer: ChannelBuffer, by ramp: GainRamp) {
    let moving = Swift.min(buffer.count, ramp.remaining)
    let slope = ramp.leftSlope
    for frame in 0..<moving { buffer[frame] *= slope.gain(frame) }
    let gain = ramp.left
    guard gain != 1 else { return }
    let rest = buffer.dropping(moving)
    if gain == 0 {
      rest.clear()
    } else {
      VectorMath.scale(rest, by: gain)
    }
  }

  // MARK: Gains

  @_noLocks
  private func channelCount(_ element: Int) -> Int { channelCounts[element] == 1 ? 1 : 2 }

  /// Looks whether an input's controls have changed, and works out its gains where they have.
  @_noLocks
  private mutating func updateInput(_ element: Int, isOther: Bool) {
    let first = element * Self.stripStride
    var volume = controls.access[controls.input(element, MixerControls.volume)]
    var pan = controls.access[controls.input(element, MixerControls.pan)]
    let enable = controls.access[controls.input(element, MixerControls.enable)]
    let mode = controls.access[word: controls.input(element, MixerControls.matrixMode)]
    guard
      !hasStarted || isOther || volume != strips[first] || pan != strips[first + 1]
        || enable != strips[first + 2] || Double(mode) != modes[2 * element]
    else { return }
    if !volume.isFinite { volume = strips[first] }
    if pan != pan { pan = strips[first + 1] }
    if !hasStarted || Double(mode) != modes[2 * element] {
      modes[2 * element + 1] = mode == 0 ? 0 : 1
    } else if pan != strips[first + 1] {
      modes[2 * element + 1] = 0
    }
    // Of what has not changed the glide says nothing.
    var glide = 0
    if volume != strips[first] {
      glide = controls.access.glide(controls.input(element, MixerControls.volume))
    }
    if pan != strips[first + 1] {
      let other = controls.access.glide(controls.input(element, MixerControls.pan))
      if other > glide { glide = other }
    }
    strips[first] = volume
    strips[first + 1] = pan
    strips[first + 2] = enable
    modes[2 * element] = Double(mode)
    let isMono = channelCount(element) == 1
    let points =
      modes[2 * element + 1] == 0
      ? CrossPoints(pan: pan, channelCount: isMono ? 1 : 2)
      : CrossPoints(
        leftToLeft: level(element, 0), leftToRight: level(element, 1),
        rightToLeft: isMono ? 0 : level(element, 2), rightToRight: isMono ? 0 : level(element, 3))
    let gain = enable != 0 ? Double(volume) : 0
    aim(
      first + Self.straight, left: Float(gain * points.leftToLeft),
      right: Float(gain * (isMono ? points.leftToRight : points.rightToRight)), in: glide,
      atOnce: isOther)
    aim(
      first + Self.cross, left: Float(gain * points.rightToLeft),
      right: Float(gain * (isMono ? 0 : points.leftToRight)), in: glide, atOnce: isOther)
  }

  @_noLocks
  private mutating func level(_ element: Int, _ index: Int) -> Double {
    let level = controls.access[controls.input(element, MixerControls.matrixLevels + index)]
    return level.isFinite ? Double(level) : 0
  }

  // The gains of a strip that stand at `first`.

  /// Sets out for new ones, in `glide` frames or, for 0, in as many as the mixer likes.
  @_noLocks
  private mutating func aim(
    _ first: Int, left: Float, right: Float, in glide: Int, atOnce: Bool = false
  ) {
    var ramp = ramp(first)
    guard !hasStarted || atOnce || left != ramp.left || right != ramp.right else { return }
    if hasStarted && !atOnce {
      ramp.aim(left: left, right: right, in: glide > 0 ? glide : rampLength)
    } else {
      ramp.jump(left: left, right: right)
    }
    keep(ramp, at: first)
  }

  /// Whether they are where they are to be.
  @_noLocks
  private mutating func isSteady(_ first: Int) -> Bool {
    strips[first + 4] == strips[first + 5]
  }

  @_noLocks
  private mutating func ramp(_ first: Int) -> GainRamp {
    GainRamp(
      length: Int(strips[first + 5]), startLeft: strips[first], startRight: strips[first + 1],
      left: strips[first + 2], right: strips[first + 3],
      position: Int(strips[first + 4]))
  }

  @_noLocks
  private mutating func keep(_ ramp: GainRamp, at first: Int) {
    strips[first] = ramp.startLeft
    strips[first + 1] = ramp.startRight
    strips[first + 2] = ramp.left
    strips[first + 3] = ramp.right
    strips[first + 4] = Float(ramp.position)
    strips[first + 5] = Float(ramp.length)
  }

  // MARK: Meters

  /// Follows an element's metering mode; meters that go on or off start from silence.
  @_noLocks
  private mutating func updateMetering(_ element: Int, _ mode: Int, meters first: Int) {
    let runs = controls.access[word: mode] != 0
    guard !hasStarted || runs != (metered[element] != 0) else { return }
    metered[element] = runs ? 1 : 0
    for meter in 0..<4 { meters.reset(4 * element + meter) }
    for meter in 0..<MixerControls.meterCount {
      controls.access.note(LevelMeters.floor.bitPattern, at: first + meter)
    }
  }

  /// Meters 0 and 1 of an element are before its gains, 2 and 3 after.
  @_noLocks
  private mutating func measure(_ bus: RenderBus, as element: Int) {
    var start = 0
    var untilBlock = framesUntilBlock
    var straight = ramp(element * Self.stripStride + Self.straight)
    // The output has none that cross: its strip stays as it began.
    var cross =
      element < inputCount
      ? ramp(element * Self.stripStride + Self.cross)
      : GainRamp(length: 1, startLeft: 0, startRight: 0, left: 0, right: 0, position: 1)
    while start < bus.frameCount {
      // A piece ends where a block or a ramp does.
      var length = Swift.min(bus.frameCount - start, untilBlock)
      if !straight.isSettled { length = Swift.min(length, straight.remaining) }
      if !cross.isSettled { length = Swift.min(length, cross.remaining) }
      let left = bus[0].dropping(start).prefix(length)
      let right = bus[bus.channelCount - 1].dropping(start).prefix(length)
      measure(left, right, as: 4 * element, straight, cross)
      if bus.channelCount == 1 { meters.reset(4 * element + 1) }
      straight.advance(length)
      cross.advance(length)
      start += length
      untilBlock -= length
      if untilBlock == 0 {
        untilBlock = LevelMeters.blockLength
        for meter in (4 * element)..<(4 * element + 4) { meters.endBlock(meter) }
      }
    }
  }

  @_noLocks
  private mutating func measure(
    _ left: ChannelBuffer, _ right: ChannelBuffer, as first: Int, _ straight: GainRamp,
    _ cross: GainRamp
  ) {
    if !cross.isClosed {
      meters.measure(left, as: first)
      meters.measure(right, as: first + 1)
      meters.measure(left, straight.leftGain, right, cross.leftGain, as: first + 2)
      meters.measure(right, straight.rightGain, left, cross.rightGain, as: first + 3)
    } else if straight.isSettled {
      meters.measure(left, before: first, after: first + 2, gain: straight.left)
      meters.measure(right, before: first + 1, after: first + 3, gain: straight.right)
    } else {
      meters.measure(left, before: first, after: first + 2, slope: straight.leftSlope)
      meters.measure(right, before: first + 1, after: first + 3, slope: straight.rightSlope)
    }
  }

  /// Counts a slice's frames.
  @_noLocks
  private mutating func countFrames(_ frameCount: Int) {
    framesUntilBlock -= frameCount % LevelMeters.blockLength
    if framesUntilBlock <= 0 { framesUntilBlock += LevelMeters.blockLength }
  }

  /// The same, and writes the meters down if a block has ended in it.
  @_noLocks
  private mutating func publish(_ frameCount: Int) {
    let hasEnded = frameCount >= framesUntilBlock
    countFrames(frameCount)
    guard hasEnded else { return }
    for element in 0...inputCount where metered[element] != 0 {
      let first =
        element < inputCount
        ? controls.input(element, MixerControls.inputMeters)
        : controls.output(MixerControls.outputMeters)
      for channel in 0..<2 {
        let pre = 4 * element + channel
        controls.access.note(
          meters.average(pre).bitPattern, at: first + MixerControls.preAverage + channel)
        controls.access.note(
          meters.peak(pre).bitPattern, at: first + MixerControls.prePeak + channel)
        controls.access.note(
          meters.average(pre + 2).bitPattern, at: first + MixerControls.postAverage + channel)
        controls.access.note(
          meters.peak(pre + 2).bitPattern, at: first + MixerControls.postPeak + channel)
      }
    }
  }
}
