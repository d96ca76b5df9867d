import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import TestSupport
import Testing

@Suite struct MixerKernelTests {
  private typealias Parameter = MultichannelMixer.Parameter

  /// A change of a parameter at a frame: of an input, or of the output if `element` is `nil`.
  private struct Change {
    var frame: Int
    var element: Int?
    var parameter: UInt32
    var value: Float

    func make(in layout: ControlLayout) {
      guard let slot = layout.slot(parameter, element == nil ? .output : .input, element ?? 0)
      else { preconditionFailure("the mixer has the parameter") }
      layout.block[slot] = value
    }
  }

  private func output(volume: Float, at frame: Int = 0) -> Change {
    Change(frame: frame, element: nil, parameter: Parameter.volume, value: volume)
  }

  private func input(
    _ element: Int, volume: Float? = nil, pan: Float? = nil, enable: Float? = nil, at frame: Int = 0
  ) -> [Change] {
    [(Parameter.volume, volume), (Parameter.pan, pan), (Parameter.enable, enable)].compactMap {
      parameter, value in
      value.map { Change(frame: frame, element: element, parameter: parameter, value: $0) }
    }
  }

  /// The controls of a mixer in a graph.
  private func makeControls(inputCount: Int) -> ControlLayout {
    ControlLayout(MultichannelMixer.description, inputCount: inputCount, outputCount: 1)
  }

  /// Renders a mixer at 48 kHz. Slices are cut by `slicing` and at every change, as in a plan.
  private func mix(
    _ inputs: [[[Float]]], _ changes: [Change] = [], slicing: Slicing = Slicing([1024]),
    frameCount: Int? = nil
  ) -> [[Float]] {
    let count = frameCount ?? inputs[0][0].count
    let controls = makeControls(inputCount: inputs.count)
    let kernel = MixerKernel(
      sampleRate: 48_000, inputChannelCounts: inputs.map(\.count), controls: controls)
    let ends = slicing.cut(count).reduce(into: [0]) { $0.append($0.last! + $1) }
    let cuts = Set(ends + changes.map(\.frame)).sorted()
    return render(
      .holding(kernel, with: controls.block), inputs: inputs, outputChannelCounts: [2],
      frameCount: count, slicing: Slicing(zip(cuts.dropFirst(), cuts).map { $0 - $1 })
    ) { frame in
      for change in changes where change.frame == frame { change.make(in: controls) }
    }[0]
  }

  private func ones(_ count: Int) -> [Float] { [Float](repeating: 1, count: count) }

  // MARK: Gains

  @Test(arguments: [-1, -0.75, -0.3, 0, 0.1, 0.5, 1] as [Float])
  func `a mono input is panned with equal power`(pan: Float) {
    let result = mix(
      [[ones(64)]], input(0, volume: 0.8, pan: pan) + [output(volume: 0.5)])
    let angle = (Double(pan) + 1) * Double.pi / 4
    for frame in [0, 1, 63] {
      #expect(abs(Double(result[0][frame]) - 0.8 * 0.5 * cos(angle)) < 1e-6)
      #expect(abs(Double(result[1][frame]) - 0.8 * 0.5 * sin(angle)) < 1e-6)
    }
    if pan == 1 { expectSame([result[0]], [[Float](repeating: 0, count: 64)]) }
    if pan == -1 { expectSame([result[1]], [[Float](repeating: 0, count: 64)]) }
  }

  @Test(arguments: [-1, -0.75, -0.3, 0, 0.1, 0.5, 1] as [Float])
  func `a stereo input is balanced, and neither side ever raised`(pan: Float) {
    let right = [Float](repeating: -0.5, count: 64)
    let result = mix(
      [[ones(64), right]], input(0, volume: 1.5, pan: pan) + [output(volume: 0.5)])
    for frame in [0, 1, 63] {
      let left = 1.5 * 0.5 * min(1, 1 - Double(pan))
      let other = 1.5 * 0.5 * min(1, 1 + Double(pan))
      #expect(abs(Double(result[0][frame]) - left) < 1e-6)
      #expect(abs(Double(result[1][frame]) + 0.5 * other) < 1e-6)
    }
  }

  @Test
  func `inputs are added up, in order, whatever their number`() {
    for inputCount in [1, 2, 3, 4, 5, 7, 8, 13] {
      let inputs = (0..<inputCount).map { element in
        let channelCount = element % 3 == 0 ? 1 : 2
        return (0..<channelCount).map { noise(100, seed: UInt64(4 * element + $0)) }
      }
      let volumes = (0..<inputCount).map { 0.2 + 0.1 * Float($0) }
      let pans = (0..<inputCount).map { Float($0 % 5) / 2 - 1 }
      let changes = (0..<inputCount).flatMap { input($0, volume: volumes[$0], pan: pans[$0]) }
      let result = mix(inputs, changes)
      for channel in 0..<2 {
        let side = channel == 0 ? -1.0 : 1.0
        for frame in 0..<100 {
          var expected = 0.0
          for (element, channels) in inputs.enumerated() {
            let isMono = channels.count == 1
            let pan = side * Double(pans[element])
            let law = isMono ? cos((1 - pan) * Double.pi / 4) : min(1, 1 + pan)
            let sample = Double(channels[isMono ? 0 : channel][frame])
            expected += Double(volumes[element]) * law * sample
          }
          #expect(abs(Double(result[channel][frame]) - expected) < 1e-6)
        }
      }
    }
  }

  @Test
  func `volumes may be negative or far above one, and what is not a number changes nothing`() {
    let result = mix(
      [[ones(4096), ones(4096)]],
      input(0, volume: -3) + input(0, volume: .nan, pan: .nan, at: 1024)
        + input(0, volume: .infinity, at: 2048) + [output(volume: .nan, at: 2048)])
    #expect(result[0].allSatisfy { $0 == -3 })
    #expect(result[1].allSatisfy { $0 == -3 })
    let loud = mix([[ones(16), ones(16)]], input(0, volume: 100, pan: 7))
    #expect(loud[0].allSatisfy { $0 == 0 })
    #expect(loud[1].allSatisfy { $0 == 100 })
  }

  // MARK: Enable

  @Test
  func `an input that is off is exact silence once it has got there, and comes back`() {
    var left = ones(4096)
    left[2000] = .infinity
    left[2001] = .nan
    let result = mix(
      [[left, ones(4096)]], input(0, enable: 0, at: 1024) + input(0, enable: 1, at: 3072))
    for channel in result {
      #expect(channel[..<1024].allSatisfy { $0 == 1 })
      #expect(channel[1024] < 1 && channel[1024] > 0.99)
      #expect(channel[1504..<3072].allSatisfy { $0.bitPattern == 0 })
      #expect(channel[3551...].allSatisfy { abs($0 - 1) < 1e-6 })
      #expect(channel[3552...].allSatisfy { $0 == 1 })
    }
  }

  @Test
  func `a mixer whose inputs are all silent or off says that it is silent`() {
    let controls = makeControls(inputCount: 2)
    input(1, enable: 0)[0].make(in: controls)
    let kernel = MixerKernel(sampleRate: 48_000, inputChannelCounts: [1, 2], controls: controls)
    let plan = RenderPlan(
      rows: [.init(kernel: .holding(kernel, with: controls.block), inputs: [0, 1], outputs: [2])],
      busChannelCounts: [1, 2, 2], maximumFramesPerSlice: 64)
    let sounding = plan.bus(1, frameCount: 64)
    sounding.markSounding()
    for frame in 0..<64 { sounding[0][frame] = 1 }
    let output = plan.bus(2, frameCount: 64)
    #expect(plan.render(frameCount: 64, at: TimeStamp(sampleTime: 0)) == .ok)
    #expect(output.isSilent)
    #expect((0..<64).allSatisfy { output[0][$0] == 0 })
    input(1, enable: 1)[0].make(in: controls)
    #expect(plan.render(frameCount: 64, at: TimeStamp(sampleTime: 64)) == .ok)
    #expect(!output.isSilent)
    #expect(output[0][63] > 0)
  }

  @Test
  func `leaving a silent input out does not change the sum`() {
    let zeros = [Float](repeating: -0.0, count: 64)
    let result = mix([[zeros], [zeros, zeros]], input(1, volume: -1))
    #expect(result[0].allSatisfy { $0.bitPattern == 0 })
    #expect(result[1].allSatisfy { $0.bitPattern == 0 })
  }

  // MARK: Ramps

  @Test
  func `a change takes 480 frames in a straight line, and the first slice none`() {
    let result = mix(
      [[ones(4096), ones(4096)]],
      input(0, volume: 0.25) + input(0, volume: 0.75, at: 1024) + [output(volume: 0.5, at: 2048)])
    for channel in result {
      #expect(channel[..<1024].allSatisfy { $0 == 0.25 })
      for frame in 0..<480 {
        let part = Float(frame + 1) / 480
        let rising: Float = 0.25 + 0.5 * part
        let falling: Float = 0.75 - 0.375 * part
        #expect(abs(channel[1024 + frame] - rising) < 1e-6)
        #expect(abs(channel[2048 + frame] - falling) < 1e-6)
      }
      #expect(channel[1504..<2048].allSatisfy { $0 == 0.75 })
      #expect(channel[2528...].allSatisfy { $0 == 0.375 })
    }
  }

  @Test
  func `no change makes a step larger than its ramp's slope`() {
    // Volumes, pans, enables and the master, also changed during ramps.
    let changes =
      input(0, volume: 0, at: 300) + input(0, volume: 1, pan: -1, at: 500)
      + input(1, pan: 1, at: 512) + input(0, enable: 0, at: 700) + input(0, enable: 1, at: 800)
      + [output(volume: 0.2, at: 900), output(volume: 1, at: 1000)]
    let result = mix([[ones(4096)], [ones(4096), ones(4096)]], changes)
    // Three gains that change by at most 1 in 480 frames, and a sum of at most 2.
    let bound: Float = (1 + 1 + 2) / 480 + 1e-6
    for channel in result { #expect(largestStep(channel) < bound) }
    // The check finds a change without a ramp.
    let sudden = mix([[ones(300)]], input(0, volume: 1)).map {
      $0 + [Float](repeating: 0, count: 9)
    }
    #expect(largestStep(sudden[0]) > bound)
  }

  private func largestStep(_ samples: [Float]) -> Float {
    zip(samples.dropFirst(), samples).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  // MARK: Slicing

  @Test(arguments: Slicing.every)
  func `what comes out, ramps running, does not depend on how it is cut`(
    slicing: Slicing
  ) {
    var inputs: [[[Float]]] = (0..<7).map { (element: Int) -> [[Float]] in
      (0...(element % 2)).map { (channel: Int) -> [Float] in
        noise(6000, seed: UInt64(10 * element + channel))
      }
    }
    inputs[3][0].replaceSubrange(1000..<5000, with: [Float](repeating: -0.0, count: 4000))
    let changes =
      input(0, volume: 0.3, pan: 0.2, at: 700) + input(1, enable: 0, at: 701)
      + input(5, volume: -0.5, at: 900) + input(1, enable: 1, at: 2000)
      + [output(volume: 0.7, at: 2100), output(volume: 0, at: 3000), output(volume: 1, at: 4000)]
    expectSame(
      mix(inputs, changes, slicing: slicing), mix(inputs, changes, slicing: Slicing([4096])))
  }

  // MARK: Meters

  private static let meters = [
    Parameter.preAveragePower, Parameter.prePeakHoldLevel, Parameter.postAveragePower,
    Parameter.postPeakHoldLevel,
  ]

  /// Renders with all meters on and returns the levels at the end: for each input and then the
  /// output, for each of the four meters, left and right.
  private func levels(
    _ inputs: [[[Float]]], _ changes: [Change] = [], slicing: Slicing = Slicing([1024]),
    isMetered: Bool = true
  ) -> [[[Float]]] {
    let controls = makeControls(inputCount: inputs.count)
    // The inputs, then the output.
    let elements: [(scope: Scope, element: Int)] =
      inputs.indices.map { (.input, $0) } + [(.output, 0)]
    for (scope, element) in elements {
      let mode = controls.slot(PropertyPlace(.meteringMode, scope, element))
      controls.block[word: mode!] = isMetered ? 1 : 0
    }
    for change in changes { change.make(in: controls) }
    let kernel = MixerKernel(
      sampleRate: 48_000, inputChannelCounts: inputs.map(\.count), controls: controls)
    _ = render(
      .holding(kernel, with: controls.block), inputs: inputs, outputChannelCounts: [2],
      frameCount: inputs[0][0].count, slicing: slicing)
    return elements.map { scope, element in
      Self.meters.map { meter in
        (0..<2).map { (channel: UInt32) in
          controls.block[controls.slot(meter + channel, scope, element)!]
        }
      }
    }
  }

  private func isNear(_ found: Float, _ expected: Double, within tolerance: Double = 0.01) -> Bool {
    abs(Double(found) - expected) < tolerance
  }

  @Test
  func `a full-scale sine reads -3.01 dB on average and 0 dB at its peak`() {
    // After 3 s the error of the 300 ms smoothing is below 0.001 dB. At 375 Hz, a block of 256
    // frames has whole cycles, with a sample at each crest.
    let tone = sine(144_000, frequency: 375, sampleRate: 48_000)
    let found = levels(
      [[tone, tone], [tone]],
      input(0, volume: 0.5, pan: 1) + input(1, volume: 0.1) + [output(volume: 2)])
    let (stereo, mono, output) = (found[0], found[1], found[2])
    let sineAverage = 10 * log10(0.5)
    for channel in 0..<2 {
      #expect(isNear(stereo[0][channel], sineAverage))
      #expect(isNear(stereo[1][channel], 0))
      #expect(isNear(mono[2][channel], sineAverage + 20 * log10(0.1) + sineAverage))
      #expect(isNear(mono[3][channel], 20 * log10(0.1) + sineAverage))
    }
    #expect(isNear(mono[0][0], sineAverage))
    #expect(mono[0][1] == -120 && mono[1][1] == -120)
    #expect(stereo[2][0] == -120 && stereo[3][0] == -120)
    #expect(isNear(stereo[2][1], sineAverage + 20 * log10(0.5)))
    let sum = 0.5 + 0.1 * (0.5).squareRoot()
    #expect(isNear(output[0][1], sineAverage + 20 * log10(sum)))
    #expect(isNear(output[1][1], 20 * log10(sum)))
    #expect(isNear(output[2][1], sineAverage + 20 * log10(2 * sum)))
    #expect(isNear(output[3][1], 20 * log10(2 * sum)))
    #expect(isNear(output[3][0], 20 * log10(0.2) + sineAverage))
  }

  @Test
  func `an average follows with 300 ms, a peak is held for a second and then falls 20 dB a second`()
  {
    var click = [Float](repeating: 0, count: 144_000)
    click[100] = -0.5
    func peak(at frame: Int) -> Float { levels([[Array(click[..<frame])]])[0][1][0] }
    #expect(isNear(peak(at: 48_000), -6.02))
    // During a block of 256 frames, the level falls by 0.11 dB.
    #expect(isNear(peak(at: 96_256), -26.02, within: 0.25))
    #expect(isNear(peak(at: 144_000), -46, within: 0.25))
    let average = levels([[ones(14_336)]])[0][0][0]
    #expect(isNear(average, 10 * log10(1 - exp(-14_336 / 48_000 / 0.3))))
  }

  @Test
  func `a meter that is off, or hears silence, reads its floor`() {
    let tone = sine(4096, frequency: 375, sampleRate: 48_000)
    for element in levels([[tone, tone]], isMetered: false) {
      #expect(element.allSatisfy { $0 == [-120, -120] })
    }
    for element in levels([[[Float](repeating: 0, count: 4096)]]) {
      #expect(element.allSatisfy { $0 == [-120, -120] })
    }
    // With the input disabled, the meter before the volume still shows the level.
    let muted = levels([[tone, tone]], input(0, enable: 0))[0]
    #expect(isNear(muted[1][0], 0))
    #expect(muted[3] == [-120, -120])
  }

  @Test
  func `a meter forgets what is not a number`() {
    var samples = sine(144_000, frequency: 375, sampleRate: 48_000)
    samples[300] = .nan
    samples[301] = .infinity
    let found = levels([[samples]])[0]
    #expect(isNear(found[0][0], 10 * log10(0.5)))
    #expect(isNear(found[1][0], 0))
  }

  @Test(arguments: Slicing.every)
  func `meters do not depend on how a render is cut`(slicing: Slicing) {
    let inputs = [[noise(7000, seed: 1)], [noise(7000, seed: 2), noise(7000, seed: 3)]]
    // The last complete block ends at 6912; the frames after it have no effect.
    #expect(levels(inputs, slicing: slicing) == levels(inputs, slicing: Slicing([4096])))
  }

  @Test
  func `a bus of another width is noticed`() {
    let controls = makeControls(inputCount: 1)
    let kernel = MixerKernel(sampleRate: 48_000, inputChannelCounts: [1], controls: controls)
    let plan = RenderPlan(
      rows: [.init(kernel: .holding(kernel, with: controls.block), inputs: [0], outputs: [1])],
      busChannelCounts: [3, 2], maximumFramesPerSlice: 64)
    #expect(plan.render(frameCount: 64, at: TimeStamp(sampleTime: 0)) == .formatNotSupported)
  }

  /// The peak of the input is known, so that the mixer only multiplies it; in its twin it is not.
  @Test(arguments: [0.5, -2, 0] as [Float])
  func `an only input that gets another format is mixed as that at once`(volume: Float) {
    func makeBox(channelCount: Int) -> KernelBox {
      let controls = makeControls(inputCount: 1)
      for change in input(0, volume: volume, pan: volume < 0 ? 0 : 0.25) {
        change.make(in: controls)
      }
      return .holding(
        MixerKernel(
          sampleRate: 48_000, inputChannelCounts: [channelCount], controls: controls),
        with: controls.block)
    }
    func rendered(_ box: KernelBox, channelCount: Int, isMeasured: Bool) -> [[Float]] {
      let plan = RenderPlan(
        rows: [.init(kernel: box, inputs: [0], outputs: [1])],
        busChannelCounts: [channelCount, 2], maximumFramesPerSlice: 64)
      let bus = plan.bus(0, frameCount: 64)
      for channel in 0..<channelCount {
        for frame in 0..<64 { bus[channel][frame] = Float(frame - 20 * channel) / 64 }
      }
      bus.markSounding()
      if isMeasured { bus.mark(largest: Float(63 / 64.0).bitPattern) }
      #expect(plan.render(frameCount: 64, at: TimeStamp(sampleTime: 0)) == .ok)
      let output = plan.bus(1, frameCount: 64)
      return (0..<2).map { channel in (0..<64).map { output[channel][$0] } }
    }
    let box = makeBox(channelCount: 2)
    for channelCount in [2, 2, 1, 1, 2, 1] {
      expectSame(
        rendered(box, channelCount: channelCount, isMeasured: true),
        rendered(
          makeBox(channelCount: channelCount), channelCount: channelCount, isMeasured: false))
    }
  }

  @Test
  func `a layout of another number of inputs ends the process`() async {
    await #expect(processExitsWith: .failure) {
      let controls = ControlLayout(MultichannelMixer.description, inputCount: 3, outputCount: 1)
      _ = MixerKernel(sampleRate: 48_000, inputChannelCounts: [1], controls: controls)
    }
  }
}
