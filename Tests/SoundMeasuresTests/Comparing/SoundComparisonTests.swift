import Glibc
import SoundMeasures
import TestSupport
import Testing

@Suite struct SoundComparisonTests {
  private func noise(_ count: Int, seed: UInt64 = 1, _ level: Float = 0.5) -> [Float] {
    TestSupport.noise(count, amplitude: level, seed: seed)
  }

  private func sound(_ channels: [Float]...) -> Sound {
    Sound(sampleRate: 48_000, channels: channels)
  }

  @Test func `of the same bits nothing is left, of one other bit that bit`() throws {
    let reference = sound(noise(10_000), noise(10_000, seed: 2))
    var other = reference
    let same = try SoundComparison(of: other, with: reference, .exact)
    #expect(same.null.rms == -.infinity && same.null.peak == -.infinity)
    #expect(same.isBelow(-1000))
    other.channels[1][4321] = other.channels[1][4321].nextUp
    let found = try SoundComparison(of: other, with: reference, .exact)
    let step = Double(other.channels[1][4321] - reference.channels[1][4321])
    #expect((found.null.peak - 20 * log10(step)).magnitude < 1e-9)
    #expect(found.worstSample?.place == SoundPlace(channel: 1, frames: 4321..<4322))
    #expect(found.worst?.place.channel == 1)
    #expect(found.worst?.place.frames == 3840..<4800)
    #expect(found.channels[0].null.rms == -.infinity)
    #expect(!found.isBelow(-1000) && found.isBelow(-140))
  }

  @Test func `without aligning a late sound is another one`() throws {
    let samples = noise(10_000)
    let late = sound([0] + samples.dropLast())
    let found = try SoundComparison(of: late, with: sound(samples), .exact)
    #expect(found.offset == 0)
    // Two uncorrelated noises of the same power: 3 dB more.
    #expect((found.null.relative - 3).magnitude < 0.3)
    #expect(!found.isBelow(-20))
  }

  @Test func `the level of a difference is what was added, where it was added`() throws {
    let reference = noise(96_000)
    var other = reference
    // A tone with an amplitude of -60 dBFS for 20 ms: an RMS of -63.01 dBFS.
    for frame in 48_000..<48_960 {
      other[frame] += Float(1e-3 * sin(2 * .pi * 1000 * Double(frame) / 48_000))
    }
    let found = try SoundComparison(of: sound(other), with: sound(reference), .exact)
    let worst = try #require(found.worst)
    // The rounding of floats of this size is -150 dBFS.
    #expect((worst.value + 63.0103).magnitude < 0.001)
    #expect(worst.place == SoundPlace(channel: 0, frames: 48_000..<48_960, frequency: 1000))
    // One block of a hundred.
    #expect((found.null.rms + 83.0103).magnitude < 0.001)
    #expect((found.null.peak + 60).magnitude < 0.001)
    #expect(found.overTime.count == 100)
    #expect(found.overTime.filter { $0.difference[0] > -140 }.map(\.frames) == [48_000..<48_960])
    let loudest = found.overFrequency.max { $0.difference < $1.difference }
    #expect(loudest?.frequency == 1000)
    #expect(found.isBelow(-63, peak: -59.9))
    #expect(!found.isBelow(-63.1))
    #expect(!found.isBelow(-60, peak: -60.1))
  }

  @Test func `thirds of an octave add up to the whole`() throws {
    let reference = noise(50_000)
    let silence = [Float](repeating: 0, count: 50_000)
    let found = try SoundComparison(of: sound(silence), with: sound(reference), .exact)
    let sum = found.overFrequency.reduce(0) { $0 + pow(10, $1.reference / 10) }
    // By Parseval's theorem, except for the split of bins at the edges of bands.
    #expect((10 * log10(sum) - found.null.reference).magnitude < 0.1)
    // White noise: a third of an octave has 10 dB more at ten times the frequency.
    let bands = Dictionary(
      uniqueKeysWithValues: found.overFrequency.map { ($0.frequency.rounded(), $0.reference) })
    #expect((try #require(bands[10_000]) - (try #require(bands[1000])) - 10).magnitude < 0.5)
  }

  @Test func `what is upside down, in one channel or in all, is said`() throws {
    let (left, right) = (noise(20_000), noise(20_000, seed: 2))
    let reference = sound(left, right)
    let all = try SoundComparison(of: sound(left.map(-), right.map(-)), with: reference)
    #expect(all.isInverted && all.findings == [.inverted(channels: [])])
    #expect(all.null.rms == -.infinity)
    let one = try SoundComparison(
      of: sound(left, right.map(-)), with: reference, .init(matchesGain: false))
    #expect(!one.isInverted && one.findings == [.inverted(channels: [1])])
    #expect(one.channels.map(\.isInverted) == [false, true])
    #expect(one.channels[0].null.rms == -.infinity)
  }

  @Test func `channels that are changed round are said to be`() throws {
    let (left, right) = (noise(20_000), noise(20_000, seed: 2))
    let found = try SoundComparison(of: sound(right, left), with: sound(left, right))
    #expect(found.findings.contains(.swapped(by: .infinity)))
    #expect(!found.isBelow(-60))
  }

  @Test func `a channel with another gain is found by its own`() throws {
    let (left, right) = (noise(20_000), noise(20_000, seed: 2))
    let found = try SoundComparison(
      of: sound(left, right.map { $0 * 0.5 }), with: sound(left, right), .exact)
    #expect(try #require(found.channels[0].gain) == 0)
    #expect((try #require(found.channels[1].gain) + 6.0206).magnitude < 0.001)
  }

  @Test func `what only one of them has counts, but for what is moved out`() throws {
    let reference = noise(20_000)
    let longer = try SoundComparison(
      of: sound(reference + noise(500, seed: 3)), with: sound(reference), .exact)
    #expect(longer.surplus.map(\.frames) == [20_000..<20_500])
    #expect(longer.null.rms == -.infinity && !longer.isBelow(-60))
    let silent = try SoundComparison(
      of: sound(reference + [Float](repeating: 0, count: 500)), with: sound(reference), .exact)
    #expect(silent.surplus.map(\.peak) == [-.infinity])
    #expect(silent.isBelow(-60))
    let late = try SoundComparison(
      of: sound(noise(500, seed: 3) + reference.dropLast(500)), with: sound(reference))
    #expect(late.offset == 500)
    #expect(late.surplus.count == 2 && late.surplus.allSatisfy(\.isMovedOut))
    #expect(late.isBelow(-60))
  }

  @Test func `what is no number is a difference unless both have it`() throws {
    var reference = noise(10_000)
    reference[100] = .infinity
    var other = reference
    let same = try SoundComparison(of: sound(other), with: sound(reference), .exact)
    #expect(same.unmatched == 0 && same.isBelow(-1000))
    #expect(
      same.findings == [
        .notFinite(.sound, count: 1, first: 100), .notFinite(.reference, count: 1, first: 100),
      ])
    other[7000] = .nan
    let found = try SoundComparison(of: sound(other), with: sound(reference), .exact)
    #expect(found.unmatched == 1 && !found.isBelow(0))
    // Counted as 0, so that other differences are still found.
    #expect((found.null.peak - 20 * log10(Double(reference[7000].magnitude))).magnitude < 1e-6)
  }

  @Test func `silence is like silence and unlike sound`() throws {
    let silence = sound([Float](repeating: 0, count: 5000))
    let both = try SoundComparison(of: silence, with: silence)
    #expect(both.isBelow(-1000) && both.findings.isEmpty)
    let one = try SoundComparison(of: silence, with: sound(noise(5000)))
    #expect(!one.isBelow(-60) && one.findings == [.silent(.sound)])
    let none = try SoundComparison(of: sound([]), with: sound([]))
    #expect(none.isBelow(-1000))
    let nothing = try SoundComparison(of: sound([]), with: sound(noise(5000)))
    #expect(!nothing.isBelow(-60))
  }

  @Test func `sounds with nothing in common are said to have nothing`() throws {
    let found = try SoundComparison(of: sound(noise(50_000)), with: sound(noise(50_000, seed: 9)))
    #expect(found.findings == [.unrelated])
    #expect(found.offset == 0 && found.gain == 0)
  }

  @Test func `other rates and other channels are refused`() {
    let mono = sound(noise(100))
    #expect(throws: SoundComparison.Refusal.channelCounts(1, 2)) {
      try SoundComparison(of: mono, with: sound(noise(100), noise(100)))
    }
    #expect(throws: SoundComparison.Refusal.sampleRates(48_000, 44_100)) {
      try SoundComparison(of: mono, with: Sound(sampleRate: 44_100, channels: mono.channels))
    }
  }
}
