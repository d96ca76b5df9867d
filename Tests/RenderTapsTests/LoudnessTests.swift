import AudioTypes
import Glibc
import RenderCore
import RenderTaps
import TestSupport
import Testing

/// The expected readings are from EBU Tech 3341 (loudness, true peak) and EBU Tech 3342 (range).
/// Their signals are computed here.
@Suite struct LoudnessTests {
  /// Stretches of a 1 kHz sine, equal in all channels, with levels in dBFS and lengths in seconds.
  private func programme(_ parts: [(level: Double, seconds: Double)]) -> [[Float]] {
    let cycle = sine(1000, 0, seconds: 0.001)
    let channel = parts.flatMap { part in
      let amplitude = Float(pow(10, part.level / 20))
      let loud = cycle.map { $0 * amplitude }
      return (0..<Int((part.seconds * 1000).rounded())).flatMap { _ in loud }
    }
    return [channel, channel]
  }

  private static let ranges: [([(Double, Double)], Double)] = [
    ([(-20.0, 20.0), (-30.0, 20.0)], 10.0), ([(-20.0, 20.0), (-15.0, 20.0)], 5.0),
    ([(-40.0, 20.0), (-20.0, 20.0)], 20.0),
    ([(-50.0, 20.0), (-35.0, 20.0), (-20.0, 20.0), (-35.0, 20.0), (-50.0, 20.0)], 15.0),
  ]

  private func read(
    _ channels: [[Float]], rate: Double = 48_000, tap: LoudnessTap = LoudnessTap(),
    slicing: Slicing = Slicing([4096])
  ) throws -> LoudnessReading {
    try #require(measure(tap, channels, rate: rate, slicing: slicing).loudness)
  }

  @Test func `a reading is of all that has come, when nobody has called the service yet`() throws {
    let channels = programme([(-23, 2)])
    let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    let taps: [any RenderTap] = [LoudnessTap(), SpectrumTap()]
    for tap in taps {
      let sink = try tap.makeSink(for: format, maximumFramesPerSlice: 4096)
      let reader = try #require(sink.reader)
      let service = try #require(sink.service)
      _ = render(
        sink.kernel, inputs: [channels], outputChannelCounts: [], frameCount: 96_000)
      let reading = reader.reading
      try service.service(atLeast: 4096)
      try service.finish()
      #expect(reader.reading == reading)
      #expect(service.secondsToSpare(atLeast: 4096) > 0.1)
    }
    let found = try read(channels)
    #expect(near(found.momentary, -23, within: 0.1))
  }

  @Test(arguments: [-23.0, -33])
  func `a steady tone is as loud as it is (Tech 3341, 1 and 2)`(level: Double) throws {
    let reading = try read(programme([(level, 20)]))
    #expect(near(reading.momentary, level, within: 0.1))
    #expect(near(reading.shortTerm, level, within: 0.1))
    #expect(near(reading.integrated, level, within: 0.1))
    #expect(near(reading.highestMomentary, level, within: 0.1))
    #expect(near(reading.highestShortTerm, level, within: 0.1))
    #expect(near(reading.truePeak, level, within: 0.1))
    #expect(near(reading.range, 0, within: 0.1))
    #expect(reading.frameCount == 960_000)
  }

  @Test(arguments: [
    [(-36.0, 10.0), (-23, 60), (-36, 10)],
    [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)],
    [(-26, 20), (-20, 20.1), (-26, 20)],
  ])
  func `what is much softer does not count (Tech 3341, 3 to 5)`(
    parts: [(Double, Double)]
  ) throws {
    let reading = try read(programme(parts.map { (level: $0.0, seconds: $0.1) }))
    #expect(near(reading.integrated, -23, within: 0.1))
  }

  @Test func `five channels weigh as they should (Tech 3341, 6)`() throws {
    let channels = [-28.0, -28, -24, -30, -30].map { sine(1000, $0, seconds: 20) }
    #expect(try near(read(channels).integrated, -23, within: 0.1))
    // With six channels, the fourth is the low-frequency channel, which is not counted.
    let withLow = Array(channels[..<3]) + [sine(40, 0, seconds: 20)] + channels[3...]
    #expect(try near(read(withLow).integrated, -23, within: 0.1))
  }

  @Test(arguments: [
    (4.0, 0.0, 0.5, -6.0), (4, 45, 0.5, -6), (6, 60, 0.5, -6), (8, 67.5, 0.5, -6), (4, 45, 1.41, 3),
  ])
  func `peaks between samples are seen (Tech 3341, 15 to 19)`(
    divisor: Double, degrees: Double, amplitude: Double, expected: Double
  ) throws {
    var channel = sine(
      48_000 / divisor, 20 * log10(amplitude), seconds: 1, phase: degrees / 180 * .pi)
    // A fade-in, since an abrupt start would overshoot.
    for frame in 0..<480 { channel[frame] *= Float(frame) / 480 }
    let reading = try read([channel, channel])
    #expect(reading.truePeak <= expected + 0.2 && reading.truePeak >= expected - 0.4)
    if degrees == 45 {
      // The samples themselves are 3 dB lower.
      let meter = try #require(measure(MeterTap(), [channel]).meter)
      #expect(near(meter.channels[0].highestPeak, expected - 3, within: 0.05))
    }
  }

  @Test(arguments: Self.ranges)
  func `the range is that of Tech 3342, 1 to 4`(
    parts: [(Double, Double)], expected: Double
  ) throws {
    let reading = try read(programme(parts.map { (level: $0.0, seconds: $0.1) }))
    #expect(near(reading.range, expected, within: 1))
  }

  /// The tone is on for 3 s and off for 3 s. The share of the last 3 s that is on varies from 0 to
  /// 1, and the short-term loudness with it. Readings once per second get shares of 1/3, 2/3 and 1
  /// only, which would give 4.8 LU.
  @Test(arguments: [44_100.0, 48_000])
  func `a gated tone has the range that looks ten times a second find`(rate: Double) throws {
    let tone = sine(1000, -20, seconds: 3, rate: rate)
    let silence = [Float](repeating: 0, count: tone.count)
    let channel = (0..<20).flatMap { _ in tone + silence }
    // In tenths of a second. The relative gate, 20 LU below the mean, excludes none.
    let windows = (30...1200).map { end in (end - 30..<end).count { $0 % 60 < 30 } }
    let shares = windows.filter { $0 > 0 }.sorted()
    let loud = shares[Int((Double(shares.count - 1) * 0.95).rounded())]
    let soft = shares[Int((Double(shares.count - 1) * 0.1).rounded())]
    let expected: Double = 10 * log10(Double(loud) / Double(soft))
    #expect(expected > 8)
    let reading = try read([channel, channel], rate: rate)
    // The weighting filter decays for some milliseconds after each edge.
    #expect(near(reading.range, expected, within: 0.1))
  }

  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `997 Hz at full scale in one channel is -3.01 LUFS at each rate`(rate: Double) throws {
    let reading = try read([sine(997, 0, seconds: 4, rate: rate)], rate: rate)
    #expect(near(reading.integrated, -3.01, within: 0.02))
    let dual = try read(
      [sine(997, 0, seconds: 4, rate: rate)], rate: rate, tap: LoudnessTap(dualMono: true))
    #expect(near(dual.integrated - reading.integrated, 20 * log10(2.0.squareRoot()), within: 1e-9))
  }

  @Test func `the highest values stay when it becomes soft`() throws {
    let reading = try read(programme([(-20, 4), (-40, 4)]))
    #expect(near(reading.highestMomentary, -20, within: 0.1))
    #expect(near(reading.highestShortTerm, -20, within: 0.1))
    #expect(near(reading.momentary, -40, within: 0.1) && near(reading.shortTerm, -40, within: 0.1))
  }

  @Test(arguments: Slicing.every)
  func `readings are the same however the render was cut`(slicing: Slicing) throws {
    var generator = SplitMix64(seed: 4)
    let channels = (0..<2).map { _ in
      (0..<12_345).map { _ in Float.random(in: -1...1, using: &generator) }
    }
    #expect(
      try read(channels, rate: 8000, slicing: slicing) == read(channels, rate: 8000))
  }

  @Test func `silence is minus infinity, and what is no number does not stay`() throws {
    let silence = try read([[Float](repeating: 0, count: 48_000)])
    #expect(silence.integrated == -.infinity && silence.momentary == -.infinity)
    #expect(silence.truePeak == -.infinity && silence.range == 0)
    var channel = sine(1000, -20, seconds: 4)
    channel[100] = .nan
    channel[200] = .infinity
    #expect(try near(read([channel, channel]).integrated, -20, within: 0.1))
  }

  @Test func `a bus that it is not defined for is refused`() {
    let tap = LoudnessTap()
    let wide = tap.problems(for: StreamFormat(.float32, channels: 7, sampleRate: 48_000))
    #expect(wide.map(\.kind) == [.formatNotSupported])
    #expect(wide.first?.message == "loudness is defined for 1 to 6 channels; the bus has 7")
    #expect(tap.problems(for: StreamFormat(.float32, channels: 1, sampleRate: 10)).count == 1)
  }
}
