import AudioTypes
import Foundation
import RenderCore
import TestSupport
import Testing

/// The words of floats on a dithered bus.
struct DitheredRoundingTests {
  private static let dithers = [Dither.tpdf, .shaped]

  private func words(
    _ samples: [[Float]], _ dither: BusDither, to sample: SampleType = .int16,
    slicing: Slicing = Slicing([1024])
  ) -> [[Double]] {
    let format = StreamFormat(sample, channels: samples.count, sampleRate: 48_000)
    let found = render(
      .holding(DitherKernel(dither, to: format)), inputs: [samples],
      outputChannelCounts: [samples.count], frameCount: samples[0].count, slicing: slicing)[0]
    return found.map { channel in
      channel.map {
        sample.fitsFloat
          ? Double($0) * SampleCoding.scale(sample) : Double(Int32(bitPattern: $0.bitPattern))
      }
    }
  }

  private func tone(_ amplitude: Double, frames: Int) -> [Float] {
    (0..<frames).map { Float(amplitude * sin(2 * .pi * 997 * Double($0) / 48_000)) }
  }

  /// A tone, silence, exact values, and a soft tone.
  private var mixture: [Float] {
    tone(0.1, frames: 5000) + [Float](repeating: 0, count: 30_000)
      + (0..<3000).map { Float($0) / 32_768 } + tone(1e-5, frames: 2000)
  }

  /// The theory of dither: the error has a mean of 0, and the power of rounding (1/12) plus two
  /// uniform distributions (1/12 each).
  @Test(arguments: SampleType.allCases.filter { $0 != .float32 })
  func `the error has no mean and a quarter bit of power`(sample: SampleType) {
    // Few bits, so that the float is exact to a small fraction of a bit.
    let value = 37.3
    let count = 100_000
    let constant = Float(value / SampleCoding.scale(sample))
    let exact = Double(constant) * SampleCoding.scale(sample)
    let errors = words(
      [[Float](repeating: constant, count: count)], BusDither(.tpdf), to: sample)[0]
      .map { $0 - exact }
    #expect(abs(errors.reduce(0, +) / Double(count)) < 5 * 0.5 / Double(count).squareRoot())
    #expect(abs(errors.reduce(0) { $0 + $1 * $1 } / Double(count) - 0.25) < 0.007)
  }

  @Test(arguments: Slicing.every)
  func `the words do not depend on slices`(slicing: Slicing) {
    for dither in Self.dithers {
      let channels = [mixture, Array(mixture.reversed())]
      #expect(
        words(channels, BusDither(dither, seed: 5), slicing: slicing)
          == words(channels, BusDither(dither, seed: 5)))
    }
  }

  @Test(arguments: dithers)
  func `what is exact stays as it is, and a sound is silent half a second behind its end`(
    dither: Dither
  ) {
    let exact = (-32_768...32_767).map { Float($0) / 32_768 }
    let expected: [Double] = (-32_768...32_767).map { Double($0) }
    #expect(words([exact], BusDither(dither))[0] == expected)
    let found = words([mixture], BusDither(dither))[0]
    #expect(found[5000..<28_000].contains { $0 != 0 })
    #expect(found[29_000..<35_000].allSatisfy { $0 == 0 })
    #expect(found[35_000..<38_000].elementsEqual((0..<3000).map(Double.init)))
    #expect(found[38_000...].contains { $0 != 0 })
  }

  @Test(arguments: dithers)
  func `what is too loud is clipped, and what is no number is 0`(dither: Dither) {
    let wild: [Float] = [0.1, 2, -2, .infinity, -.infinity, .nan, 1e30, 0.1]
    let found = words([wild], BusDither(dither))[0]
    #expect(Array(found[1..<7]) == [32_767, -32_768, 32_767, -32_768, 0, 32_767])
    #expect(abs(found[7] - 3276.8) < 20)
  }

  @Test func `each channel and each seed has noise of its own`() {
    let flat = [Float](repeating: 0.3 / 32_768, count: 10_000)
    let one = words([flat, flat], BusDither(.tpdf, seed: 1))
    let other = words([flat, flat], BusDither(.tpdf, seed: 2))
    func correlation(_ left: [Double], _ right: [Double]) -> Double {
      zip(left, right).reduce(0) { $0 + ($1.0 - 0.3) * ($1.1 - 0.3) } / 10_000 / 0.25
    }
    #expect(correlation(one[0], one[0]) > 0.9)
    #expect(abs(correlation(one[0], one[1])) < 0.06)
    #expect(abs(correlation(one[0], other[0])) < 0.06)
    #expect(abs(correlation(one[1], other[0])) < 0.06)
  }

  @Test(arguments: dithers)
  func `dithering makes no heap calls`(dither: Dither) {
    let format = StreamFormat(.fixed824, channels: 2, sampleRate: 48_000)
    let plan = RenderPlan(
      rows: [
        .init(
          kernel: .holding(DitherKernel(BusDither(dither), to: format)), inputs: [0], outputs: [1])
      ],
      busChannelCounts: [2, 2], maximumFramesPerSlice: 512)
    for channel in 0..<2 {
      for frame in 0..<512 { plan.bus(0, frameCount: 512)[channel][frame] = 0.1 }
    }
    plan.bus(0, frameCount: 512).markSounding()
    let calls = allocations { _ = plan.render(frameCount: 512, at: TimeStamp(sampleTime: 0)) }
    #expect(calls == 0)
    #expect(plan.bus(1, frameCount: 512)[0][word: 7] != 0)
  }
}
