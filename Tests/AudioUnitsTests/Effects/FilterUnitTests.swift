import AudioTypes
import AudioUnits
import Glibc
import TestSupport
import Testing

/// Compares the single filters with their formulas.
struct FilterUnitTests {
  @Test(arguments: [44_100.0, 96_000.0, 192_000.0])
  func `a low pass has its resonance at its cutoff, and the response that it says`(rate: Double)
    throws
  {
    for (cutoff, resonance) in [(200.0, 0.0), (1000, -3.0103), (6900, 20), (15_000, -20)] {
      let bench = try EffectBench(LowPassFilter.self, channels: 1, rate: rate)
      try bench.set(["cutoffFrequency": Float(cutoff), "resonance": Float(resonance)])
      let response = try bench.impulseResponse(Int(rate) * 2)
      let frequencies = [20, cutoff / 2, cutoff, 2 * cutoff, 0.45 * rate].filter {
        $0 <= 0.45 * rate
      }
      let said = try #require(bench.unit.gains(at: frequencies))
      for (frequency, level) in zip(frequencies, said) where level > -100 {
        let found = gain(of: response, at: frequency, sampleRate: rate)
        #expect(abs(found - level) < 0.001, "\(frequency) Hz of \(cutoff)")
      }
      #expect(abs(said[frequencies.firstIndex(of: cutoff)!] - resonance) < 1e-4)
    }
  }
}

extension FilterUnitTests {
  /// Units with settings, a frequency in hertz, and the gain at that frequency in dB.
  static let levels: [(String, [String: Float], Double, Double)] = [
    ("HighPassFilter", ["cutoffFrequency": 500, "resonance": 6], 500, 6),
    ("HighPassFilter", ["cutoffFrequency": 500, "resonance": -3.0103], 20_000, 0),
    ("BandPassFilter", ["centerFrequency": 1000, "bandwidth": 1200], 1000, 0),
    // 1200 cents are an octave. The edges of the analogue band, 1000 · 2^(±1/2), are hardly warped.
    ("BandPassFilter", ["centerFrequency": 1000, "bandwidth": 1200], 1000 * 2.squareRoot(), -3.02),
    ("LowShelfFilter", ["cutoffFrequency": 200, "gain": -12], 20, -12),
    ("LowShelfFilter", ["cutoffFrequency": 200, "gain": -12], 200, -6),
    ("LowShelfFilter", ["cutoffFrequency": 200, "gain": 40], 10_000, 0),
    ("HighShelfFilter", ["cutoffFrequency": 10_000, "gain": 12], 10_000, 6),
    ("HighShelfFilter", ["cutoffFrequency": 10_000, "gain": 12], 50, 0),
    ("ParametricEQ", ["centerFrequency": 2000, "q": 4, "gain": -20], 2000, -20),
    ("ParametricEQ", ["centerFrequency": 2000, "q": 0.1, "gain": 20], 2000, 20),
  ]

  @Test(arguments: 0..<11)
  func `each filter has the gains that its parameters name`(index: Int) throws {
    let (name, settings, frequency, level) = Self.levels[index]
    let unit = try #require(UnitCatalog.standard.component(named: name)).unit
    let bench = try EffectBench(unit, channels: 1)
    try bench.set(settings)
    let said = try #require(bench.unit.gains(at: [frequency]))[0]
    #expect(abs(said - level) < 0.03, "\(name)")
    let response = try bench.impulseResponse(48_000)
    #expect(abs(gain(of: response, at: frequency, sampleRate: 48_000) - said) < 0.001, "\(name)")
  }

  @Test func `the frequency response is 1024 pairs of a frequency and its gain`() throws {
    let bench = try EffectBench(ParametricEQ.self)
    try bench.set(["gain": 6])
    guard case .doubles(let pairs) = try bench.unit.property(.frequencyResponse) else {
      Issue.record("no response")
      return
    }
    #expect(pairs.count == 2048)
    #expect(abs(pairs[0] - 10) < 1e-9 && abs(pairs[2046] - 24_000) < 1e-6)
    let most = stride(from: 1, to: 2048, by: 2).max { pairs[$0] < pairs[$1] } ?? 1
    #expect(abs(pairs[most] - 6) < 0.001 && abs(pairs[most - 1] / 2000 - 1) < 0.01)
  }
}
