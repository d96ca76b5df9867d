import AudioTypes
import Glibc
import RenderCore
import RenderTaps
import TestSupport
import Testing

@Suite struct SpectrumTests {
  private func read(
    _ tap: SpectrumTap, _ channels: [[Float]], rate: Double = 48_000,
    slicing: Slicing = Slicing([4096])
  ) throws -> SpectrumReading {
    try #require(measure(tap, channels, rate: rate, slicing: slicing).spectrum)
  }

  @Test(arguments: SpectrumWindow.allCases)
  func `a sine in the middle of a bin reads its amplitude`(window: SpectrumWindow) throws {
    let reading = try read(
      SpectrumTap(size: 480, window: window), [sine(1000, -23, seconds: 0.1)])
    #expect(reading.binWidth == 100)
    #expect(reading.recent.levels.count == 241)
    #expect(near(Double(reading.recent.levels[10]), -23, within: 1e-3))
    #expect(near(reading.recent.peakLevel, -23, within: 1e-3))
    #expect(near(try #require(reading.recent.peakFrequency), 1000, within: 3))
    #expect(near(reading.overall.peakLevel, -23, within: 1e-3))
    #expect(reading.frameCount == 4800 && reading.spectrumCount == 19)
  }

  /// The scalloping losses of Harris, 1978, table 1 and, for the flat top, of ISO 18431-2.
  @Test(arguments: [
    (SpectrumWindow.rectangular, 3.922), (.hann, 1.424), (.hamming, 1.751),
    (.blackmanHarris, 0.826), (.flatTop, 0.01),
  ])
  func `a sine halfway between two bins loses what its window says`(
    window: SpectrumWindow, loss: Double
  ) throws {
    let reading = try read(
      SpectrumTap(size: 4800, window: window), [sine(5005, 0, seconds: 0.1)])
    #expect(near(reading.recent.peakLevel, -loss, within: 0.006))
    #expect(
      near(Double(reading.recent.levels[500]), Double(reading.recent.levels[501]), within: 0.01))
  }

  @Test(arguments: [1234.5, 997, 15_003.3])
  func `the frequency of a sine is found between the bins`(frequency: Double) throws {
    let reading = try read(SpectrumTap(), [sine(frequency, -6, seconds: 0.2)])
    let found = try #require(reading.recent.peakFrequency)
    #expect(near(found, frequency, within: reading.binWidth * 0.06))
  }

  @Test func `white noise has its power in the mean of the bins`() throws {
    var generator = SplitMix64(seed: 5)
    let samples = (0..<480_000).map { _ in Float.random(in: -1...1, using: &generator) }
    let reading = try read(SpectrumTap(size: 1024, window: .rectangular, overlap: 0), [samples])
    // By Parseval's theorem, the squared amplitudes of the bins add up to twice the mean square.
    let powers = reading.overall.levels.map { pow(10, Double($0) / 10) }
    let sum = powers[1..<512].reduce(0, +) / 2 + powers[0] + powers[512]
    #expect(near(sum, 1.0 / 3, within: 0.003))
  }

  @Test func `channels are averaged, or one is taken`() throws {
    let channels = [sine(1000, 0, seconds: 0.1), [Float](repeating: 0, count: 4800)]
    let both = try read(SpectrumTap(size: 480), channels)
    #expect(near(both.recent.peakLevel, -10 * log10(2), within: 1e-3))
    let first = try read(SpectrumTap(size: 480, channel: 0), channels)
    #expect(near(first.recent.peakLevel, 0, within: 1e-3))
    let second = try read(SpectrumTap(size: 480, channel: 1), channels)
    #expect(second.recent.peakLevel == -.infinity && second.recent.peakFrequency == nil)
  }

  @Test func `averaging follows with its time constant, and the whole stays in mind`() throws {
    // Ten spectra of a sine, then ten of silence.
    let samples = sine(1000, 0, seconds: 0.1) + [Float](repeating: 0, count: 4800)
    let reading = try read(
      SpectrumTap(size: 480, window: .rectangular, overlap: 0, averaging: 0.05), [samples])
    #expect(reading.spectrumCount == 20)
    #expect(near(reading.recent.peakLevel, 10 * log10(exp(-0.1 / 0.05)), within: 1e-3))
    #expect(near(reading.overall.peakLevel, 10 * log10(0.5), within: 1e-3))
    let last = try read(SpectrumTap(size: 480, overlap: 0), [samples])
    #expect(last.recent.peakLevel == -.infinity)
  }

  @Test(arguments: Slicing.every)
  func `readings are the same however the render was cut`(slicing: Slicing) throws {
    var generator = SplitMix64(seed: 6)
    let channels = (0..<2).map { _ in
      (0..<9999).map { _ in Float.random(in: -1...1, using: &generator) }
    }
    let tap = SpectrumTap(size: 600, window: .flatTop, overlap: 0.7, averaging: 0.1)
    #expect(try read(tap, channels, slicing: slicing) == read(tap, channels))
  }

  @Test func `before there are enough frames there is no spectrum`() throws {
    let reading = try read(SpectrumTap(), [[1, 1]])
    #expect(reading.spectrumCount == 0 && reading.frameCount == 2)
    #expect(reading.recent.levels.isEmpty && reading.overall.peakFrequency == nil)
  }

  @Test func `what is no number does not stay, and a huge sample breaks nothing`() throws {
    var samples = sine(1000, -6, seconds: 0.1)
    samples[10] = .nan
    samples[20] = .greatestFiniteMagnitude
    let reading = try read(SpectrumTap(size: 480, overlap: 0), [samples])
    #expect(near(reading.recent.peakLevel, -6, within: 1e-3))
    let areFinite = reading.overall.levels.allSatisfy(\.isFinite)
    #expect(areFinite)
  }

  @Test func `sizes and channels that do not fit are refused`() {
    let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    let odd = SpectrumTap(size: 1001).problems(for: format)
    #expect(odd.map(\.setting) == ["size"])
    #expect(odd.first?.help == "near by there are 1000 and 1024")
    #expect(SpectrumTap(size: 10).problems(for: format).map(\.setting) == ["size"])
    let channel = SpectrumTap(channel: 2).problems(for: format)
    #expect(channel.map(\.message) == ["the bus has no channel 2"])
    #expect(channel.map(\.help) == ["its channels are 0 to 1"])
  }
}
