internal import AudioTypes
internal import RenderCore

/// The kernel of the matrix mixer.
///
/// A gain is the product of its four factors from the input on, in double precision. An output's
/// sample is the sum over the input channels in their order, in double precision too, and rounded
/// once. A changed gain moves linearly to its new value: in the frames of its glide, or in 10 ms.
///
/// The meters of an input channel show it as it arrives, and behind the switch of its bus and its
/// own volume. Those of an output channel show the sum before its switch, its volume and the
/// master, and the output. The output is always watched for clipping.
struct MatrixKernel: RenderKernel, ~Copyable {
  private static var piece: Int { @_noLocks get { 256 } }
  private static var volumes: Int { @_noLocks get { 64 } }

  private let inputCount: Int
  private let outputCount: Int
  private let inputs: StateStorage<ChannelPlace>
  private let outputs: StateStorage<ChannelPlace>
  private let inputBuses: Int
  private let controls: MatrixControls
  private let clipping: ClippingWatch
  private let rampLength: Int
  /// The words of the matrix at the last slice.
  private let seen: StateStorage<UInt32>
  /// The gain of each crosspoint with all its factors, and without those of the output and the
  /// master.
  private var gains: GainTable
  private var sumGains: GainTable
  /// The gain of each input channel.
  private var inputGains: GainTable
  private var meters: MatrixMeters
  private let sums: DoubleStorage
  private let scratch: SampleStorage
  private var version: UInt32 = 0
  private var hasStarted = false

  // MARK: Control thread

  init(sampleRate: Double, inputs: [Int], outputs: [Int], controls: MatrixControls) {
    let (inputCount, outputCount) = (inputs.reduce(0, +), outputs.reduce(0, +))
    self.inputCount = inputCount
    self.outputCount = outputCount
    self.inputs = StateStorage(ChannelPlace.all(inputs))
    self.outputs = StateStorage(ChannelPlace.all(outputs))
    inputBuses = inputs.count
    self.controls = controls
    clipping = controls.clipping
    rampLength = EffectParameters.glideLength(sampleRate)
    seen = StateStorage(repeating: 0, count: MatrixControls.side * MatrixControls.side)
    gains = GainTable(count: inputCount * outputCount)
    sumGains = GainTable(count: inputCount * outputCount)
    inputGains = GainTable(count: inputCount)
    meters = MatrixMeters(
      inputCount: inputCount, outputCount: outputCount, sampleRate: sampleRate, controls: controls)
    sums = DoubleStorage(repeating: 0, count: Self.piece)
    scratch = SampleStorage(repeating: 0, count: Self.piece)
  }

  // MARK: Render thread

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    guard context.inputCount == inputBuses else { return .formatNotSupported }
    follow()
    for output in 0..<outputCount {
      let channel = context.output(outputs[output].bus)[outputs[output].channel]
      var start = 0
      while start < context.frameCount {
        var length = context.frameCount - start
        if length > Self.piece { length = Self.piece }
        mix(output, gains, context, start, length, into: channel.dropping(start))
        start += length
      }
      clipping.watch(channel)
    }
    if meters.isAnyRunning { measure(context) }
    meters.count(context.frameCount)
    gains.advance(context.frameCount)
    sumGains.advance(context.frameCount)
    inputGains.advance(context.frameCount)
    return .ok
  }

  /// Mixes one output channel over frames of the slice.
  @_noLocks
  private func mix(
    _ output: Int, _ gains: borrowing GainTable, _ context: RenderContext, _ start: Int,
    _ count: Int, into target: ChannelBuffer
  ) {
    for frame in 0..<count { sums[frame] = 0 }
    for input in 0..<inputCount {
      let row = input * outputCount + output
      let isMoving = gains.isMoving(row, ahead: start)
      let end = gains.end(row)
      if !isMoving, end == 0 { continue }
      let bus = context.input(inputs[input].bus)
      if bus.isSilent { continue }
      let samples = bus[inputs[input].channel].dropping(start)
      if isMoving {
        for frame in 0..<count {
          sums[frame] += Double(samples[frame]) * gains.gain(row, ahead: start + frame)
        }
      } else {
        for frame in 0..<count { sums[frame] += Double(samples[frame]) * end }
      }
    }
    for frame in 0..<count { target[frame] = Float(sums[frame]) }
  }

  // MARK: Meters

  @_noLocks
  private func measure(_ context: RenderContext) {
    var start = 0
    while start < context.frameCount {
      // A piece ends where a block does.
      let untilBlock = meters.framesToBlock(after: start)
      var length = context.frameCount - start
      if length > untilBlock { length = untilBlock }
      let endsBlock = length == untilBlock
      let behind = scratch.buffer(at: 0, count: length)
      for input in 0..<inputCount where meters.isRunning(input: input) {
        let bus = context.input(inputs[input].bus)
        let samples = bus[inputs[input].channel].dropping(start).prefix(length)
        meters.measure(input: input, samples, isBehind: false, endsBlock: endsBlock)
        for frame in 0..<length {
          behind[frame] = Float(
            Double(samples[frame]) * inputGains.gain(input, ahead: start + frame))
        }
        meters.measure(input: input, behind, isBehind: true, endsBlock: endsBlock)
      }
      for output in 0..<outputCount where meters.isRunning(output: output) {
        mix(output, sumGains, context, start, length, into: behind)
        meters.measure(output: output, behind, isBehind: false, endsBlock: endsBlock)
        let bus = context.output(outputs[output].bus)
        let samples = bus[outputs[output].channel].dropping(start).prefix(length)
        meters.measure(output: output, samples, isBehind: true, endsBlock: endsBlock)
      }
      start += length
    }
  }

  // MARK: Gains

  /// Reads the matrix and the metering modes, and begins ramps of gains that have changed.
  @_noLocks
  private mutating func follow() {
    let now = controls.access.version
    guard !hasStarted || now != version else { return }
    version = now
    let isFirst = !hasStarted
    hasStarted = true
    let master = volume(Self.volumes, Self.volumes)
    for input in 0..<inputCount {
      let bus = inputs[input].bus
      meters.turn(input: input, on: controls.isMetered(input: bus))
      let before = volume(input, Self.volumes)
      let entering = controls.isOn(input: bus) ? before.value : 0
      if isFirst || entering != inputGains.end(input) {
        inputGains.aim(input, entering, in: length(before.glide, isFirst))
      }
      for output in 0..<outputCount {
        let row = input * outputCount + output
        let level = volume(input, output)
        let after = volume(Self.volumes, output)
        let sounds = controls.isOn(output: outputs[output].bus)
        let sum = entering * level.value
        let gain = sum * (sounds ? after.value : 0) * master.value
        var glide = level.glide > before.glide ? level.glide : before.glide
        if isFirst || sum != sumGains.end(row) {
          sumGains.aim(row, sum, in: length(glide, isFirst))
        }
        if after.glide > glide { glide = after.glide }
        if master.glide > glide { glide = master.glide }
        if isFirst || gain != gains.end(row) { gains.aim(row, gain, in: length(glide, isFirst)) }
      }
    }
    for output in 0..<outputCount {
      meters.turn(
        output: output, on: controls.isMetered(output: outputs[output].bus))
    }
    for row in 0..<MatrixControls.side {
      for column in 0..<MatrixControls.side {
        seen[row * MatrixControls.side + column] =
          controls.access[word: controls.slot(row, column)]
      }
    }
  }

  /// The frames of a change; 0 in the first slice.
  @_noLocks
  private func length(_ glide: Int, _ isFirst: Bool) -> Int {
    isFirst ? 0 : glide > 0 ? glide : rampLength
  }

  /// A number of the matrix and, where it has changed, its glide in frames.
  @_noLocks
  private func volume(_ row: Int, _ column: Int) -> (value: Double, glide: Int) {
    let slot = controls.slot(row, column)
    let value = Double(controls.access[slot])
    let hasChanged =
      controls.access[word: slot] != seen[row * MatrixControls.side + column]
    // A number that is not finite counts as 0.
    return (value - value == 0 ? value : 0, hasChanged ? controls.access.glide(slot) : 0)
  }
}

/// The bus of a channel, and its index there.
struct ChannelPlace: BitwiseCopyable {
  let bus: Int
  let channel: Int

  /// The channels of all buses in their order.
  ///
  /// - Parameter counts: The number of channels of each bus.
  static func all(_ counts: [Int]) -> [ChannelPlace] {
    counts.enumerated().flatMap { bus, count in
      (0..<count).map { ChannelPlace(bus: bus, channel: $0) }
    }
  }
}
