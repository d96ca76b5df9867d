import Foundation
import RenderCore
import TestSupport
import Testing

/// Reads a signal in blocks of 64 frames, with a pace for each block.
private func read(
  _ signal: [Float], blocks: Int, pace: Double = 1, paces: (Int) -> Double,
  delays: (Int) -> Double = { _ in 0 }, chunk: Int = 1000
) -> [Float] {
  let blockLength = 64
  var reader = PacedReader(
    [.init(channelCount: 1, fastest: pace * 4, slowest: pace / 4)],
    blockLength: blockLength, maximumDelay: 100)
  let plan = RenderPlan(rows: [], busChannelCounts: [1, 1], maximumFramesPerSlice: 4096)
  let target = plan.bus(1, frameCount: blockLength)
  var pushed = 0
  var output: [Float] = []
  for block in 0..<blocks {
    let (start, end) = (paces(block), paces(block + 1))
    var need = reader.framesNeeded(0, from: start, until: end)
    while need > 0 {
      let count = min(need, chunk)
      let bus = plan.bus(0, frameCount: count)
      bus.markSounding()
      for frame in 0..<count {
        bus[0][frame] = pushed + frame < signal.count ? signal[pushed + frame] : 0
      }
      let calls = allocations { reader.push(0, bus, frameCount: count) }
      #expect(calls == 0)
      pushed += count
      need -= count
    }
    let calls = allocations {
      reader.read(
        0, channel: 0, reading: 0, from: start, until: end, startDelay: delays(block),
        endDelay: delays(block + 1), into: target[0])
      reader.advance(0, from: start, until: end)
    }
    #expect(calls == 0)
    output += target[0].indices.map { target[0][$0] }
  }
  return output
}

@Suite struct PacedReaderTests {
  @Test func `at a pace of 1 it copies, also some frames late`() {
    let signal = (0..<700).map { Float($0 + 1) }
    #expect(read(signal, blocks: 10) { _ in 1 } == Array(signal[..<640]))
    let late = read(signal, blocks: 10, paces: { _ in 1 }, delays: { _ in 5 })
    let expected: [Float] = Array(repeating: 0, count: 5) + signal[..<635]
    #expect(late == expected)
  }

  /// Reads a sine of `frequency` cycles per frame and compares it with the formula.
  private func expectSine(
    _ frequency: Double, blocks: Int, pace: Double = 1, paces: (Int) -> Double,
    delays: (Int) -> Double = { _ in 0 }, tolerance: Double, chunk: Int = 1000,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let signal = (0..<30_000).map { Float(0.5 * sin(2 * .pi * frequency * Double($0))) }
    let found = read(
      signal, blocks: blocks, pace: pace, paces: paces, delays: delays, chunk: chunk)
    var position = 0.0
    var largest = 0.0
    for block in 0..<blocks {
      let (s, e) = (paces(block), paces(block + 1))
      let (d, f) = (delays(block), delays(block + 1))
      for frame in 0..<64 {
        let n = Double(frame)
        let now = s + (e - s) * n / 64
        let place = position + n * s + n * n * (e - s) / 128 - (d + (f - d) * n / 64) * now
        // The signal is silent before its beginning.
        if place > 300 {
          let expected = 0.5 * sin(2 * .pi * frequency * place)
          largest = max(largest, abs(Double(found[block * 64 + frame]) - expected))
        }
      }
      position += 32 * (s + e)
    }
    #expect(largest < tolerance, sourceLocation: sourceLocation)
  }

  @Test(arguments: [0.25, 0.5, 0.918_75, 1.088_435_374_149_66, 1.5, 2, 4])
  func `at any pace it reads what lies between the frames`(pace: Double) {
    // 90 dB below the sine, at a frequency below half the lower rate.
    for frequency in [0.01, 0.3 / max(1, pace)] {
      expectSine(frequency, blocks: 40, pace: pace, paces: { _ in pace }, tolerance: 1.6e-5)
    }
  }

  @Test func `a pace that changes and a delay that changes are followed`() {
    expectSine(
      0.05, blocks: 60, paces: { 1.2 + 0.6 * sin(Double($0) / 7) }, tolerance: 1e-4)
    expectSine(
      0.05, blocks: 60, paces: { _ in 0.9 }, delays: { 20 + 15 * sin(Double($0) / 5) },
      tolerance: 3e-5)
  }

  @Test(arguments: [1, 3, 64])
  func `it does not matter how the signal is given`(chunk: Int) {
    let signal = (0..<9000).map { Float(sin(Double($0 * $0) / 900)) }
    func run(_ chunk: Int) -> [Float] {
      read(signal, blocks: 60, paces: { 1 + 0.5 * sin(Double($0) / 3) }, chunk: chunk)
    }
    #expect(run(chunk) == run(1000))
  }

  @Test(arguments: [1.5, 2, 3.9])
  func `what does not fit the lower rate does not come through`(pace: Double) {
    // 0.49 cycles per frame is beyond half the lower rate.
    let signal = (0..<20_000).map { Float(sin(2 * .pi * 0.49 * Double($0))) }
    let found = read(signal, blocks: 60, pace: pace) { _ in pace }
    // 80 dB, with the filter for the nearest eighth of an octave.
    #expect(found[400...].allSatisfy { abs($0) < 1e-4 })
  }
}
