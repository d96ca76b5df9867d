import AudioTypes
import Glibc
import RenderCore
import RenderTaps
import TestSupport
import Testing

@Suite struct MeterTests {
  @Test func `a sine has its amplitude as peak, and 3.01 dB less as RMS`() throws {
    let reading = try measure(
      MeterTap(interval: 0.1), [sine(1000, -20, seconds: 1), sine(1000, 0, seconds: 1)])
    let meter = try #require(reading.meter)
    #expect(meter.frameCount == 48_000)
    for (channel, level) in zip(meter.channels, [-20.0, 0.0]) {
      #expect(near(channel.peak, level, within: 1e-5))
      #expect(near(channel.heldPeak, level, within: 1e-5))
      #expect(near(channel.highestPeak, level, within: 1e-5))
      #expect(near(channel.rms, level - 20 * log10(2.0.squareRoot()), within: 1e-5))
      #expect(near(channel.overallRMS, level - 20 * log10(2.0.squareRoot()), within: 1e-5))
    }
  }

  @Test func `RMS is exact, of the last whole interval and of all`() throws {
    let samples = noise(10_000, amplitude: 1.5, seed: 1)
    let reading = try measure(MeterTap(interval: 0.05), [samples])
    let channel = try #require(reading.meter?.channels.first)
    // 4 intervals of 2400 frames, and 400 more frames.
    func rms(_ samples: some Collection<Float>) -> Double {
      10 * log10(samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count))
    }
    #expect(near(channel.rms, rms(samples[7200..<9600]), within: 1e-12))
    #expect(near(channel.overallRMS, rms(samples), within: 1e-12))
    func peak(_ samples: some Collection<Float>) -> Double {
      20 * log10(Double(samples.map(\.magnitude).max() ?? 0))
    }
    #expect(channel.peak == peak(samples[7200..<9600]))
    #expect(channel.highestPeak == peak(samples))
  }

  @Test func `before the first interval is over, there is what has been heard of it`() throws {
    let reading = try measure(MeterTap(interval: 1), [[0.5, -0.25]])
    let channel = try #require(reading.meter?.channels.first)
    #expect(near(channel.peak, 20 * log10(0.5), within: 1e-12))
    #expect(near(channel.rms, 10 * log10((0.25 + 0.0625) / 2), within: 1e-12))
  }

  @Test func `a held peak stays for as long as it is told to, and falls by 20 dB a second`() throws
  {
    var samples = [Float](repeating: 0, count: 48_000 + 1)
    samples[0] = 0.5
    func held(_ frames: Int) throws -> Double {
      let reading = try measure(MeterTap(hold: 0.5), [Array(samples[..<frames])])
      return try #require(reading.meter?.channels.first).heldPeak
    }
    #expect(try near(held(24_001), 20 * log10(0.5), within: 1e-12))
    #expect(try near(held(24_002), 20 * log10(0.5) - 20.0 / 48_000, within: 1e-9))
    #expect(try near(held(48_001), 20 * log10(0.5) - 10, within: 1e-9))
  }

  @Test(arguments: Slicing.every)
  func `readings are the same however the render was cut`(slicing: Slicing) throws {
    let channels = [noise(20_000, amplitude: 1.5, seed: 2), noise(20_000, amplitude: 1.5, seed: 3)]
    let tap = MeterTap(interval: 0.01, hold: 0.02)
    #expect(
      try measure(tap, channels, slicing: slicing) == measure(tap, channels))
  }

  @Test func `words of 32 bits are read as what they stand for`() throws {
    let words: [Int32] = [0, 1 << 23, -(1 << 24), 3 << 24]
    let reading = try measure(
      MeterTap(), [words.map { Float(bitPattern: UInt32(bitPattern: $0)) }], sample: .fixed824)
    let channel = try #require(reading.meter?.channels.first)
    #expect(near(channel.peak, 20 * log10(3), within: 1e-12))
    #expect(near(channel.rms, 10 * log10((0.25 + 1 + 9) / 4), within: 1e-12))
  }

  @Test func `silence is minus infinity, and what is no number is silence`() throws {
    let reading = try measure(MeterTap(), [[0, 0], [.nan, .infinity]])
    for channel in try #require(reading.meter).channels {
      #expect(channel.peak == -.infinity && channel.rms == -.infinity)
      #expect(channel.overallRMS == -.infinity && channel.heldPeak == -.infinity)
    }
  }

  @Test func `settings that make no sense are refused`() {
    let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    #expect(MeterTap(interval: 0).problems(for: format).map(\.setting) == ["interval"])
    #expect(MeterTap(hold: -1).problems(for: format).map(\.setting) == ["hold"])
    #expect(throws: CallbackProblem.self) {
      try MeterTap(interval: 0).makeSink(for: format, maximumFramesPerSlice: 512)
    }
  }

  @Test func `a reader sees rows that belong together while another thread publishes`() async throws
  {
    let exchange = SnapshotExchange(count: 16)
    let writer = exchange.writer
    #expect(exchange.latest == [Double](repeating: 0, count: 16))
    let publishing = Task.detached {
      var writer = writer
      for round in 1...20_000 {
        for index in 0..<16 { writer.write(Double(round), at: index) }
        writer.publish()
      }
    }
    var last = 0.0
    while last < 20_000 {
      let row = exchange.latest
      #expect(Set(row).count == 1 && row[0] >= last)
      last = row[0]
      await Task.yield()
    }
    await publishing.value
  }
}
