import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import TestSupport
import Testing

/// Compares the dynamics processor with the formulas of its description.
struct DynamicsProcessorTests {
  private func level(_ value: Double) -> Double { 20 * log10(abs(value)) }

  /// The static curve in decibels.
  private func curve(
    _ x: Double, threshold: Double, headRoom: Double, ratio: Double, lower: Double
  ) -> Double {
    if x > threshold { return threshold + headRoom * (1 - exp(-(x - threshold) / headRoom)) }
    return x < lower ? lower + ratio * (x - lower) : x
  }

  @Test(arguments: [
    (-20.0, 5.0, 2.0, -80.0), (-40, 0.5, 4, -60), (0, 20, 10, -50), (-30, 40, 1, -70),
  ])
  func `the static curve is the closed form's, from -90 to +20 dB`(
    threshold: Double, headRoom: Double, ratio: Double, lower: Double
  ) throws {
    var worst = 0.0
    for x in stride(from: -90.0, through: 20, by: 5) {
      let bench = try EffectBench(DynamicsProcessor.self, channels: 1)
      try bench.set([
        "threshold": Float(threshold), "headRoom": Float(headRoom), "expansionRatio": Float(ratio),
        "expansionThreshold": Float(lower), "attackTime": 0.001, "releaseTime": 0.5,
      ])
      // 1003 Hz does not divide the sample rate, so that some samples are at the crest. The
      // reduction below the expansion threshold takes the release time, which the test waits for.
      let signal = (0..<(x < lower && ratio > 1 ? 288_000 : 96_000)).map {
        Float(pow(10, x / 20) * sin(2 * .pi * 1003 * Double($0) / 48_000))
      }
      let result = try bench.render([signal])[0]
      let expected = curve(
        x, threshold: threshold, headRoom: headRoom, ratio: ratio, lower: lower)
      guard expected > -140 else { continue }
      let found = level(Double(result.suffix(9600).map(\.magnitude).max() ?? 0))
      #expect(abs(found - expected) < 0.1, "\(x) dB")
      worst = max(worst, abs(found - expected))
    }
    print("dynamics, static curve: \(worst) dB off at most")
  }

  @Test(arguments: [0.0005, 0.01, 0.2], [0.01, 0.05, 1])
  func `attack and release are the times to 63 %`(attack: Double, release: Double) throws {
    let bench = try EffectBench(DynamicsProcessor.self, channels: 1)
    try bench.set([
      "threshold": -30, "headRoom": 1, "attackTime": Float(attack), "releaseTime": Float(release),
      "expansionRatio": 1,
    ])
    // A constant level with a step of 20 dB up and down, always above the threshold.
    let rise = 4800
    let fall = rise + Int(12 * attack * 48_000) + 4800
    let count = fall + Int(2 * release * 48_000) + 480
    let signal = (0..<count).map { Float($0 >= rise && $0 < fall ? 0.1 : 0.001) }
    let result = try bench.render([signal])[0]
    func gain(_ frame: Int) -> Double {
      level(Double(result[frame])) - level(Double(signal[frame]))
    }
    func time(from start: Int, to end: Int) -> Double {
      let target = gain(start - 1) + (1 - exp(-1)) * (gain(end) - gain(start - 1))
      let isFalling = gain(end) < gain(start - 1)
      let frame = (start..<end).first { isFalling ? gain($0) <= target : gain($0) >= target } ?? 0
      // Interpolates between frames.
      let before = frame == start ? gain(start - 1) : gain(frame - 1)
      let part = (target - before) / (gain(frame) - before)
      return (Double(frame - start) + part) / 48_000
    }
    #expect(abs(time(from: rise, to: fall - 1) / attack - 1) < 0.02)
    // The release goes to no reduction at all, whose end the test does not wait for.
    let whole = gain(fall - 1)
    let frame = (fall..<count).first { gain($0) >= whole * exp(-1) } ?? 0
    let part = (whole * exp(-1) - gain(frame - 1)) / (gain(frame) - gain(frame - 1))
    #expect(abs((Double(frame - fall) + part) / 48_000 / release - 1) < 0.02)
  }

  @Test(arguments: [(50.0, 0.5), (50, 0.05), (20, 3), (4, 0.05)])
  func `a steady sound below the expansion threshold has its reduction, at the highest ratio too`(
    ratio: Double, release: Double
  ) throws {
    var worst = 0.0
    // Reductions of up to 86 dB.
    for below in stride(from: 0.25, through: 1.75, by: 0.25) {
      let bench = try EffectBench(DynamicsProcessor.self, channels: 1)
      try bench.set([
        "threshold": 20, "expansionRatio": Float(ratio), "expansionThreshold": -40,
        "attackTime": 0.001, "releaseTime": Float(release),
      ])
      let x = -40 - below
      let count = 48_000 + Int(8 * release * 48_000)
      let signal = (0..<count).map {
        Float(pow(10, x / 20) * sin(2 * .pi * 1003 * Double($0) / 48_000))
      }
      let result = try bench.render([signal])[0]
      let found = level(Double(result.suffix(9600).map(\.magnitude).max() ?? 0))
      worst = max(worst, abs(found - (-40 - ratio * below)))
    }
    #expect(worst < 0.02, "\(worst) dB")
    print("dynamics, expander of ratio \(ratio), release \(release) s: \(worst) dB off at most")
  }

  @Test(arguments: [0.0005, 0.01, 0.2], [0.01, 0.05, 1])
  func `the expander opens in the attack and closes in the release, to 63 %`(
    attack: Double, release: Double
  ) throws {
    let bench = try EffectBench(DynamicsProcessor.self, channels: 1)
    try bench.set([
      "threshold": 20, "expansionRatio": 5, "expansionThreshold": -40,
      "attackTime": Float(attack), "releaseTime": Float(release),
    ])
    // First 5 dB below the threshold, then above it, then below again.
    let rise = Int(10 * release * 48_000) + 480
    let fall = rise + Int(16 * attack * 48_000) + 4800
    let count = fall + Int(3 * release * 48_000) + 480
    let signal = (0..<count).map { Float($0 >= rise && $0 < fall ? 0.1 : pow(10, -45.0 / 20)) }
    let result = try bench.render([signal])[0]
    func reduction(_ frame: Int) -> Double {
      level(Double(signal[frame])) - level(Double(result[frame]))
    }
    let whole = reduction(rise - 1)
    #expect(abs(whole - 20) < 0.01)
    func time(from start: Int, _ isThere: (Double) -> Bool, _ target: Double) -> Double {
      let frame = (start..<count).first { isThere(reduction($0)) } ?? 0
      let before = frame == start ? (target > 10 ? 0 : whole) : reduction(frame - 1)
      let part = (target - before) / (reduction(frame) - before)
      return (Double(frame - start) + part) / 48_000
    }
    let opened = whole * exp(-1)
    #expect(abs(time(from: rise, { $0 <= opened }, opened) / attack - 1) < 0.02)
    let closed = whole * (1 - exp(-1))
    #expect(abs(time(from: fall, { $0 >= closed }, closed) / release - 1) < 0.02)
  }

  @Test func `with the threshold at its top and no expansion every bit passes`() throws {
    let bench = try EffectBench(DynamicsProcessor.self)
    try bench.set(["threshold": 20, "expansionRatio": 1])
    let input = [noise(9000, seed: 1), noise(9000, seed: 2)]
    expectSame(try bench.render(input), input)
  }

  @Test func `the meters say what is reduced, what comes in and what goes out`() throws {
    let bench = try EffectBench(DynamicsProcessor.self)
    try bench.set(["threshold": -26, "headRoom": 6, "overallGain": 3, "releaseTime": 1])
    let signal = [Float](repeating: 0.5, count: 48_000)
    let result = try bench.render([signal, signal.map { $0 / 2 }])
    func meter(_ id: UInt32) throws -> Double { Double(try bench.unit.parameter(id, .global, 0)) }
    let output = level(Double(result[0][47_999]))
    #expect(abs(try meter(2000) - level(0.5)) < 0.001)
    #expect(abs(try meter(3000) - output) < 0.001)
    #expect(abs(try meter(1000) - (level(0.5) + 3 - output)) < 0.001)
    // Both channels have the same gain.
    #expect(result[1][47_999] * 2 == result[0][47_999])
  }

  @Test func `a key decides about the gain of the sound`() throws {
    let unit = UnitInstance(DynamicsProcessor.self)
    try unit.setProperty(.elementCount, .input, 0, to: .uint32(2))
    let stereo = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    let mono = StreamFormat(.float32, channels: 1, sampleRate: 48_000)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(stereo))
    try unit.setProperty(.streamFormat, .input, 1, to: .streamFormat(mono))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(stereo))
    try unit.setParameter(0, .global, 0, to: -40)
    try unit.setParameter(1, .global, 0, to: 10)
    try unit.setParameter(2, .global, 0, to: 1)
    try unit.setParameter(5, .global, 0, to: 1)
    let kernel = try #require(unit.initialize(unit.configuration()).main)
    let count = 20_000
    let music = noise(count, seed: 3)
    let voice = (0..<count).map { Float($0 < 10_000 ? 0 : 0.1) }
    let result = render(
      kernel, inputs: [[music, music], [voice]], outputChannelCounts: [2], frameCount: count)[0]
    // Without a voice the music is unchanged. With a voice of -20 dB it has the reduction for -20
    // dB.
    #expect(Array(result[0].prefix(10_000)) == Array(music.prefix(10_000)))
    let expected = -40 + 10 * (1 - exp(-2.0)) + 20
    for frame in 19_000..<20_000 where music[frame].magnitude > 0.01 {
      #expect(abs(level(Double(result[0][frame] / music[frame])) - expected) < 0.01)
    }
  }

  @Test func `a key is warned of, and has the rate of the sound`() throws {
    let unit = UnitInstance(DynamicsProcessor.self)
    try unit.setProperty(.elementCount, .input, 0, to: .uint32(2))
    for input in 0..<2 { unit.setUse(.callback, .input, input) }
    #expect(
      DynamicsProcessor.violations(in: unit.configuration()).map(\.rule) == [UnitRules.keyInput])
    try unit.setProperty(.sampleRate, .input, 1, to: .float64(48_000))
    #expect(
      DynamicsProcessor.violations(in: unit.configuration()).map(\.rule) == [
        UnitRules.effectFormats
      ])
  }
}
