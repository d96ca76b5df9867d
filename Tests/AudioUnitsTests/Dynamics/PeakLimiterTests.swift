import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import TestSupport
import Testing

/// The limiter keeps the ceiling, and does not change a signal below it.
struct PeakLimiterTests {
  /// The latency in frames at 48 kHz with the default look-ahead.
  private let latency = 576 + 32

  private func limited(
    _ signal: [Float], _ settings: [String: Float] = [:], rate: Double = 48_000
  ) throws -> [Float] {
    let bench = try EffectBench(PeakLimiter.self, channels: 1, rate: rate)
    try bench.set(settings)
    return try bench.render([signal + [Float](repeating: 0, count: 4000)])[0]
  }

  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `below the ceiling the sound is late by exactly what the unit says, and the same to the bit`(
    rate: Double
  ) throws {
    let bench = try EffectBench(PeakLimiter.self, rate: rate)
    let value = try bench.unit.property(.latency)
    let frames = Int((0.012 * rate).rounded()) + 32
    #expect(value == .float64(Double(frames) / rate))
    // Noise with peaks between the samples below full scale.
    let signal = noise(20_000, seed: 5).map { $0 * 0.4 }
    let result = try bench.render([signal, signal])
    expectSame(
      result,
      [[Float]](repeating: [Float](repeating: 0, count: frames) + signal.dropLast(frames), count: 2)
    )
  }

  @Test func `latency follows the look-ahead and nothing else`() throws {
    for seconds in [0.001, 0.005, 0.03] {
      let bench = try EffectBench(PeakLimiter.self, channels: 1)
      try bench.unit.setProperty(.lookAhead, to: .float64(seconds))
      try bench.set(["attackTime": 0.03, "decayTime": 0.06, "preGain": 0])
      let frames = Int((seconds * 48_000).rounded()) + 32
      #expect(try bench.unit.property(.latency) == .float64(Double(frames) / 48_000))
      let response = try bench.impulseResponse(4000)
      #expect(response.firstIndex { $0 != 0 } == frames)
      #expect(response[frames] == 1)
    }
  }

  @Test func `a look-ahead that it cannot have is refused`() throws {
    for seconds in [0, 0.0009, 0.031, -1] {
      let bench = try EffectBench(PeakLimiter.self)
      try bench.unit.setProperty(.lookAhead, to: .float64(seconds))
      let found = PeakLimiter.violations(in: bench.unit.configuration())
      #expect(found.map(\.rule) == [UnitRules.propertyFits])
    }
  }

  /// Signals like those of EBU Tech 3341, tests 15 to 23: sines at a quarter and a sixth of the
  /// rate with phases at which samples miss the peak, and single bursts of one cycle.
  private static func peakSignals() -> [(name: String, signal: [Float])] {
    var signals: [(String, [Float])] = []
    let phases: [(Double, Double)] = [
      (0.25, 0), (0.25, 45), (0.25, 67.5), (1.0 / 6, 60), (0.125, 67.5), (0.4, 30), (0.45, 80),
    ]
    for (frequency, phase) in phases {
      for gain in [1.01, 1.413, 4] {
        signals.append(
          (
            "\(frequency) of the rate at \(phase) degrees, \(gain)",
            (0..<6000).map { frame in
              // Faded in and out like in the tests, to avoid clicks.
              let edge = Swift.min(1, Double(Swift.min(frame, 5999 - frame)) / 500)
              return Float(
                gain * edge * sin(2 * .pi * frequency * Double(frame) + phase * .pi / 180))
            }
          ))
      }
    }
    return signals
  }

  @Test func `no true peak is more than a tenth of a decibel above the ceiling, as EBU has it`()
    throws
  {
    var worst = -100.0
    for (name, signal) in Self.peakSignals() {
      for attack: Float in [0.001, 0.012] {
        for ceiling: Float in [0, -1] {
          let result = try limited(signal, ["attackTime": attack, "ceiling": ceiling])
          let over = 20 * log10(truePeak(result)) - Double(ceiling)
          #expect(over < 0.1, "\(name), attack \(attack)")
          worst = max(worst, over)
        }
      }
    }
    print("limiter, EBU signals: \(worst) dB over the ceiling at most")
  }

  /// Random bursts of sines below 0.45 of the rate, with levels of up to +20 dB.
  private static func randomSignal(_ seed: UInt64) -> [Float] {
    var random = SplitMix64(seed: seed)
    var signal = [Double](repeating: 0, count: 2400)
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let frequency = Double.random(in: 0.0005...0.45, using: &random)
      let phase = Double.random(in: 0...(2 * .pi), using: &random)
      let level = pow(10, Double.random(in: -1...1, using: &random))
      let start = Int.random(in: 0..<1800, using: &random)
      let length = Int.random(in: 60...600, using: &random)
      for frame in start..<min(2400, start + length) {
        // A raised cosine, whose spectrum stays near the band.
        let place = Double(frame - start) / Double(length)
        signal[frame] +=
          level * (0.5 - 0.5 * cos(2 * .pi * place))
          * sin(2 * .pi * frequency * Double(frame) + phase)
      }
    }
    return signal.map(Float.init)
  }

  @Test func `nor of a thousand signals at random`() throws {
    var random = SplitMix64(seed: 99)
    var worst = -100.0
    var limitedCount = 0
    for seed in 0..<1000 {
      let signal = Self.randomSignal(UInt64(seed))
      let ceiling = Float.random(in: -6...0, using: &random)
      let result = try limited(
        signal,
        [
          "attackTime": Float.random(in: 0.001...0.03, using: &random),
          "decayTime": Float.random(in: 0.001...0.06, using: &random), "ceiling": ceiling,
        ])
      let limit = pow(10, Double(ceiling) / 20)
      if signal.contains(where: { Double($0.magnitude) > limit }) { limitedCount += 1 }
      let over = 20 * log10(max(1e-9, truePeak(result))) - Double(ceiling)
      #expect(over < 0.1, "signal \(seed)")
      worst = max(worst, over)
    }
    #expect(limitedCount > 500)
    print("limiter, random signals: \(worst) dB over the ceiling at most, \(limitedCount) limited")
  }

  @Test func `the ceiling holds while everything is turned`() throws {
    let bench = try EffectBench(PeakLimiter.self, channels: 1)
    var random = SplitMix64(seed: 4)
    var turns: [Int: [EffectBench.Turn]] = [:]
    for frame in stride(from: 0, to: 96_000, by: 800) {
      turns[frame] = [
        .parameter("attackTime", .random(in: 0.001...0.03, using: &random)),
        .parameter("decayTime", .random(in: 0.001...0.06, using: &random)),
        .parameter("preGain", .random(in: 0...12, using: &random)),
      ]
    }
    let signal = (0..<96_000).map { frame in
      let level = 0.6 + 0.4 * sin(Double(frame) * 0.0003)
      return Float(sin(Double(frame) * 0.05) * level)
    }
    let result = try bench.render([signal], turns: turns)
    #expect(truePeak(result[0]) < pow(10, 0.1 / 20))
    #expect(roughness(result[0].dropFirst(700)) < 0.01)
  }

  @Test func `the gain comes back to a tenth of the reduction in the decay time`() throws {
    // After a step down from 12 dB above the ceiling to 20 dB below it.
    let signal = (0..<24_000).map { frame in
      Float((frame < 12_000 ? 3.9810717 : 0.1) * (frame % 2 == 0 ? 1.0 : 1.0))
    }
    for decay in [0.01, 0.024, 0.06] {
      let result = try limited(signal, ["decayTime": Float(decay), "attackTime": 0.001])
      func reduction(_ frame: Int) -> Double {
        -20 * log10(Double(result[frame + latency] / signal[frame]))
      }
      // The release begins when the last loud frame has left the window, and is measured from a
      // point after that.
      let start = 12_100
      let frames = Int((decay * 48_000).rounded())
      #expect(abs(reduction(start + frames) / reduction(start) - 0.1) < 0.002)
    }
  }

  @Test func `all channels have one gain`() throws {
    let bench = try EffectBench(PeakLimiter.self)
    let loud = (0..<8000).map { Float(2 * sin(Double($0) * 0.03)) }
    let soft = loud.map { $0 * 0.25 }
    let result = try bench.render([loud, soft])
    for frame in 0..<8000 { #expect(abs(result[1][frame] - result[0][frame] * 0.25) < 1e-7) }
  }
}
