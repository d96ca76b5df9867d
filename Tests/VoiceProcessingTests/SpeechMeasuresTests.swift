import RenderCore
import TestSupport
import Testing

/// Compares the intelligibility with pystoi 0.4.1, a published implementation of the same paper.
@Suite struct SpeechMeasuresTests {
  private static func hashed(_ channel: Int, _ frame: Int) -> Double {
    var word = UInt32(truncatingIfNeeded: frame &* 2 &+ channel) &* 2_654_435_761
    word ^= word >> 15
    word = word &* 2_246_822_519
    return Double(Int(word >> 16) - 32_768) / 32_768
  }

  /// Two seconds of noise that swells like syllables.
  private static func clean(_ sampleRate: Double) -> [Double] {
    (0..<Int(2 * sampleRate)).map { frame in
      let time = Double(frame) / sampleRate
      let swell = 0.5 + 0.5 * renderSine(2 * Double.pi * 4 * time)
      return swell * swell * hashed(0, frame)
        * (1 + 0.5 * renderSine(2 * Double.pi * 1.3 * time))
    }
  }

  @Test(arguments: [
    (10_000, 0.1, 0.9934), (10_000, 0.3, 0.9509), (10_000, 1, 0.6726), (16_000, 0.1, 0.9934),
    (16_000, 0.3, 0.9469), (16_000, 1, 0.6593),
  ])
  func `intelligibility in noise is pystoi's`(rate: Double, noise: Double, expected: Double) {
    let clean = Self.clean(rate)
    let found = SpeechMeasures.intelligibility(
      of: clean.indices.map { Float(clean[$0] + noise * Self.hashed(1, $0)) },
      clean: clean.map { Float($0) }, sampleRate: rate)
    // pystoi uses another filter to convert 16 kHz to 10 kHz.
    #expect(abs(found - expected) < (rate == 10_000 ? 0.001 : 0.01), "\(found)")
  }

  @Test func `intelligibility after clipping is pystoi's`() {
    let clean = Self.clean(10_000)
    let found = SpeechMeasures.intelligibility(
      of: clean.map { Float(min(max($0, -0.05), 0.05)) }, clean: clean.map { Float($0) },
      sampleRate: 10_000)
    #expect(abs(found - 0.5975) < 0.001, "\(found)")
  }

  @Test func `a segmental ratio of known noise is known`() {
    let clean = (0..<16_000).map { Float(0.5 * renderSine(0.3 * Double($0))) }
    let worse = clean.map { $0 * 1.1 }
    // A tenth of the amplitude: 20 dB.
    #expect(
      abs(SpeechMeasures.segmentalRatio(of: worse, clean: clean, sampleRate: 16_000) - 20) < 0.01)
    #expect(SpeechMeasures.segmentalRatio(of: clean, clean: clean, sampleRate: 16_000) == 35)
  }
}
