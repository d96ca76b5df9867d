import AudioTypes
import Foundation
import RenderCore
import TestSupport
import Testing

/// Two buses that carry frames to a resampler and back.
private func buses(channelCount: Int, maximumFrames: Int) -> RenderPlan {
  RenderPlan(
    rows: [], busChannelCounts: [channelCount, channelCount], maximumFramesPerSlice: maximumFrames)
}

/// Pulls output in slices, pushing exactly the frames of `input` that each slice needs.
private func convert(
  _ resampler: inout PolyphaseResampler, frameCount: Int, slicing: Slicing = Slicing([256]),
  input: (_ channel: Int, _ frame: Int) -> Float, before: (Int) -> Double? = { _ in nil }
) -> [[Float]] {
  let plan = buses(channelCount: resampler.channelCount, maximumFrames: 1 << 15)
  var output = [[Float]](repeating: [], count: resampler.channelCount)
  var (pushed, position) = (0, 0)
  for slice in slicing.cut(frameCount) {
    if let ratio = before(position) { resampler.adjust(ratio: ratio) }
    let need = resampler.inputFramesNeeded(forOutput: slice)
    let source = plan.bus(0, frameCount: need)
    source.markSounding()
    for channel in output.indices {
      for frame in 0..<need { source[channel][frame] = input(channel, pushed + frame) }
    }
    let sink = plan.bus(1, frameCount: slice)
    resampler.push(source, frameCount: need)
    resampler.pull(into: sink, frameCount: slice)
    for channel in output.indices { output[channel] += (0..<slice).map { sink[channel][$0] } }
    pushed += need
    position += slice
  }
  return output
}

private func make(
  _ inputRate: Double, _ outputRate: Double, channels: Int = 1,
  _ quality: PolyphaseResampler.Quality = .normal,
  _ alignment: PolyphaseResampler.Alignment = .lookingAhead, isAdjustable: Bool = false
) -> PolyphaseResampler {
  PolyphaseResampler(
    inputRate: inputRate, outputRate: outputRate, channelCount: channels, quality: quality,
    alignment: alignment, isAdjustable: isAdjustable, maximumInputFrames: 1 << 15,
    maximumOutputFrames: 4096)
}

/// Noise that depends on the index only, so that any part can be computed alone.
private func noise(_ channel: Int, _ frame: Int) -> Float {
  var generator = SplitMix64(seed: UInt64(bitPattern: Int64(frame * 8 + channel)))
  return Float(Int32(truncatingIfNeeded: generator.next() >> 32)) * 0x1p-32
}

private struct Conversion: CustomTestStringConvertible, Sendable {
  var input: Double
  var output: Double
  var testDescription: String { "\(Int(input)) to \(Int(output)) Hz" }

  static let every = [
    Conversion(input: 44100, output: 48000),
    Conversion(input: 48000, output: 44100),
    Conversion(input: 48000, output: 16000),
    Conversion(input: 8000, output: 48000),
    Conversion(input: 44100, output: 96000),
  ]
}

@Suite struct PolyphaseResamplerTests {
  @Test(arguments: Conversion.every, [PolyphaseResampler.Quality.normal, .mastering])
  private func `the pass band is flat and the stop band deep`(
    conversion: Conversion, quality: PolyphaseResampler.Quality
  ) {
    // A sine at each frequency. In the pass band it keeps its level. In the stop band, which starts
    // at half the lower rate, only its image or alias is left.
    let lower = min(conversion.input, conversion.output)
    let passEnd = (quality == .normal ? 0.9 : 0.91) * lower / 2
    let limit = quality == .normal ? -100.0 : -130.0
    var worstRipple = 0.0
    var worstStop = -400.0
    for step in 0...12 {
      let frequency = max(20, passEnd * Double(step) / 12)
      var resampler = make(conversion.input, conversion.output, quality)
      let skip = Int(Double(resampler.lookAhead) * conversion.output / conversion.input) + 8
      let count = skip + 400
      let output = convert(&resampler, frameCount: count) { _, frame in
        Float(sin(2 * Double.pi * frequency / conversion.input * Double(frame)))
      }
      let found = SineFit(output[0][skip...], frequency: frequency, rate: conversion.output)
      let amplitude = found.amplitude
      if abs(decibels(amplitude)) > abs(worstRipple) { worstRipple = decibels(amplitude) }
      // The residual consists of images, each at least as deep as the stop band, and rounding.
      worstStop = max(worstStop, decibels(found.rest / 0.5.squareRoot()))
    }
    if conversion.output < conversion.input {
      for step in 0...12 {
        let from = conversion.output / 2
        let frequency = from + (conversion.input / 2 - from) * Double(step) / 12 * 0.999
        var resampler = make(conversion.input, conversion.output, quality)
        let skip = Int(Double(resampler.lookAhead) * conversion.output / conversion.input) + 8
        let output = convert(&resampler, frameCount: skip + 200) { _, frame in
          Float(sin(2 * Double.pi * frequency / conversion.input * Double(frame)))
        }
        let power = output[0][skip...].reduce(0) { $0 + Double($1) * Double($1) } / 200
        worstStop = max(worstStop, decibels((2 * power).squareRoot()))
      }
    }
    #expect(abs(worstRipple) < (quality == .normal ? 0.01 : 0.001))
    #expect(worstStop < limit)
  }

  @Test(
    arguments: [44100, 44100.5, 48000, 22050, 192000.5],
    [PolyphaseResampler.Quality.normal, .mastering])
  func `a 997 Hz sine keeps its phase and gets no noise`(
    inputRate: Double, quality: PolyphaseResampler.Quality
  ) {
    var resampler = make(inputRate, 48000, quality)
    let skip = Int(Double(resampler.lookAhead) * 48000 / inputRate) + 8
    let output = convert(&resampler, frameCount: skip + 1000) { _, frame in
      Float(sin(2 * Double.pi * 997 / inputRate * Double(frame)))
    }
    // Each sample is the closed form without a delay. The residual is the stop band at some
    // frequencies, and rounding, at -150 dB for floats.
    let found = SineFit(output[0][skip...], frequency: 997, rate: 48000)
    #expect(decibels(abs(found.cosine)) < -120)
    #expect(abs(decibels(found.sine)) < 0.0001)
    #expect(decibels(found.rest / 0.5.squareRoot()) < (quality == .normal ? -115 : -135))
  }

  @Test func `a causal resampler is late by half its filter and needs no look-ahead`() {
    var resampler = make(44100, 48000, .normal, .causal)
    let (latency, lookAhead) = (resampler.latencyFrames, resampler.lookAhead)
    let firstNeed = resampler.inputFramesNeeded(forOutput: 1)
    #expect(latency == lookAhead)
    #expect(firstNeed == 1)
    let delay = Double(resampler.latencyFrames) / 44100
    let skip = resampler.lookAhead * 3
    let output = convert(&resampler, frameCount: skip + 1000) { _, frame in
      Float(sin(2 * Double.pi * 997 / 44100 * Double(frame)))
    }
    var worst = 0.0
    for frame in skip..<skip + 1000 {
      let expected = sin(2 * Double.pi * 997 * (Double(frame) / 48000 - delay))
      worst = max(worst, abs(Double(output[0][frame]) - expected))
    }
    #expect(decibels(worst) < -100)  // The pass band's ripple.
  }

  @Test(arguments: [44100, 44100.5, 48000, 96000])
  func `what an output needs of input is exact`(inputRate: Double) {
    var resampler = make(inputRate, 48000, isAdjustable: true)
    let plan = buses(channelCount: 1, maximumFrames: 4096)
    // With one frame less than needed, the resampler must ask for one.
    var total = 0
    for (index, slice) in Slicing.random(seed: 7).cut(6000).enumerated() where slice <= 1000 {
      if index == 2 { resampler.adjust(ratio: 1.0005) }
      if index == 8 { resampler.adjust(ratio: 0.9995) }
      let need = resampler.inputFramesNeeded(forOutput: slice)
      if need > 0 {
        resampler.push(plan.bus(0, frameCount: need - 1), frameCount: need - 1)
        let rest = resampler.inputFramesNeeded(forOutput: slice)
        #expect(rest == 1)
        resampler.push(plan.bus(0, frameCount: 1), frameCount: 1)
      }
      total += need
      resampler.pull(into: plan.bus(1, frameCount: slice), frameCount: slice)
    }
    #expect(total > 0)
  }

  @Test func `a simple ratio counts in whole numbers`() {
    let resampler = make(44100, 48000)
    // A thousand seconds and one frame need exactly the input up to that time.
    let need = resampler.inputFramesNeeded(forOutput: 48_000_001) - resampler.lookAhead
    #expect(need == 44_100_001)
    let other = make(44100.5, 48000)
    let otherNeed = other.inputFramesNeeded(forOutput: 96_000_001) - other.lookAhead
    #expect(otherNeed == 88_201_001)
  }

  @Test(arguments: Slicing.every)
  func `the output does not depend on how it is cut`(slicing: Slicing) {
    for (inputRate, channels) in [(44100.0, 3), (44100.5, 2)] {
      var whole = make(inputRate, 48000, channels: channels)
      var cut = make(inputRate, 48000, channels: channels)
      let expected = convert(&whole, frameCount: 400, slicing: Slicing([400]), input: noise)
      let isSame = convert(&cut, frameCount: 400, slicing: slicing, input: noise) == expected
      #expect(isSame)
    }
  }

  @Test(arguments: Slicing.every)
  func `the output does not depend on how its input is cut`(slicing: Slicing) {
    var whole = make(48000, 44100)
    let expected = convert(&whole, frameCount: 300, input: noise)
    var resampler = make(48000, 44100)
    let plan = buses(channelCount: 1, maximumFrames: 4096)
    var pushed = 0
    var output: [Float] = []
    for slice in slicing.cut(20_000) where output.count < 300 {
      let source = plan.bus(0, frameCount: slice)
      source.markSounding()
      for frame in 0..<slice { source[0][frame] = noise(0, pushed + frame) }
      resampler.push(source, frameCount: slice)
      pushed += slice
      let sink = plan.bus(1, frameCount: 1)
      while output.count < 300, resampler.inputFramesNeeded(forOutput: 1) == 0 {
        resampler.pull(into: sink, frameCount: 1)
        output.append(sink[0][0])
      }
    }
    let isSame = output == expected[0]
    #expect(isSame)
  }

  @Test(arguments: 0..<40)
  func `any ratio gives the same frames one by one and several periods at once`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let rates = [8000.0, 11025, 16000, 22050, 44100, 48000, 88200, 96000, 192_000]
    let (inputRate, outputRate) = (
      rates.randomElement(using: &random)!, rates.randomElement(using: &random)!
    )
    let channels = Int.random(in: 1...3, using: &random)
    let quality: PolyphaseResampler.Quality =
      [.linear, .normal, .mastering].randomElement(using: &random)!
    // Sound up to here, then silence of some length, then sound.
    let ending = Int.random(in: 0..<2500, using: &random)
    let resumption = ending + Int.random(in: 1..<1500, using: &random)
    let frameCount = 5000
    let slices = Slicing((0..<7).map { _ in Int.random(in: 1..<2600, using: &random) })
    var results: [[[Float]]] = []
    for slicing in [Slicing([1]), slices] {
      var resampler = make(inputRate, outputRate, channels: channels, quality)
      let plan = buses(channelCount: channels, maximumFrames: 1 << 16)
      var output = [[Float]](repeating: [], count: channels)
      var pushed = 0
      for slice in slicing.cut(frameCount) {
        var need = resampler.inputFramesNeeded(forOutput: slice)
        while need > 0 {
          let isSilent = pushed >= ending && pushed < resumption
          let end = pushed < ending ? ending : pushed < resumption ? resumption : Int.max
          let count = min(need, end - pushed, 1 << 15)
          if isSilent {
            resampler.pushSilence(frameCount: count)
          } else {
            let source = plan.bus(0, frameCount: count)
            source.markSounding()
            for channel in 0..<channels {
              for frame in 0..<count { source[channel][frame] = noise(channel, pushed + frame) }
            }
            resampler.push(source, frameCount: count)
          }
          pushed += count
          need -= count
        }
        let sink = plan.bus(1, frameCount: slice)
        let isSilent = resampler.pull(into: sink, frameCount: slice)
        for channel in 0..<channels {
          let frames = (0..<slice).map { sink[channel][$0] }
          if isSilent { #expect(frames.allSatisfy { $0 == 0 }) }
          output[channel] += frames
        }
      }
      results.append(output)
    }
    let isSame = results[0] == results[1]
    #expect(isSame, "\(inputRate) to \(outputRate) Hz, \(channels) channels")
  }

  @Test(arguments: [44100.0, 48000])
  func `an adjustment takes the same frames however the render is cut`(inputRate: Double) {
    var expected: [[Float]] = []
    for slicing in [Slicing([100]), Slicing([1]), Slicing([50, 20, 30, 1, 99, 500, 77])] {
      var resampler = make(inputRate, 48000, isAdjustable: true)
      let output = convert(
        &resampler, frameCount: 1300, slicing: slicing, input: noise,
        before: { $0 == 100 ? 1.002 : $0 == 700 ? 0.999 : nil })
      if expected.isEmpty { expected = output }
      let isSame = output == expected
      #expect(isSame)
    }
  }

  @Test func `equal rates are a copy until the ratio is adjusted`() {
    for alignment in [PolyphaseResampler.Alignment.lookingAhead, .causal] {
      var resampler = make(48000, 48000, channels: 2, .normal, alignment, isAdjustable: true)
      let late = resampler.latencyFrames
      let output = convert(&resampler, frameCount: 500, input: noise)
      for channel in 0..<2 {
        #expect((late..<500).allSatisfy { output[channel][$0] == noise(channel, $0 - late) })
        #expect((0..<late).allSatisfy { output[channel][$0] == 0 })
      }
      resampler.adjust(ratio: 1)
      resampler.adjust(ratio: .nan)
      let before = resampler.isAdjusted
      resampler.adjust(ratio: 1.000001)
      let after = resampler.isAdjusted
      #expect(!before && after)
    }
  }

  @Test(arguments: [44100.0, 48000], [1.0001, 0.9999])
  func `an adjustment is made without a click and then holds`(inputRate: Double, ratio: Double) {
    var resampler = make(inputRate, 48000, isAdjustable: true)
    let output = convert(&resampler, frameCount: 4000) { _, frame in
      Float(sin(2 * Double.pi * 997 / inputRate * Double(frame)))
    } before: {
      $0 == 256 ? ratio : nil
    }
    // Fourth differences reduce a slow sine by 50 dB and preserve a click.
    var worst = 0.0
    for frame in 4..<4000 where frame > 200 {
      let x = output[0][frame - 4...frame].map(Double.init)
      worst = max(worst, abs(x[0] - 4 * x[1] + 6 * x[2] - 4 * x[3] + x[4]))
    }
    let slow = pow(2 * sin(Double.pi * 997 / 48000), 4)
    #expect(worst < slow * 1.01)
    // After 960 frames, the pitch differs by a ten-thousandth and nothing else.
    let found = SineFit(output[0][1300...], frequency: 997 * ratio, rate: 48000)
    #expect(decibels(found.rest / 0.5.squareRoot()) < -125)
  }

  @Test func `an adjustment beyond one in a hundred is clipped`() {
    var resampler = make(48000, 48000, isAdjustable: true)
    _ = convert(&resampler, frameCount: 1000, input: noise, before: { $0 == 0 ? 2 : nil })
    let before = resampler.inputFramesNeeded(forOutput: 10_000)
    #expect((10_000..<10_210).contains(before))
  }

  @Test func `a constant comes out as it went in`() {
    for (input, output) in [(44100.0, 48000.0), (48000, 44100), (44100.5, 48000), (192000, 8000)] {
      var resampler = make(input, output)
      let skip = Int(Double(resampler.lookAhead) * output / input) + 2
      let frames = convert(&resampler, frameCount: skip + 200) { _, _ in 1 }[0][skip...]
      #expect(frames.allSatisfy { decibels(Double(abs($0 - 1))) < -120 })
    }
  }

  @Test func `every ratio there is can be made`() {
    for (input, output) in [
      (1.0, 48000.0), (4800, 100), (11025, 192000), (0.5, 0.25), (1e-3, 1), (44100.1, 100),
    ] {
      var resampler = PolyphaseResampler(
        inputRate: input, outputRate: output, channelCount: 1, maximumInputFrames: 64,
        maximumOutputFrames: 2)
      let plan = buses(channelCount: 1, maximumFrames: 64)
      plan.bus(0, frameCount: 64).markSounding()
      for frame in 0..<64 { plan.bus(0, frameCount: 64)[0][frame] = 1 }
      while resampler.inputFramesNeeded(forOutput: 1) > 0 {
        resampler.push(plan.bus(0, frameCount: 64), frameCount: 64)
      }
      resampler.pull(into: plan.bus(1, frameCount: 1), frameCount: 1)
      #expect(abs(plan.bus(1, frameCount: 1)[0][0] - 0.5) < 0.6)
    }
  }

  @Test func `silence goes in and comes out as silence, and ends where sound begins`() {
    var resampler = make(44100, 48000)
    let plan = buses(channelCount: 1, maximumFrames: 512)
    resampler.pushSilence(frameCount: 500)
    let before = resampler.pull(into: plan.bus(1, frameCount: 300), frameCount: 300)
    let source = plan.bus(0, frameCount: 512)
    source.markSounding()
    for frame in 0..<512 { source[0][frame] = 1 }
    resampler.push(source, frameCount: 512)
    let sink = plan.bus(1, frameCount: 500)
    let during = resampler.pull(into: sink, frameCount: 500)
    #expect(sink[0][499] > 0.99)
    resampler.pushSilence(frameCount: 400)
    resampler.pull(into: plan.bus(1, frameCount: 400), frameCount: 400)
    let after = resampler.pull(into: plan.bus(1, frameCount: 20), frameCount: 20)
    #expect(before && !during && after)
    #expect(plan.bus(1, frameCount: 20)[0][0] == 0)
  }

  @Test func `a reset resampler is as it was made`() {
    var resampler = make(48000, 48000, isAdjustable: true)
    let first = convert(
      &resampler, frameCount: 1200, input: noise, before: { $0 == 0 ? 1.001 : nil })
    resampler.reset()
    let isAdjusted = resampler.isAdjusted
    #expect(!isAdjusted)
    let second = convert(
      &resampler, frameCount: 1200, input: noise, before: { $0 == 0 ? 1.001 : nil })
    let isSame = first == second
    #expect(isSame)
  }

  @Test(arguments: [44100.0, 44100.5, 48000])
  func `converting makes no heap calls`(inputRate: Double) {
    var resampler = make(inputRate, 48000, channels: 3, isAdjustable: true)
    let plan = buses(channelCount: 3, maximumFrames: 4096)
    plan.bus(0, frameCount: 1).markSounding()
    let heapCalls = allocations {
      for slice in 1...40 {
        let need = resampler.inputFramesNeeded(forOutput: slice)
        resampler.push(plan.bus(0, frameCount: need), frameCount: need)
        resampler.pull(into: plan.bus(1, frameCount: slice), frameCount: slice)
        if slice == 30 { resampler.adjust(ratio: 1.0001) }
      }
      resampler.reset()
    }
    #expect(heapCalls == 0)
  }

  @Test func `what is counted of memory grows as its tables do`() {
    func memory(_ inputRate: Double, _ outputRate: Double, isAdjustable: Bool = false) -> Int {
      PolyphaseResampler.memory(
        inputRate: inputRate, outputRate: outputRate, channelCount: 1, quality: .mastering,
        isAdjustable: isAdjustable, maximumInputFrames: 512, maximumOutputFrames: 512)
    }
    // One row for each of 160 phases of a filter of about 200 frames; 1025 rows in the fine table.
    #expect((100_000..<400_000).contains(memory(44_100, 48_000)))
    #expect((800_000..<2_000_000).contains(memory(44_100, 48_000, isAdjustable: true)))
    // The filter for a lower output rate is longer in proportion, and has few phases.
    let down = memory(192_000, 750)
    #expect(down > memory(48_000, 750))
    #expect(down < 16 << 20)
  }
}
