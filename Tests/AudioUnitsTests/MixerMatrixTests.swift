import AudioTypes
import AudioUnits
import RenderCore
import TestSupport
import Testing

/// Matrix levels in place of a pan, and the detection of clipping.
struct MixerMatrixTests {
  private let mixer = UnitInstance(MultichannelMixer.self)

  /// Renders a mixer at 48 kHz with one input for each list of channels. Calls `change` at the
  /// given frames.
  private func mix(
    _ inputs: [[[Float]]], slicing: Slicing = Slicing([1024]), at frames: [Int] = [],
    change: (Int) throws -> Void = { _ in }
  ) throws -> [[Float]] {
    try mixer.setProperty(.elementCount, .input, to: .uint32(UInt32(inputs.count)))
    for (element, channels) in inputs.enumerated() {
      try mixer.setProperty(
        .streamFormat, .input, element,
        to: .streamFormat(StreamFormat(.float32, channels: channels.count, sampleRate: 48_000)))
    }
    try mixer.setProperty(.sampleRate, .output, to: .float64(48_000))
    try change(0)
    let kernels = mixer.initialize(mixer.configuration())
    let kernel = try #require(kernels.main)
    let count = inputs[0][0].count
    let ends = slicing.cut(count).reduce(into: [0]) { $0.append($0.last! + $1) }
    let cuts = Set(ends + frames).sorted()
    return render(
      kernel, inputs: inputs, outputChannelCounts: [2], frameCount: count,
      slicing: Slicing(zip(cuts.dropFirst(), cuts).map { $0 - $1 })
    ) { frame in
      if frame > 0, frames.contains(frame) { try? change(frame) }
    }[0]
  }

  private func set(_ levels: [Float], _ element: Int = 0) throws {
    try mixer.setProperty(.matrixLevels, .input, element, to: .floats(levels))
  }

  private func ones(_ count: Int) -> [Float] { [Float](repeating: 1, count: count) }

  // MARK: Levels

  @Test func `levels go from each channel to each side, times the volume`() throws {
    let left = noise(64, seed: 1)
    let right = noise(64, seed: 2)
    let mono = noise(64, seed: 3)
    let result = try mix([[left, right], [mono]]) { _ in
      try set([0.5, -0.25, 2, 0.125])
      try set([0.75, -1], 1)
      try mixer.setParameter(0, .input, 0, to: 0.5)
    }
    for frame in 0..<64 {
      let toLeft = 0.25 * left[frame] + right[frame] + 0.75 * mono[frame]
      let toRight = -0.125 * left[frame] + 0.0625 * right[frame] - mono[frame]
      // -120 dBFS: the floats are added in another order.
      #expect(abs(result[0][frame] - toLeft) < 1e-6)
      #expect(abs(result[1][frame] - toRight) < 1e-6)
    }
  }

  @Test func `levels that say what a pan says sound the same to the bit`() throws {
    let channels = [noise(512, seed: 4), noise(512, seed: 5)]
    for pan: Float in [-1, -0.5, 0, 0.25, 1] {
      let panned = try MixerMatrixTests().mix([channels]) { _ in }
      let unit = MixerMatrixTests()
      let same = try unit.mix([channels]) { _ in try unit.set([1, 0, 0, 1]) }
      expectSame(same, panned)
      let one = MixerMatrixTests()
      let other = MixerMatrixTests()
      let wanted = try one.mix([channels]) { _ in try one.mixer.setParameter(2, .input, 0, to: pan)
      }
      guard case .floats(let levels) = try one.mixer.property(.matrixLevels, .input, 0) else {
        Issue.record("no levels")
        return
      }
      expectSame(try other.mix([channels]) { _ in try other.set(levels) }, wanted)
    }
  }

  @Test func `the last of pan and levels holds`() throws {
    let result = try mix([[ones(4096), ones(4096)]], at: [1024, 2048]) { frame in
      switch frame {
      case 0: try set([0, 0.5, 0.5, 0])
      case 1024: try mixer.setParameter(2, .input, 0, to: 1)
      default: try set([1, 1, 1, 1])
      }
    }
    #expect(result[0][..<1024].allSatisfy { $0 == 0.5 })
    #expect(result[1][..<1024].allSatisfy { $0 == 0.5 })
    #expect(result[0][1504..<2048].allSatisfy { $0 == 0 })
    #expect(result[1][1504..<2048].allSatisfy { $0 == 1 })
    #expect(result[0][2528...].allSatisfy { $0 == 2 })
    #expect(result[1][2528...].allSatisfy { $0 == 2 })
    // A change is a straight line of 10 ms: no step exceeds 1/480 of the change.
    for channel in result {
      let steps = zip(channel.dropFirst(), channel).map { abs($0 - $1) }
      #expect(steps.max()! < 2.0 / 480 + 1e-6)
    }
  }

  @Test func `a pan that a ramp moves takes the levels' place too`() throws {
    let result = try mix([[ones(4096), ones(4096)]], at: [1024, 2048]) { frame in
      switch frame {
      case 0: try set([0, 0.5, 0.5, 0])
      case 1024:
        // As the render thread changes it, without `setParameter`.
        let pan = try mixer.rampControl(2, .input, 0, to: 1)
        pan.block[pan.index] = 1
      default: try set([0.25, 0, 0, 0.25])
      }
    }
    #expect(result[0][..<1024].allSatisfy { $0 == 0.5 })
    #expect(result[0][1504..<2048].allSatisfy { $0 == 0 })
    #expect(result[1][1504..<2048].allSatisfy { $0 == 1 })
    #expect(result[0][2528...].allSatisfy { $0 == 0.25 })
  }

  @Test func `levels read what the pan amounts to until they are set, and again after a pan`()
    throws
  {
    #expect(try mixer.property(.matrixLevels, .input, 0) == .floats([1, 0, 0, 1]))
    try mixer.setParameter(2, .input, 0, to: 0.5)
    #expect(try mixer.property(.matrixLevels, .input, 0) == .floats([0.5, 0, 0, 1]))
    try mixer.setProperty(
      .streamFormat, .input, 1,
      to: .streamFormat(StreamFormat(.float32, channels: 1, sampleRate: 44_100)))
    try mixer.setParameter(2, .input, 1, to: -1)
    #expect(try mixer.property(.matrixLevels, .input, 1) == .floats([1, 0]))
    try set([0.1, 0.2, 0.3, 0.4])
    #expect(try mixer.property(.matrixLevels, .input, 0) == .floats([0.1, 0.2, 0.3, 0.4]))
    try mixer.setParameter(2, .input, 0, to: 0.5)
    #expect(try mixer.property(.matrixLevels, .input, 0) == .floats([0.5, 0, 0, 1]))
    #expect(try mixer.property(.matrixDimensions) == .ids([15, 2]))
  }

  @Test(arguments: Slicing.every)
  func `what is mixed and metered by levels does not depend on how it is cut`(slicing: Slicing)
    throws
  {
    func run(_ slicing: Slicing) throws -> ([[Float]], [Float]) {
      let test = MixerMatrixTests()
      let result = try test.mix(
        [[noise(5000, seed: 6), noise(5000, seed: 7)], [noise(5000, seed: 8)]],
        slicing: slicing, at: [1024, 3072]
      ) { frame in
        if frame == 0 {
          try test.mixer.setProperty(.meteringMode, .input, 0, to: .uint32(1))
          try test.set([0.5, 0.25, -0.25, 0.5])
        } else if frame == 1024 {
          try test.set([0.1, 0.9, 0.3, -0.2])
          try test.set([1, 0.5], 1)
        } else {
          try test.mixer.setParameter(2, .input, 0, to: 0.5)
        }
      }
      let meters = try [UInt32](arrayLiteral: 1000, 1001, 2000, 2001, 3000, 3001, 4000, 4001).map {
        try test.mixer.parameter($0, .input, 0)
      }
      return (result, meters)
    }
    let (result, meters) = try run(slicing)
    let (wanted, wantedMeters) = try run(Slicing([4096]))
    expectSame(result, wanted)
    #expect(meters == wantedMeters)
  }

  @Test func `post meters of an input show what it adds to each side of the mix`() throws {
    _ = try mix([[ones(48_000), ones(48_000)]], slicing: Slicing([4096])) { _ in
      try mixer.setProperty(.meteringMode, .input, 0, to: .uint32(1))
      try set([0.5, 0, 0.5, 0.1])
    }
    #expect(try mixer.parameter(2000, .input, 0) == 0)
    // The left side of the mix has half of each, together 1. The right side has a tenth of one: -20
    // dB.
    #expect(try mixer.parameter(4000, .input, 0) == 0)
    #expect(abs(try mixer.parameter(4001, .input, 0) + 20) < 1e-4)
  }

  @Test func `levels fit the channels, or are refused`() throws {
    expectRefused(.invalidPropertyValue) { try set([1, 2, 3, 4, 5]) }
    expectRefused(.invalidPropertyValue) { try set([1, .nan]) }
    expectRefused(.invalidPropertyValue) { try set([1, .infinity]) }
    expectRefused(.invalidScope) {
      try mixer.setProperty(.matrixLevels, .output, 0, to: .floats([1, 0]))
    }
    // The number of channels is not yet known, so `initialize` reports the error.
    try set([1, 0])
    var configuration = mixer.configuration()
    configuration.inputs[0].use = .callback
    let found = MultichannelMixer.violations(in: configuration)
    #expect(found.first?.rule == UnitRules.propertyFits)
    #expect(found.first?.status == .invalidPropertyValue)
    // Once it is known, the error is immediate.
    _ = mixer.initialize(mixer.configuration())
    expectRefused(.invalidPropertyValue) { try set([1, 0]) }
    try set([1, 0, 0, 1])
  }

  // MARK: Clipping

  @Test func `clipping tells the peak since it was last read, behind the output's volume`() throws {
    var samples = noise(4096, amplitude: 0.25, seed: 9)
    samples[700] = -3.5
    _ = try mix([[samples, samples]], slicing: Slicing([333])) { _ in
      try mixer.setParameter(0, .output, 0, to: 0.5)
    }
    #expect(
      try mixer.property(.meterClipping)
        == .clipping(
          MeterClipping(peakValueSinceLastCall: 1.75, sawInfinity: false, sawNotANumber: false)))
    #expect(
      try mixer.property(.meterClipping)
        == .clipping(
          MeterClipping(peakValueSinceLastCall: 0, sawInfinity: false, sawNotANumber: false)))
  }

  @Test(arguments: [(Float.infinity, true, false), (-.infinity, true, false), (.nan, false, true)])
  func `clipping tells infinities from what is not a number, and goes on`(
    bad: Float, infinite: Bool, notANumber: Bool
  ) throws {
    var samples = [Float](repeating: 0.5, count: 1000)
    samples[300] = bad
    _ = try mix([[samples, [Float](repeating: -0.75, count: 1000)]])
    #expect(
      try mixer.property(.meterClipping)
        == .clipping(
          MeterClipping(
            peakValueSinceLastCall: 0.75, sawInfinity: infinite, sawNotANumber: notANumber)))
  }

  /// A mixer of one input takes its peak from that of the mixer before it, and looks at no sample.
  @Test(arguments: [[512], [100, 7, 405]])
  func `mixers in series each tell their own peak`(lengths: [Int]) throws {
    let volumes: [(input: Float, output: Float)] = [
      (0.7, 1), (0.31, 1), (-1.9, 1), (0.6, 0.55), (1.3, 1), (1, 1),
    ]
    let mixers = try volumes.map { volume in
      let mixer = UnitInstance(MultichannelMixer.self)
      let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
      try mixer.setProperty(.elementCount, .input, to: .uint32(1))
      try mixer.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
      try mixer.setProperty(.sampleRate, .output, to: .float64(48_000))
      try mixer.setParameter(0, .input, 0, to: volume.input)
      try mixer.setParameter(0, .output, 0, to: volume.output)
      return mixer
    }
    let rows = try mixers.enumerated().map { index, mixer in
      RenderPlan.Row(
        kernel: try #require(mixer.initialize(mixer.configuration()).main), inputs: [index],
        outputs: [index + 1])
    }
    let plan = RenderPlan(
      rows: rows, busChannelCounts: [Int](repeating: 2, count: mixers.count + 1),
      maximumFramesPerSlice: 512)
    var samples = noise(2048, amplitude: 0.75, seed: 4)
    // What is below the smallest number after a gain, and the largest of its slice.
    samples[3] = -Float.leastNonzeroMagnitude
    samples[1700] = -0.99
    var peaks = [Float](repeating: 0, count: mixers.count)
    var position = 0
    while position < samples.count {
      for length in lengths {
        let slice = samples[position..<position + length]
        let input = plan.bus(0, frameCount: length)
        for (frame, sample) in slice.enumerated() {
          input[0][frame] = sample
          input[1][frame] = sample / 2
        }
        input.markSounding()
        #expect(plan.render(frameCount: length, at: TimeStamp(sampleTime: Double(position))) == .ok)
        var expected = Array(slice)
        for (index, volume) in volumes.enumerated() {
          expected = expected.map { (0 + $0 * volume.input) * volume.output }
          peaks[index] = max(peaks[index], expected.map(\.magnitude).max() ?? 0)
        }
        let found = plan.bus(mixers.count, frameCount: length)[0]
        #expect(found.indices.allSatisfy { found[$0].bitPattern == expected[$0].bitPattern })
        position += length
      }
    }
    for (mixer, peak) in zip(mixers, peaks) {
      #expect(
        try mixer.property(.meterClipping)
          == .clipping(
            MeterClipping(peakValueSinceLastCall: peak, sawInfinity: false, sawNotANumber: false)))
    }
  }

  @Test func `clipping is read, not set`() {
    expectRefused(.propertyNotWritable) {
      try mixer.setProperty(
        .meterClipping,
        to: .clipping(
          MeterClipping(peakValueSinceLastCall: 0, sawInfinity: false, sawNotANumber: false)))
    }
    expectRefused(.invalidScope) { _ = try mixer.property(.meterClipping, .output, 0) }
  }
}
