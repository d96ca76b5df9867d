public import AudioTypes
public import RenderCore

/// The kernel of the Multichannel Mixer: any number of mono and stereo inputs, one stereo output.
///
/// Core Audio documents no pan law for the mixer; patchrun uses those of related Apple services. A
/// mono input is panned with equal power, `L = cos((p + 1) π/4)`, `R = sin((p + 1) π/4)`; a stereo
/// input is balanced, `L = min(1, 1 - p)`, `R = min(1, 1 + p)`. Levels that have been set for an
/// input replace its pan: a gain from each of its channels to each of the mix. A channel's gain is
/// that times the volume, and 0 where the input is disabled. The output is the sum in the order of
/// the inputs, times the output's volume. The output's memory may not be an input's.
///
/// Controls are read at the start of each slice. In the first slice they apply at once; a later
/// change takes 10 ms, or the glide of its control, and is linear in each channel's gain. A change
/// of the pan replaces levels that have been set before. An input whose gains are 0 is skipped,
/// even if it carries infinities. A volume that is not finite and a pan that is NaN are ignored,
/// and a pan outside -1 to 1 is clamped; a level that is not finite is 0.
///
/// Pre meters show the input of a bus, enabled or not; post meters show it after enable, volume and
/// pan. A mono input has a left pre meter only. The output's meters show the sum before and after
/// its volume. Meters that are off read their floor and cost nothing. The output is always watched
/// for clipping.
public struct MixerKernel: RenderKernel, ~Copyable {
  private let controls: MixerControls
  private let inputCount: Int
  private let rampLength: Int
  // One for each input, then one for the output.
  private let strips: StateStorage<Strip>
  // For each strip its pre and post meters, left and right.
  private let meters: LevelMeters
  // Signals with steady gains that wait to be added.
  private var waiting: WaitingSignals
  private var framesUntilBlock = LevelMeters.blockLength
  private var hasStarted = false
  // Whether all gains are settled and no meter runs, and the version of the controls then. While
  // the version stays the same, the controls need not be read.
  private var isQuiet = false
  private var quietVersion: UInt32 = 0
  // Of a quiet mixer that multiplies its only input: the gain and the channels of that; otherwise 0.
  // Here and not in `strips`, so that a slice reads less memory.
  private var onlyGain: Float = 0
  private var onlyChannelCount = 0

  // MARK: Control thread

  /// - Parameters:
  ///   - sampleRate: Of all buses, in hertz.
  ///   - inputChannelCounts: For each input element 1 or 2.
  ///   - controls: Of a MultichannelMixer with as many inputs; its block must outlive the kernel.
  public init(sampleRate: Double, inputChannelCounts: [Int], controls: ControlLayout) {
    self.init(sampleRate: sampleRate, inputCount: inputChannelCounts.count, controls: controls) {
      inputChannelCounts[$0]
    }
  }

  /// - Parameter channelCount: The channels of an input element, 1 or 2.
  init(
    sampleRate: Double, inputCount count: Int, controls: ControlLayout,
    channelCount: (Int) -> Int
  ) {
    precondition(
      controls.base(.output, element: 0) == controls.base(.input, element: count),
      "the control block is that of a mixer with as many inputs")
    self.controls = MixerControls(controls)
    inputCount = count
    rampLength = Swift.max(1, Int((sampleRate / 100).rounded()))
    let start = GainRamp(
      length: rampLength, startLeft: 0, startRight: 0, left: 0, right: 0, position: 0)
    strips = StateStorage(count: count + 1) { index in
      let channels = index < count ? channelCount(index) : 2
      precondition(channels == 1 || channels == 2, "an input is mono or stereo")
      var strip = Strip(channelCount: channels, straight: start, cross: start)
      // The output has no cross gains.
      if index == count { strip.cross.jump(left: 0, right: 0) }
      return strip
    }
    meters = LevelMeters(count: 4 * (count + 1), sampleRate: sampleRate)
    // An input has at most two signals: straight and cross. The capacity is limited so that the
    // signals fit in the nearest cache.
    waiting = WaitingSignals(capacity: Swift.max(1, Swift.min(128, 2 * count)))
  }

  // MARK: Render thread

  public static var readsInterleaved: Bool { true }

  public static var sharesMix: Bool { true }

  // What `render` calls is `mutating` even where nothing changes: for another kind of call the
  // compiler copies the whole kernel first, which with many inputs costs as much as the mixing.

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    guard context.inputCount == inputCount, output.channelCount == 2 else {
      return .formatNotSupported
    }
    let version = controls.access.version
    if !isQuiet || version != quietVersion {
      guard readControls(context) else { return .formatNotSupported }
      quietVersion = version
      isQuiet = isAllQuiet()
      noteOnlyInput()
    }
    guard isQuiet else {
      mixMoving(context, into: output)
      return .ok
    }
    if onlyGain != 0, amplify(context.input(0), into: output) {
      countFrames(context.frameCount)
      return .ok
    }
    var sum = MixSum(left: output[0], right: output[1])
    for element in 0..<inputCount {
      let input = context.input(element)
      if input.channelCount != strips[element].channelCount {
        guard follow(input, element) else { return .formatNotSupported }
        noteOnlyInput()
      }
      addSteady(input, element, &sum, in: context)
    }
    sum.finish(&waiting, in: context)
    if sum.isEmpty {
      output.silence()
    } else {
      finish(output, gain: strips[inputCount].straight.left, largest: sum.largest)
      if sum.hasInterleaved { noteFinite(sum.largest, in: context) }
    }
    countFrames(context.frameCount)
    return .ok
  }

  /// Reads the controls of all inputs and of the output. Returns whether each input has a format that
  /// can be mixed.
  @_noLocks
  private mutating func readControls(_ context: RenderContext) -> Bool {
    for element in 0..<inputCount {
      guard follow(context.input(element), element) else { return false }
      updateMetering(element, isOn: controls.metering.isOn(element))
    }
    updateOutputVolume()
    updateMetering(inputCount, isOn: controls.outputMetering.isOn(0))
    hasStarted = true
    return true
  }

  /// Takes over the format of an input, and changes of its controls. Returns whether it is a format
  /// that can be mixed.
  @_noLocks
  private mutating func follow(_ input: RenderBus, _ element: Int) -> Bool {
    let isOther = input.channelCount != strips[element].channelCount
    if isOther {
      // An unconnected input may get another format.
      guard input.channelCount == 1 || input.channelCount == 2 else { return false }
      strips[element].channelCount = input.channelCount
    }
    updateInput(element, isOther: isOther)
    return true
  }

  /// Mixes while a gain moves or a meter runs.
  @_noLocks
  private mutating func mixMoving(_ context: RenderContext, into output: RenderBus) {
    var sum = MixSum(left: output[0], right: output[1])
    for element in 0..<inputCount {
      let input = context.input(element)
      input.separate()
      if strips[element].isMetered { measure(input, as: element) }
      add(input, element, &sum, in: context)
    }
    sum.finish(&waiting, in: context)
    finishOutput(output, isEmpty: sum.isEmpty, largest: sum.largest)
    publish(context.frameCount)
  }

  /// Whether all gains are settled, and no meter runs.
  @_noLocks
  private mutating func isAllQuiet() -> Bool {
    // A volume that is not finite has to be read again.
    guard controls.outputVolume[0] == strips[inputCount].straight.left else { return false }
    for element in 0...inputCount {
      guard !strips[element].isMetered, strips[element].straight.isSettled,
        strips[element].cross.isSettled
      else { return false }
    }
    return true
  }

  /// Notes whether the mix of a quiet mixer is the product of one input with one gain.
  @_noLocks
  private mutating func noteOnlyInput() {
    onlyGain = 0
    guard isQuiet, inputCount == 1 else { return }
    let straight = strips[0].straight
    let cross = strips[0].cross
    guard straight.left == straight.right, cross.left == 0, cross.right == 0,
      strips[1].straight.left == 1
    else { return }
    onlyGain = straight.left
    onlyChannelCount = strips[0].channelCount
  }

  /// Multiplies the only input where its largest magnitude is known. Returns `false` for another one,
  /// without rendering.
  @_noLocks
  private mutating func amplify(_ input: RenderBus, into output: RenderBus) -> Bool {
    guard let largest = input.largest, !input.isSilent, input.channelCount == onlyChannelCount
    else { return false }
    VectorMath.amplify(
      input[0], by: onlyGain, input[onlyChannelCount - 1], by: onlyGain, into: output[0], output[1])
    watch(output, largest: largest, gain: onlyGain)
    return true
  }

  /// Where the sum is finite, all that has been added is.
  @_noLocks
  private mutating func noteFinite(_ largest: UInt32?, in context: RenderContext) {
    guard let largest, largest < ClippingWatch.infinity else { return }
    for element in 0..<inputCount {
      let straight = strips[element].straight
      guard straight.left != 0 || straight.right != 0 else { continue }
      context.input(element).noteFinite()
    }
  }

  /// Adds an input with settled gains.
  @_noLocks
  private mutating func addSteady(
    _ input: RenderBus, _ element: Int, _ sum: inout MixSum, in context: RenderContext
  ) {
    guard !input.isSilent else { return }
    let straight = strips[element].straight
    let cross = strips[element].cross
    if input.isInterleaved {
      if cross.left == 0, cross.right == 0 {
        guard straight.left != 0 || straight.right != 0 else { return }
        return sum.add(
          interleaved: input.interleaved, leftGain: straight.left, rightGain: straight.right,
          after: &waiting, in: context)
      }
      input.separate()
    }
    let left = input[0]
    let right = input[strips[element].channelCount - 1]
    if straight.left != 0 || straight.right != 0 {
      sum.add(
        left, right, leftGain: straight.left, rightGain: straight.right, after: &waiting,
        in: context)
    }
    if cross.left != 0 || cross.right != 0 {
      sum.add(
        right, left, leftGain: cross.left, rightGain: cross.right, after: &waiting, in: context)
    }
  }

  /// Adds an input to the mix, and advances its gains.
  @_noLocks
  private mutating func add(
    _ input: RenderBus, _ element: Int, _ sum: inout MixSum, in context: RenderContext
  ) {
    let left = input[0]
    let right = input[strips[element].channelCount - 1]
    add(left, right, strips[element].straight, isSilent: input.isSilent, &sum, in: context)
    strips[element].straight.advance(input.frameCount)
    add(right, left, strips[element].cross, isSilent: input.isSilent, &sum, in: context)
    strips[element].cross.advance(input.frameCount)
  }

  @_noLocks
  private mutating func add(
    _ left: ChannelBuffer, _ right: ChannelBuffer, _ ramp: GainRamp, isSilent: Bool,
    _ sum: inout MixSum, in context: RenderContext
  ) {
    if isSilent { return }
    if !ramp.isSettled {
      sum.add(left, right, ramp: ramp, after: &waiting, in: context)
    } else if ramp.left != 0 || ramp.right != 0 {
      sum.add(left, right, leftGain: ramp.left, rightGain: ramp.right, after: &waiting, in: context)
    }
  }

  /// Applies the output's volume, and measures it.
  ///
  /// - Parameter largest: The largest magnitude of the sum; `nil` where it is not known.
  @_noLocks
  private mutating func finishOutput(_ output: RenderBus, isEmpty: Bool, largest: UInt32?) {
    let element = inputCount
    if isEmpty { output.silence() }
    if strips[element].isMetered { measure(output, as: element) }
    let ramp = strips[element].straight
    if ramp.isSettled {
      if !isEmpty { finish(output, gain: ramp.left, largest: largest) }
      return
    }
    if !isEmpty {
      ramp.scaleLeft(output[0])
      ramp.scaleLeft(output[1])
      controls.clipping.watch(output[0])
      controls.clipping.watch(output[1])
    }
    strips[element].straight.advance(output.frameCount)
  }

  /// Finishes a mix with a steady volume.
  @_noLocks
  private mutating func finish(_ output: RenderBus, gain: Float, largest: UInt32?) {
    guard gain != 0 else { return output.silence() }
    if gain != 1 {
      VectorMath.scale(output[0], by: gain)
      VectorMath.scale(output[1], by: gain)
    }
    watch(output, largest: largest, gain: gain)
  }

  /// Watches an output that is a signal times a gain. Where the largest magnitude of the signal is
  /// known and finite, no sample is read: rounding is monotonic, so that the largest product is
  /// that of the largest sample.
  @_noLocks
  private mutating func watch(_ output: RenderBus, largest: UInt32?, gain: Float) {
    if let largest, largest < ClippingWatch.infinity {
      let product = (Float(bitPattern: largest) * gain).magnitude.bitPattern
      if product < ClippingWatch.infinity {
        controls.clipping.note(product)
        return output.mark(largest: product)
      }
    }
    controls.clipping.watch(output[0])
    controls.clipping.watch(output[1])
  }

  // MARK: Gains

  /// Reads an input's controls, and computes its gains where they have changed.
  @_noLocks
  private mutating func updateInput(_ element: Int, isOther: Bool) {
    let last = strips[element]
    var volume = controls.volume[element]
    var pan = controls.pan[element]
    let enable = controls.enable[element]
    let levelsVersion = controls.matrixLevels[word: element]
    guard
      !hasStarted || isOther || volume != last.volume || pan != last.pan || enable != last.enable
        || levelsVersion != last.levelsVersion
    else { return }
    if !volume.isFinite { volume = last.volume }
    if pan != pan { pan = last.pan }
    var hasLevels = last.hasLevels
    if !hasStarted || levelsVersion != last.levelsVersion {
      hasLevels = levelsVersion != 0
    } else if pan != last.pan {
      hasLevels = false
    }
    // Only the glide of a control that has changed counts.
    var glide = volume != last.volume ? controls.volume.glide(element) : 0
    if pan != last.pan {
      let other = controls.pan.glide(element)
      if other > glide { glide = other }
    }
    strips[element].volume = volume
    strips[element].pan = pan
    strips[element].enable = enable
    strips[element].levelsVersion = levelsVersion
    strips[element].hasLevels = hasLevels
    let isMono = last.channelCount == 1
    let points =
      hasLevels
      ? CrossPoints(
        leftToLeft: level(element, 0), leftToRight: level(element, 1),
        rightToLeft: isMono ? 0 : level(element, 2), rightToRight: isMono ? 0 : level(element, 3))
      : CrossPoints(pan: pan, channelCount: last.channelCount)
    let gain = enable != 0 ? Double(volume) : 0
    let length = length(glide, atOnce: isOther)
    strips[element].straight.go(
      left: Float(gain * points.leftToLeft),
      right: Float(gain * (isMono ? points.leftToRight : points.rightToRight)), in: length)
    strips[element].cross.go(
      left: Float(gain * points.rightToLeft),
      right: Float(gain * (isMono ? 0 : points.leftToRight)),
      in: length)
  }

  /// Reads the output's volume, and has its gain move to it where it has changed.
  @_noLocks
  private mutating func updateOutputVolume() {
    let volume = controls.outputVolume[0]
    let ramp = strips[inputCount].straight
    let isAtVolume = hasStarted && ramp.left == volume && ramp.isSettled
    guard !isAtVolume, volume.isFinite else { return }
    let length = length(controls.outputVolume.glide(0), atOnce: false)
    strips[inputCount].straight.go(left: volume, right: volume, in: length)
  }

  /// A level that has been set for an input; the first is from left to left.
  @_noLocks
  private mutating func level(_ element: Int, _ index: Int) -> Double {
    let level = controls.matrixLevels[element, 1 + index]
    return level.isFinite ? Double(level) : 0
  }

  /// The frames of a change: those of its glide or, where that is 0, 10 ms; 0 in the first slice.
  @_noLocks
  private mutating func length(_ glide: Int, atOnce: Bool) -> Int {
    !hasStarted || atOnce ? 0 : glide > 0 ? glide : rampLength
  }

  // MARK: Meters

  /// Follows an element's metering mode. Meters that go on or off start from silence.
  @_noLocks
  private mutating func updateMetering(_ element: Int, isOn: Bool) {
    guard !hasStarted || isOn != strips[element].isMetered else { return }
    strips[element].isMetered = isOn
    for meter in 0..<4 { meters.reset(4 * element + meter) }
    if element < inputCount {
      controls.meters.reset(element)
    } else {
      controls.outputMeters.reset(0)
    }
  }

  /// Measures an element: meters 0 and 1 before its gains, 2 and 3 after.
  @_noLocks
  private mutating func measure(_ bus: RenderBus, as element: Int) {
    var start = 0
    var untilBlock = framesUntilBlock
    var straight = strips[element].straight
    var cross = strips[element].cross
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

  /// The same, and publishes the meters if a block has ended in the slice.
  @_noLocks
  private mutating func publish(_ frameCount: Int) {
    let hasEnded = frameCount >= framesUntilBlock
    countFrames(frameCount)
    guard hasEnded else { return }
    for element in 0..<inputCount where strips[element].isMetered {
      publish(element, controls.meters, element)
    }
    if strips[inputCount].isMetered { publish(inputCount, controls.outputMeters, 0) }
  }

  /// Publishes the levels of a strip as those of an element.
  @_noLocks
  private mutating func publish(_ strip: Int, _ slots: MeterSlots, _ element: Int) {
    typealias Level = MeterSlots.Level
    for channel in 0..<2 {
      let (pre, post) = (4 * strip + channel, 4 * strip + 2 + channel)
      slots.note(meters.average(pre), Level.preAverage + channel, element)
      slots.note(meters.peak(pre), Level.prePeak + channel, element)
      slots.note(meters.average(post), Level.postAverage + channel, element)
      slots.note(meters.peak(post), Level.postPeak + channel, element)
    }
  }
}
