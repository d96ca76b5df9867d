import Glibc
import SoundMeasures
import TestSupport
import Testing

@Suite struct AlignmentTests {
  /// Random rates, offsets, gains and materials.
  struct Draw: CustomTestStringConvertible {
    var seed: UInt64
    var testDescription: String { "seed \(seed)" }
  }

  @Test(arguments: (0..<40).map { Draw(seed: $0) })
  func `what was moved and scaled is found where it is`(draw: Draw) throws {
    var random = SplitMix64(seed: draw.seed &* 7919)
    let materials = ClosedSound.Material.allCases
    let material = materials[Int(draw.seed) % materials.count]
    let rate = [8000.0, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000][
      Int(draw.seed) / 5 % 8]
    let isNoisy = draw.seed % 3 == 2
    let sound = ClosedSound(
      material, length: Int.random(in: 8000...24_000, using: &random), sampleRate: rate,
      random: &random)
    let offset = Double.random(in: -5...5, using: &random) * rate
    let gain = Double.random(in: -60...20, using: &random)
    let isInverted = Bool.random(using: &random)
    let begin = max(0, -offset) + Double.random(in: 0...3000, using: &random)
    let count = Int(begin) + sound.length + 500
    let factor = pow(10, gain / 20) * (isInverted ? -1 : 1)
    var moved = sound.samples(
      Int(begin + offset) + sound.length + Int.random(in: 1...2000, using: &random),
      from: begin + offset, times: factor)
    let reference = sound.samples(count, from: begin)
    if isNoisy {
      // 60 dB below the sound.
      let energy = moved.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(sound.length)
      let level = Float((energy * 3).squareRoot() * 1e-3)
      for index in moved.indices {
        moved[index] += Float.random(in: -level...level, using: &random)
      }
    }
    let found = try SoundComparison(
      of: Sound(sampleRate: rate, channels: [moved]),
      with: Sound(sampleRate: rate, channels: [reference]), .init(mostOffset: 5))
    #expect((found.offset - offset).magnitude < 0.01)
    #expect((found.gain - gain).magnitude < 0.001)
    #expect(found.isInverted == isInverted)
    // The residual is the noise 60 dB below, or the rounding of floats at the level of the
    // reference.
    #expect(isNoisy ? found.null.relative < -57 : found.null.rms < -140)
  }

  @Test func `of a sound that never ends or changes the next offset is taken`() throws {
    let reference = (0..<30_000).map { Float(sin(2 * .pi * Double($0) / 48)) }
    let moved = (0..<30_000).map { Float(0.5 * sin(2 * .pi * (Double($0) - 103.25) / 48)) }
    let found = try SoundComparison(of: mono(moved), with: mono(reference))
    // 103.25 minus two periods of 48.
    #expect((found.offset - 7.25).magnitude < 1e-4)
    #expect(!found.isInverted)
    #expect(found.null.rms < -140)
  }

  @Test func `of sounds that are cut off in the middle what both have is compared`() throws {
    var random = SplitMix64(seed: 3)
    let sound = ClosedSound(.noise, length: 60_000, sampleRate: 48_000, random: &random)
    let reference = (0..<20_000).map { Float(sound.value(Double($0) + 10_000)) }
    let moved = (0..<14_000).map { Float(sound.value(Double($0) + 13_000.37)) }
    let found = try SoundComparison(of: mono(moved), with: mono(reference))
    #expect((found.offset + 3000.37).magnitude < 1e-4)
    #expect(found.null.rms < -140)
    #expect(found.surplus.map(\.frames) == [0..<3001, 17_001..<20_000])
    #expect(found.surplus.allSatisfy { $0.side == .reference && $0.isMovedOut })
  }

  @Test func `an offset of whole frames leaves nothing of the same samples`() throws {
    var random = SplitMix64(seed: 4)
    let reference = (0..<40_000).map { _ in Float.random(in: -1...1, using: &random) }
    for lag in [-4321, -1, 0, 1, 12_345] {
      let moved =
        lag < 0 ? Array(reference[(-lag)...]) : [Float](repeating: 0, count: lag) + reference
      let found = try SoundComparison(of: mono(moved), with: mono(reference))
      #expect(found.offset == Double(lag))
      #expect(found.gain == 0)
      #expect(found.null.rms == -.infinity && found.worst == nil)
    }
  }

  @Test func `an offset beyond the greatest is not found, and that is said`() throws {
    var random = SplitMix64(seed: 5)
    let reference = (0..<40_000).map { _ in Float.random(in: -1...1, using: &random) }
    let moved = [Float](repeating: 0, count: 600) + reference
    let found = try SoundComparison(
      of: mono(moved), with: mono(reference), .init(mostOffset: 500 / 48_000))
    #expect(found.findings == [.unrelated])
    #expect(found.offset == 0 && found.gain == 0)
  }

  @Test func `a clock that is faster is found by its offset that grows`() throws {
    var random = SplitMix64(seed: 6)
    let sound = ClosedSound(.noise, length: 200_000, sampleRate: 48_000, random: &random)
    let reference = (0..<150_000).map { Float(sound.value(Double($0) + 1000)) }
    // 20 ppm slower: 0.96 frames late after a second.
    let moved = (0..<150_000).map { Float(sound.value(Double($0) / 1.00002 + 1000)) }
    let found = try SoundComparison(of: mono(moved), with: mono(reference))
    let drifts = found.findings.compactMap { finding in
      if case .drifts(let slope) = finding { slope } else { nil }
    }
    #expect(drifts.count == 1 && (drifts[0] - 0.96).magnitude < 0.02, "\(found.findings)")
  }

  private func mono(_ samples: [Float]) -> Sound {
    Sound(sampleRate: 48_000, channels: [samples])
  }
}
