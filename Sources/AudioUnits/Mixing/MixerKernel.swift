public import AudioTypes
public import RenderCore

/// The Multichannel Mixer's render half: any number of mono and stereo inputs, one stereo output.
///
/// Core Audio documents no pan law; patchrun's are its sister services' (facts, section 6.3). A mono
/// input is panned with equal power, `L = cos((p + 1) π/4)`, `R = sin((p + 1) π/4)`; a stereo input
/// is balanced, `L = min(1, 1 - p)`, `R = min(1, 1 + p)`. A channel's gain is that times the volume,
/// and 0 where the input is disabled. What comes out is the sum in the order of the inputs, times
/// the output's volume. The output's memory may not be an input's.
///
/// Controls are read at the start of each slice. What the first slice finds holds at once; a later
/// change takes 10 ms, or as long as its control says it is to glide, a straight line in each channel's
/// gain. An input that is off, once it has got
/// there, adds nothing at all, not even where it carries infinities, and costs nothing. A volume or
/// a pan that is not a number changes nothing, and a pan outside -1 to 1 is taken as the nearer end.
///
/// Pre meters show what arrives at a bus, be it enabled or not; post meters what is left after
/// enable, volume and pan. A mono input has a left pre meter only. The output's meters show the sum
/// before and after its volume. Meters that are off read their floor and cost nothing.
public struct MixerKernel: RenderKernel, ~Copyable {
  // Numbers that an input has in `strips`; the output's are behind those of the last input.
  private static let stripStride = 9

  private let controls: MixerControls
  private let inputCount: Int
  private let channelCounts: DoubleStorage
  private let rampLength: Int
  // For each element the volume, the pan and the enable that its gains were worked out from, then
  // the gains: where the ramp began, where it goes, how far it has come, how long it is.
  private let strips: SampleStorage
  // For each element the pre and post meters, left and right; `metered` says whether they run.
  private let meters: LevelMeters
  private let metered: DoubleStorage
  private var framesUntilBlock = LevelMeters.blockLength
  private var hasStarted = false

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
        && controls.output(MixerControls.outputStride) <= controls.access.count,
      "the control block is too small for the mixer")
    self.controls = controls
    inputCount = count
    channelCounts = DoubleStorage(inputChannelCounts.map(Double.init) + [2])
    rampLength = Swift.max(1, Int((sampleRate / 100).rounded()))
    strips = SampleStorage(repeating: 0, count: (count + 1) * Self.stripStride)
    for element in 0...count { strips[element * Self.stripStride + 8] = Float(rampLength) }
    meters = LevelMeters(count: 4 * (count + 1), sampleRate: sampleRate)
    metered = DoubleStorage(repeating: 0, count: count + 1)
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
    var sum = MixSum(left: output[0], right: output[1])
    for element in 0..<inputCount {
      let input = context.input(element)
      guard input.channelCount == channelCount(element) else { return .formatNotSupported }
      updateInput(element)
      updateMetering(
        element, controls.input(element, MixerControls.inputMeteringMode),
        meters: controls.input(element, MixerControls.inputMeters))
      let isSilent = input.isSilent
      if metered[element] != 0 { measure(input, as: element) }
      if isSteady(element) {
        let first = element * Self.stripStride
        let left = strips[first + 5]
        let right = strips[first + 6]
        if isSilent || (left == 0 && right == 0) { continue }
        sum.add(
          input[0], input[channelCount(element) - 1], leftGain: left, rightGain: right)
      } else {
        var ramp = ramp(element)
        if !isSilent { sum.add(input[0], input[channelCount(element) - 1], ramp: ramp) }
        ramp.advance(count)
        keep(ramp, as: element)
      }
    }
    sum.finish()
    finishOutput(output, isEmpty: sum.isEmpty)
    publish(count)
    hasStarted = true
    return .ok
  }

  /// The output's own volume and meters.
  @_noLocks
  private mutating func finishOutput(_ output: RenderBus, isEmpty: Bool) {
    let element = inputCount
    let control = controls.output(MixerControls.outputVolume)
    let volume = controls.access[control]
    if volume.isFinite {
      aim(element, left: volume, right: volume, in: controls.access.glide(control))
    }
    updateMetering(
      element, controls.output(MixerControls.outputMeteringMode),
      meters: controls.output(MixerControls.outputMeters))
    var ramp = ramp(element)
    if isEmpty { output.silence() }
    if metered[element] != 0 { measure(output, as: element) }
    if !isEmpty {
      if ramp.isClosed {
        output.silence()
      } else {
        scale(output[0], by: ramp)
        scale(output[1], by: ramp)
      }
    }
    if !ramp.isSettled {
      ramp.advance(output.frameCount)
      keep(ramp, as: element)
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
      for frame in rest.indices { rest[frame] *= gain }
    }
  }

  // MARK: Gains

  @_noLocks
  private func channelCount(_ element: Int) -> Int { channelCounts[element] == 1 ? 1 : 2 }

  /// Looks whether an input's controls have changed, and works out its gains where they have.
  @_noLocks
  private mutating func updateInput(_ element: Int) {
    let first = element * Self.stripStride
    var volume = controls.access[controls.input(element, MixerControls.volume)]
    var pan = controls.access[controls.input(element, MixerControls.pan)]
    let enable = controls.access[controls.input(element, MixerControls.enable)]
    guard
      !hasStarted || volume != strips[first] || pan != strips[first + 1]
        || enable != strips[first + 2]
    else { return }
    if !volume.isFinite { volume = strips[first] }
    if pan != pan { pan = strips[first + 1] }
    strips[first] = volume
    strips[first + 1] = pan
    strips[first + 2] = enable
    let place = pan < -1 ? -1 : pan > 1 ? 1 : Double(pan)
    var left = 0.0
    var right = 0.0
    if enable != 0 {
      if channelCount(element) == 1 {
        // At the ends a cosine of π/2 would not be quite zero.
        let angle = (place + 1) * (Double.pi / 4)
        left = place == 1 ? 0 : renderCosine(angle)
        right = place == -1 ? 0 : renderSine(angle)
      } else {
        left = place > 0 ? 1 - place : 1
        right = place < 0 ? 1 + place : 1
      }
    }
    let glides = (
      controls.access.glide(controls.input(element, MixerControls.volume)),
      controls.access.glide(controls.input(element, MixerControls.pan))
    )
    aim(
      element, left: Float(Double(volume) * left), right: Float(Double(volume) * right),
      in: glides.0 > glides.1 ? glides.0 : glides.1)
  }

  /// Sets out for new gains, in `glide` frames or, for 0, in as many as the mixer likes.
  @_noLocks
  private mutating func aim(_ element: Int, left: Float, right: Float, in glide: Int) {
    var ramp = ramp(element)
    guard !hasStarted || left != ramp.left || right != ramp.right else { return }
    if hasStarted {
      ramp.aim(left: left, right: right, in: glide > 0 ? glide : rampLength)
    } else {
      ramp.jump(left: left, right: right)
    }
    keep(ramp, as: element)
  }

  /// Whether an element's gains are where they are to be.
  @_noLocks
  private mutating func isSteady(_ element: Int) -> Bool {
    let first = element * Self.stripStride
    return strips[first + 7] == strips[first + 8]
  }

  @_noLocks
  private mutating func ramp(_ element: Int) -> GainRamp {
    let first = element * Self.stripStride + 3
    return GainRamp(
      length: Int(strips[first + 5]), startLeft: strips[first], startRight: strips[first + 1],
      left: strips[first + 2], right: strips[first + 3],
      position: Int(strips[first + 4]))
  }

  @_noLocks
  private mutating func keep(_ ramp: GainRamp, as element: Int) {
    let first = element * Self.stripStride + 3
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
      controls.access[first + meter] = LevelMeters.floor
    }
  }

  /// Meters 0 and 1 of an element are before its gains, 2 and 3 after.
  @_noLocks
  private mutating func measure(_ bus: RenderBus, as element: Int) {
    var start = 0
    var untilBlock = framesUntilBlock
    var ramp = ramp(element)
    while start < bus.frameCount {
      // A piece ends where a block or a ramp does.
      var length = Swift.min(bus.frameCount - start, untilBlock)
      if !ramp.isSettled { length = Swift.min(length, ramp.remaining) }
      let left = bus[0].dropping(start).prefix(length)
      let right = bus[bus.channelCount - 1].dropping(start).prefix(length)
      let first = 4 * element
      if ramp.isSettled {
        meters.measure(left, before: first, after: first + 2, gain: ramp.left)
        meters.measure(right, before: first + 1, after: first + 3, gain: ramp.right)
      } else {
        meters.measure(left, before: first, after: first + 2, slope: ramp.leftSlope)
        meters.measure(right, before: first + 1, after: first + 3, slope: ramp.rightSlope)
      }
      if bus.channelCount == 1 { meters.reset(first + 1) }
      ramp.advance(length)
      start += length
      untilBlock -= length
      if untilBlock == 0 {
        untilBlock = LevelMeters.blockLength
        for meter in first..<(first + 4) { meters.endBlock(meter) }
      }
    }
  }

  /// Counts a slice's frames, and writes the meters down if a block has ended in it.
  @_noLocks
  private mutating func publish(_ frameCount: Int) {
    let past = frameCount % LevelMeters.blockLength
    let hasEnded = frameCount >= framesUntilBlock
    framesUntilBlock -= past
    if framesUntilBlock <= 0 { framesUntilBlock += LevelMeters.blockLength }
    guard hasEnded else { return }
    for element in 0...inputCount where metered[element] != 0 {
      let first =
        element < inputCount
        ? controls.input(element, MixerControls.inputMeters)
        : controls.output(MixerControls.outputMeters)
      for channel in 0..<2 {
        let pre = 4 * element + channel
        controls.access[first + MixerControls.preAverage + channel] = meters.average(pre)
        controls.access[first + MixerControls.prePeak + channel] = meters.peak(pre)
        controls.access[first + MixerControls.postAverage + channel] = meters.average(pre + 2)
        controls.access[first + MixerControls.postPeak + channel] = meters.peak(pre + 2)
      }
    }
  }
}
