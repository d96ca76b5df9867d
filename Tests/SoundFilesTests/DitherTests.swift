import AudioTypes
import Glibc
import TestSupport
import Testing

@testable import SoundFiles

/// The integers of samples in a file.
@Suite struct DitherTests {
  private static let bit = 1.0 / 32768

  /// Converts samples to integers in pieces; several channels are interleaved.
  private func code(
    _ samples: [Double], _ dither: Dither, channels: Int = 1, bits: Int = 16,
    pieces: [Int] = [4096]
  ) -> (words: [Int32], clipping: Clipping?) {
    var coder = IntegerCoder(
      bits: bits, channelCount: channels, sampleRate: 48_000, dither: dither)
    var words: [Int32] = []
    var (first, piece) = (0, 0)
    while first < samples.count {
      let count = min(pieces[piece % pieces.count] * channels, samples.count - first)
      coder.code(samples, first..<first + count)
      words += coder.words
      first += count
      piece += 1
    }
    return (words, coder.clipping)
  }

  private func tone(_ decibels: Double, _ frequency: Double, seconds: Double) -> [Double] {
    let amplitude = pow(10, decibels / 20)
    return (0..<Int(seconds * 48_000)).map {
      amplitude * sin(2 * .pi * frequency * Double($0) / 48_000)
    }
  }

  /// The amplitude of a frequency, in least significant bits.
  private func amplitude(_ words: [Int32], _ frequency: Double) -> Double {
    TestSupport.amplitude(words.map(Double.init), frequency)
  }

  /// The mean power between two frequencies, in squared bits per bin of 10 Hz.
  private func power(_ words: [Double], from low: Double, to high: Double) -> Double {
    var (sum, count) = (0.0, 0.0)
    for start in stride(from: 0, to: words.count - 4799, by: 4800) {
      for frequency in stride(from: low, to: high, by: 130) {
        let found = TestSupport.amplitude(words[start..<start + 4800], frequency)
        sum += found * found / 2
        count += 1
      }
    }
    return sum / count
  }

  /// The theory of dither: the error has a mean of 0, and the power of rounding (1/12) plus two
  /// uniform distributions (1/12 each).
  @Test(arguments: [0.0001, 0.1, 0.25, 0.5, 0.77])
  func `the error of dithered samples has no mean and a quarter bit of power, whatever the sound`(
    offset: Double
  ) {
    let count = 200_000
    let value = 1234 + offset
    let words = code([Double](repeating: value * Self.bit, count: count), .tpdf).words
    let errors = words.map { Double($0) - value }
    let mean = errors.reduce(0, +) / Double(count)
    let power = errors.reduce(0) { $0 + $1 * $1 } / Double(count)
    // Five standard deviations.
    #expect(abs(mean) < 5 * 0.5 / Double(count).squareRoot())
    #expect(abs(power - 0.25) < 0.005)
  }

  @Test(arguments: [Dither.tpdf, .shaped])
  func `a tone below the last bit stays a tone, without harmonics`(dither: Dither) {
    let soft = tone(-100, 1000, seconds: 10)
    // Without dither it is silence, and a little louder it is pulses with harmonics of the same
    // level.
    #expect(code(soft, .none).words.allSatisfy { $0 == 0 })
    let pulses = code(tone(-96, 1000, seconds: 10), .none).words
    #expect(amplitude(pulses, 3000) > 0.8 * amplitude(pulses, 1000))
    let words = code(soft, dither).words
    let expected = pow(10, -5.0) * 32768
    #expect(abs(20 * log10(amplitude(words, 1000) / expected)) < 0.2)
    for harmonic in [2000.0, 3000, 5000, 7000] {
      // The noise in a bin of a tenth of a hertz.
      #expect(amplitude(words, harmonic) < 0.03 * expected)
    }
  }

  @Test func `shaped noise is 10 dB lower where ears are keen, and higher above 16 kHz`() {
    let sound = tone(-40, 997, seconds: 1)
    func noise(_ dither: Dither) -> [Double] {
      zip(code(sound, dither).words, sound).map { Double($0) - $1 * 32768 }
    }
    let (flat, shaped) = (noise(.tpdf), noise(.shaped))
    let keen = power(shaped, from: 2500, to: 4500) / power(flat, from: 2500, to: 4500)
    #expect(10 * log10(keen) < -10)
    #expect(power(shaped, from: 17_000, to: 22_000) > 10 * power(flat, from: 17_000, to: 22_000))
  }

  @Test(arguments: Dither.allCases)
  func `what is exact stays as it is, and silence behind a sound becomes silence`(dither: Dither) {
    var random = SplitMix64(seed: 3)
    let exact = (0..<50_000).map { _ in
      Double(Int.random(in: -32768...32767, using: &random)) * Self.bit
    }
    #expect(code(exact, dither).words.map { Double($0) * Self.bit } == exact)
    let words = code(tone(-20, 440, seconds: 0.1) + [Double](repeating: 0, count: 48_000), dither)
    #expect(words.words[(4800 + 24_000)...].allSatisfy { $0 == 0 })
    // The noise continues for half a second after the sound.
    #expect(words.words[4800..<28_000].contains { $0 != 0 } == (dither != .none))
  }

  @Test(arguments: Dither.allCases)
  func `the integers do not depend on how frames are cut, or on when they are made`(
    dither: Dither
  ) {
    var random = SplitMix64(seed: 8)
    let samples = (0..<30_000).map { index in
      index % 10_000 < 2000 ? 0 : Double.random(in: -1.2...1.2, using: &random)
    }
    let whole = code(samples, dither, channels: 2, bits: 24, pieces: [15_000])
    for pieces in [[1], [7, 480, 1], [1024]] {
      let cut = code(samples, dither, channels: 2, bits: 24, pieces: pieces)
      #expect(cut.words == whole.words && cut.clipping == whole.clipping)
    }
  }

  @Test(arguments: Dither.allCases, [16, 24, 32])
  func `floats have the integers of the same doubles`(dither: Dither, bits: Int) {
    var random = SplitMix64(seed: 9)
    let floats: [Float] = (0..<30_000).map { index in
      // Silent, exact, dithered and clipped blocks.
      switch index / 5000 {
      case 0: return 0
      case 1: return Float(Int.random(in: -32_768...32_767, using: &random)) / 32_768
      case 5: return index % 97 == 0 ? .nan : Float.random(in: -1.2...1.2, using: &random)
      default: return Float.random(in: -1...1, using: &random)
      }
    }
    var coders = (0..<2).map { _ in
      IntegerCoder(bits: bits, channelCount: 2, sampleRate: 48_000, dither: dither)
    }
    coders[0].code(floats, 0..<floats.count)
    coders[1].code(floats.map(Double.init), 0..<floats.count)
    let isSame = coders[0].words == coders[1].words
    #expect(isSame)
    #expect(coders[0].clipping == coders[1].clipping)
  }

  @Test(arguments: Dither.allCases)
  func `what is beyond full scale is clipped, counted and placed`(dither: Dither) {
    var samples = tone(-1, 440, seconds: 0.2)
    #expect(code(samples, dither, channels: 2).clipping == nil)
    samples[2000] = 1.01
    samples[2001] = -1.5
    samples[4000] = .infinity
    samples[4001] = .nan
    samples[4002] = 1
    let found = code(samples, dither, channels: 2)
    #expect(found.clipping == Clipping(sampleCount: 3, firstFrame: 1000))
    #expect(found.words[2000] == 32767 && found.words[2001] == -32768)
    #expect(found.words[4000] == 32767 && found.words[4001] == 0)
  }

  @Test func `clipped stretches that are shaped leave no noise behind`() {
    let loud = tone(20, 100, seconds: 1) + tone(-30, 997, seconds: 1)
    let words = code(loud, .shaped).words
    let expected = tone(-30, 997, seconds: 1)
    let errors = zip(words[48_100...], expected[100...]).map { Double($0) - $1 * 32768 }
    #expect(errors.allSatisfy { $0.magnitude < 40 })
  }
}
