import AudioTypes
import AudioUnits
import Glibc
import TestSupport
import Testing

/// Compares Delay, SampleDelay, Reverb2 and Distortion with their formulas.
struct TimeEffectTests {
  // MARK: Delay

  @Test func `echoes come after whole delays, each softer by the feedback`() throws {
    let bench = try EffectBench(Delay.self, channels: 1)
    try bench.set([
      "wetDryMix": 100, "delayTime": 0.01, "feedback": -50, "lopassCutoff": 192_000,
    ])
    let response = try bench.impulseResponse(4800)
    // The low pass at half the rate has its pole at exp(-π), which spreads each echo over a few
    // frames.
    let pole = exp(-Double.pi)
    #expect(response[..<480].allSatisfy { $0 == 0 })
    for echo in 1...5 {
      let wanted = pow(1 - pole, Double(echo)) * pow(-0.5, Double(echo - 1))
      #expect(abs(Double(response[480 * echo]) - wanted) < 1e-6, "echo \(echo)")
      // The sum of an echo, which the low pass does not change.
      let sum = response[480 * echo..<480 * echo + 200].reduce(0) { $0 + Double($1) }
      #expect(abs(sum - pow(-0.5, Double(echo - 1))) < 1e-6)
    }
  }

  @Test func `a delay that is not mixed in changes nothing, and half of each has the same power`()
    throws
  {
    let input = noise(48_000, seed: 5)
    let dry = try EffectBench(Delay.self, channels: 1)
    try dry.set(["wetDryMix": 0])
    expectSame(try dry.render([input]), [input])
    let half = try EffectBench(Delay.self, channels: 1)
    try half.set([
      "wetDryMix": 50, "delayTime": 0.1, "feedback": 0, "lopassCutoff": 192_000,
    ])
    let result = try half.render([input])[0].dropFirst(4800)
    func power(_ samples: some Sequence<Float>) -> Double {
      samples.reduce(0) { $0 + Double($1) * Double($1) }
    }
    #expect(abs(10 * log10(power(result) / power(input.dropFirst(4800)))) < 0.4)
  }

  @Test func `a time that changes fades, and one that is ramped bends the pitch`() throws {
    let tone = sine(48_000, frequency: 220, sampleRate: 48_000, amplitude: 0.1)
    let bench = try EffectBench(Delay.self, channels: 1)
    try bench.set(["wetDryMix": 100, "delayTime": 0.1, "feedback": 0])
    let result = try bench.render([tone], turns: [20_000: [.parameter("delayTime", 0.1531)]])[0]
    #expect(roughness(result[6000...]) < 3e-4)
    // 20 ms after the change, the echo has the new delay, up to rounding.
    let late = Int((0.1531 * 48_000).rounded())
    for frame in stride(from: 21_100, to: 40_000, by: 997) {
      let pole = exp(-2 * Double.pi * 15_000 / 48_000)
      // A low pass of first order delays a low tone by pole / (1 - pole).
      let wanted =
        0.1 * sin(2 * Double.pi * 220 / 48_000 * (Double(frame - late) - pole / (1 - pole)))
      #expect(abs(Double(result[frame]) - wanted) < 0.002)
    }
  }

  @Test func `what comes back wholly ends all the same`() throws {
    let bench = try EffectBench(Delay.self, channels: 1)
    try bench.set(["wetDryMix": 100, "delayTime": 0.001, "feedback": 100])
    let response = try bench.impulseResponse(96_000)
    #expect(response.suffix(4800).map(abs).max()! < response.prefix(4800).map(abs).max()!)
    guard case .float64(let tail) = try bench.unit.property(.tailTime) else { return }
    #expect(tail > 100 && tail.isFinite)
  }

  @Test func `a sample delay gives every bit, some frames later`() throws {
    let input = [noise(6000, seed: 6), noise(6000, seed: 7)]
    for frames in [0, 1, 14, 4321] {
      let bench = try EffectBench(SampleDelay.self)
      try bench.set(["delayFrames": Float(frames)])
      expectSame(
        try bench.render(input),
        input.map { [Float](repeating: 0, count: frames) + $0.dropLast(frames) })
    }
    let changed = try EffectBench(SampleDelay.self)
    let result = try changed.render(input, turns: [2000: [.parameter("delayFrames", 100)]])
    expectSame([Array(result[0][3000...])], [Array(input[0][2900..<5900])])
  }

  // MARK: Reverb2

  @Test func `the two sides are of one power and not alike, and every pattern is another`() throws {
    let input = noise(96_000, seed: 8)
    func sides(_ pattern: Float) throws -> [[Float]] {
      let bench = try EffectBench(Reverb2.self)
      try bench.set(["randomizeReflections": pattern])
      return try bench.render([input, input])
    }
    let one = try sides(1)
    func product(_ left: [Float], _ right: [Float]) -> Double {
      zip(left, right).reduce(0) { $0 + Double($1.0) * Double($1.1) }
    }
    let powers = one.map { product($0, $0) }
    #expect(abs(10 * log10(powers[0] / powers[1])) < 2)
    #expect(abs(product(one[0], one[1])) / (powers[0] * powers[1]).squareRoot() < 0.2)
    // The output has the energy of the input, except for the rest of the tail.
    #expect(abs(10 * log10(powers[0] / product(input, input))) < 3)
    expectSame(one, try sides(1))
    #expect(try sides(2)[0] != one[0])
  }

  @Test func `a preset sets the parameters, which may be turned afterwards`() throws {
    let bench = try EffectBench(Reverb2.self)
    try bench.set(.property(.presentPreset, .preset(Preset(number: 8, name: "Cathedral"))))
    #expect(try bench.unit.parameter(Reverb2.Parameter.decayTimeAt0Hz, .global, 0) == 5)
    try bench.set(["decayTimeAt0Hz": 2])
    guard case .classInfo(let state) = try bench.unit.property(.classInfo) else { return }
    let other = try EffectBench(Reverb2.self)
    try other.unit.setProperty(.classInfo, to: .classInfo(state))
    #expect(try other.unit.parameter(Reverb2.Parameter.decayTimeAt0Hz, .global, 0) == 2)
    #expect(
      try other.unit.parameter(Reverb2.Parameter.minDelayTime, .global, 0) == Float(0.6 * 0.068))
    guard case .presets(let presets) = try bench.unit.property(.factoryPresets) else { return }
    #expect(presets.count == 13 && presets[12].name == "LargeHall2")
  }

  @Test func `three channels are refused`() throws {
    let unit = UnitInstance(Reverb2.self)
    expectRefused(.formatNotSupported) {
      try unit.setProperty(
        .streamFormat, .input, 0,
        to: .streamFormat(StreamFormat(.float32, channels: 3, sampleRate: 48_000)))
    }
  }

  // MARK: Distortion

  /// A distortion with the given settings only.
  private func plain(_ settings: [String: Float], rate: Double = 48_000) throws -> EffectBench {
    let bench = try EffectBench(Distortion.self, channels: 1, rate: rate)
    try bench.set([
      "delayMix": 0, "decimationMix": 0, "polynomialMix": 0, "ringModMix": 0, "finalMix": 100,
    ])
    try bench.set(settings)
    return bench
  }

  /// The level at a frequency in decibels, relative to a sine of amplitude 1.
  private func level(_ samples: ArraySlice<Float>, _ frequency: Double) -> Double {
    // With a Blackman-Harris window, whose side lobes are at -92 dB.
    let count = samples.count
    var (re, im, sum) = (0.0, 0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let x = 2 * Double.pi * Double(index) / Double(count)
      let window =
        0.35875 - 0.48829 * cos(x) + 0.14128 * cos(2 * x) - 0.01168 * cos(3 * x)
      let phase = 2 * Double.pi * frequency / 48_000 * Double(index)
      re += window * Double(sample) * cos(phase)
      im -= window * Double(sample) * sin(phase)
      sum += window
    }
    return 20 * log10(2 * (re * re + im * im).squareRoot() / sum + 1e-12)
  }

  @Test func `a polynomial makes the overtones of its powers and no others`() throws {
    // So soft that tanh is linear to 1e-5. The square of a sine of 0.01 has an overtone of half its
    // square.
    let bench = try plain([
      "polynomialMix": 100, "linearTerm": 1, "squaredTerm": 20, "cubicTerm": 20,
      "softClipGain": 0,
    ])
    let amplitude = 0.01
    let tone = sine(24_000, frequency: 997, sampleRate: 48_000, amplitude: amplitude)
    let result = try bench.render([tone])[0][12_000...]
    #expect(abs(level(result, 997) - 20 * log10(amplitude * (1 + 0.75 * 20 * 1e-4))) < 0.05)
    #expect(abs(level(result, 1994) - 20 * log10(20 * amplitude * amplitude / 2)) < 0.1)
    #expect(abs(level(result, 2991) - 20 * log10(20 * pow(amplitude, 3) / 4)) < 0.6)
    #expect(level(result, 5000) < -120)
  }

  @Test func `ring modulation leaves the sums and the differences`() throws {
    let bench = try plain([
      "ringModMix": 100, "ringModFreq1": 300, "ringModFreq2": 300, "softClipGain": -40,
    ])
    let tone = sine(24_000, frequency: 2000, sampleRate: 48_000)
    let result = try bench.render([tone])[0][12_000...]
    for frequency in [1700.0, 2300] { #expect(abs(level(result, frequency) + 46.02) < 0.05) }
    #expect(level(result, 2000) < -110)
  }

  @Test(arguments: [(UInt32(1), -60.0), (8, -80)])
  func `overtones beyond half the rate fold back, and hardly at eight times the rate`(
    factor: UInt32, bound: Double
  ) throws {
    let bench = try plain(["softClipGain": 12])
    try bench.set(.property(.oversampling, .uint32(factor)))
    // The third harmonic of 11 kHz is 33 kHz, which aliases to 15 kHz.
    let tone = sine(24_000, frequency: 11_000, sampleRate: 48_000, amplitude: 0.5)
    let result = try bench.render([tone])[0][12_000...]
    if factor == 1 {
      #expect(level(result, 15_000) > bound)
    } else {
      #expect(level(result, 15_000) < bound)
      #expect(abs(level(result, 11_000)) < 6)
    }
    guard case .float64(let latency) = try bench.unit.property(.latency) else { return }
    #expect(Int((latency * 48_000).rounded()) == (factor == 1 ? 0 : 32))
  }

  @Test func `held samples stay for as long as decimation says, rounded to few bits`() throws {
    let bench = try plain([
      "decimation": 50, "decimationMix": 100, "rounding": 100, "softClipGain": -80,
    ])
    try bench.set(.property(.oversampling, .uint32(1)))
    let result = try bench.render([noise(8000, amplitude: 0.9, seed: 9)])[0]
    // 64^0.5 = 8 frames; one bit is a step of 1, times 1e-4, with a slow return to 0.
    for start in stride(from: 4000, to: 6000, by: 8) {
      let held = result[start..<start + 7].map { ($0 * 1e4).rounded() }
      #expect(held.max()! - held.min()! <= 1)
    }
  }

  @Test func `what is not mixed in passes as late as the filters`() throws {
    let bench = try plain(["finalMix": 0])
    let input = noise(3000, seed: 10)
    expectSame(
      try bench.render([input]), [[Float](repeating: 0, count: 32) + input.dropLast(32)])
  }

  @Test func `every preset gives every parameter a value in its range`() throws {
    let bench = try EffectBench(Distortion.self)
    guard case .presets(let presets) = try bench.unit.property(.factoryPresets) else { return }
    #expect(presets.count == 22 && presets[21].name == "SpeechWaves")
    for preset in presets {
      let values = Distortion.parameters(ofPreset: preset.number)
      #expect(values.count == 16, "\(preset.name)")
      for (id, value) in values {
        let info = try #require(bench.unit.parameterInfo(id, .global))
        #expect(info.range.contains(value), "\(preset.name) \(info.key)")
      }
    }
    #expect(Set(presets.map { Distortion.parameters(ofPreset: $0.number) }).count == 22)
  }
}
