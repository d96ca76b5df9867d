import AudioTypes
import AudioUnits
import Glibc
import TestSupport
import Testing

/// The decay times of Reverb2, by M. Schroeder's integral (1965).
struct ReverbDecayTests {
  private static let rate = 48_000.0

  /// The content near 0 Hz or, after inverting every other sample, near half the rate: two low
  /// passes of second order at 400 Hz, whose own response is shorter than 3 ms.
  private static func edge(_ samples: [Float], isHigh: Bool) -> [Double] {
    let w = 2 * Double.pi * 400 / rate
    let alpha = sin(w) / 1.3
    var values = samples.indices.map { Double(samples[$0]) * (isHigh && $0 % 2 == 1 ? -1 : 1) }
    for _ in 0..<2 {
      var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
      for index in values.indices {
        let x = values[index]
        let sum = (1 - cos(w)) / 2 * (x + 2 * x1 + x2)
        let y = (sum + 2 * cos(w) * y1 - (1 - alpha) * y2) / (1 + alpha)
        (x2, x1, y2, y1) = (x1, x, y1, y)
        values[index] = y
      }
    }
    return values
  }

  /// The time in which the remaining energy falls by 60 dB, from a straight line through the levels
  /// between -5 and -35 dB.
  private static func decay(_ energy: [Double]) -> Double {
    var left = [Double](repeating: 0, count: energy.count + 1)
    for index in energy.indices.reversed() { left[index] = left[index + 1] + energy[index] }
    var (n, sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for index in energy.indices where left[index] > 0 {
      let y = 10 * log10(left[index] / left[0])
      guard y < -5, y > -35 else { continue }
      let x = Double(index) / rate
      (n, sumX, sumY, sumXX, sumXY) = (n + 1, sumX + x, sumY + y, sumXX + x * x, sumXY + x * y)
    }
    return -60 * (n * sumXX - sumX * sumX) / (n * sumXY - sumX * sumY)
  }

  /// The decay times at both ends, from the total energy of several patterns: a single one has few
  /// modes, which beat.
  private static func decays(
    _ settings: [String: Float], patterns: Int, seconds: Double
  ) throws -> (low: Double, high: Double) {
    let count = Int(seconds * rate)
    var energies = [[Double]](repeating: [Double](repeating: 0, count: count), count: 2)
    for pattern in 1...patterns {
      let bench = try EffectBench(Reverb2.self)
      try bench.set(settings)
      try bench.set(["randomizeReflections": Float(pattern)])
      var impulse = [Float](repeating: 0, count: count)
      impulse[0] = 1
      let sides = try bench.render(
        [impulse, [Float](repeating: 0, count: count)], slicing: Slicing([4096]))
      for side in sides {
        for (index, isHigh) in [false, true].enumerated() {
          for (frame, sample) in edge(side, isHigh: isHigh).enumerated() {
            energies[index][frame] += sample * sample
          }
        }
      }
    }
    return (decay(energies[0]), decay(energies[1]))
  }

  @Test(arguments: 0..<8)
  func `sounds at both ends fall by 60 dB in their decay times, whatever is drawn`(
    number: Int
  ) throws {
    var generator = SplitMix64(seed: 71 + UInt64(number))
    // Distributed uniformly on a logarithmic scale.
    func draw(_ low: Double, _ high: Double) -> Double {
      low * pow(high / low, Double.random(in: 0...1, using: &generator))
    }
    let low = draw(0.3, 3)
    let high = low * draw(0.25, 2)
    let longest = draw(0.03, min(0.1, min(low, high) / 5 + 0.03))
    let shortest = longest * draw(0.1, 0.5)
    let found = try Self.decays(
      [
        "decayTimeAt0Hz": Float(low), "decayTimeAtNyquist": Float(high),
        "minDelayTime": Float(shortest), "maxDelayTime": Float(longest),
      ], patterns: 4, seconds: max(low, high) * 1.1)
    let text = "\(low) s, \(high) s by lines of \(shortest) to \(longest) s: \(found)"
    #expect(abs(found.low / low - 1) < 0.03, "\(text)")
    #expect(abs(found.high / high - 1) < 0.03, "\(text)")
    print(
      "reverb, decay times: \(100 * (found.low / low - 1)) %, \(100 * (found.high / high - 1)) %")
  }

  @Test func `a decay that is over before a line comes back is over, and nothing is no number`()
    throws
  {
    let bench = try EffectBench(Reverb2.self)
    try bench.set([
      "decayTimeAt0Hz": 0.001, "decayTimeAtNyquist": 0.001, "minDelayTime": 0.02,
      "maxDelayTime": 1,
    ])
    let response = try bench.impulseResponse(96_000)
    #expect(response.allSatisfy { $0.isFinite })
    #expect(response.contains { abs($0) > 0.01 })
    // The second passes of the lines.
    #expect(response[49_000...].allSatisfy { abs($0) < 1e-6 })
  }
}
