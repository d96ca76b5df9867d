import AudioTypes
import TestSupport
import Testing

@testable import RenderCore

/// Writes its number plus the sum of its inputs.
private struct Summer: RenderKernel {
  let number: Float

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    for element in 0..<context.outputCount {
      let output = context.output(element)
      for channel in 0..<output.channelCount {
        for frame in 0..<context.frameCount {
          var sum = number
          for input in 0..<context.inputCount {
            let bus = context.input(input)
            sum += bus[channel % bus.channelCount][frame] * Float(input + 2)
          }
          output[channel][frame] = sum
        }
      }
    }
    return .ok
  }
}

@Suite struct BusMemoryTests {
  /// Random rows that read buses written before, or silent ones.
  private func rows(_ random: inout SplitMix64) -> (rows: [RenderPlan.Row], counts: [Int]) {
    let busCount = Int.random(in: 3...14, using: &random)
    let counts = (0..<busCount).map { _ in Int.random(in: 1...3, using: &random) }
    var rows: [RenderPlan.Row] = []
    for number in 0..<Int.random(in: 1...16, using: &random) {
      let inputs = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Int.random(in: 1..<busCount, using: &random)
      }
      let others = (1..<busCount).filter { !inputs.contains($0) }
      guard let output = others.randomElement(using: &random) else { continue }
      rows.append(
        .init(
          kernel: .holding(Summer(number: Float(number))), inputs: inputs,
          outputs: [output]))
    }
    rows.append(
      .init(
        kernel: .holding(Summer(number: 0)), inputs: Array(1..<busCount), outputs: [0]))
    return (rows, counts)
  }

  private func played(_ plan: borrowing RenderPlan, slices: Int) -> [Float] {
    var heard: [Float] = []
    for slice in 0..<slices {
      #expect(
        plan.render(frameCount: 3, at: TimeStamp(sampleTime: Double(slice * 3))) == .ok)
      let bus = plan.bus(0, frameCount: 3)
      for channel in 0..<bus.channelCount { heard += (0..<3).map { bus[channel][$0] } }
    }
    return heard
  }

  @Test func `a plan plays the same whether its buses share memory or not`() {
    for seed in 0..<300 {
      var random = SplitMix64(seed: UInt64(seed))
      let (rows, counts) = rows(&random)
      let apart = RenderPlan(rows: rows, busChannelCounts: counts, maximumFramesPerSlice: 16)
      let shared = RenderPlan(
        rows: rows, busChannelCounts: counts, maximumFramesPerSlice: 16, keeping: [0])
      #expect(played(apart, slices: 3) == played(shared, slices: 3), "seed \(seed)")
    }
  }

  @Test func `a chain of a thousand rows takes the memory of two buses`() {
    let rows = (0..<1000).map { row in
      RenderPlan.Row(
        kernel: .holding(Summer(number: 1)), inputs: row == 0 ? [] : [row], outputs: [row + 1])
    }
    let counts = Array(repeating: 2, count: 1001)
    #expect(BusMemory(counts, rows: rows, kept: []).count == 2 * (1 + 2))
    #expect(BusMemory(counts).count == 2 * 1001)
  }

  @Test func `a bus that is kept, and one that is read before it is filled, have their own memory`()
  {
    let rows: [RenderPlan.Row] = [
      .init(kernel: .holding(Summer(number: 1)), inputs: [3], outputs: [1]),
      .init(kernel: .holding(Summer(number: 2)), inputs: [1], outputs: [2]),
      .init(kernel: .holding(Summer(number: 3)), inputs: [2], outputs: [3]),
    ]
    let memory = BusMemory([1, 1, 1, 1], rows: rows, kept: [0, 1])
    let owners = Dictionary(grouping: 0..<4) { memory.stretches[$0] }
    for bus in [0, 1, 3] { #expect(owners[memory.stretches[bus]] == [bus]) }
  }

  @Test func `a row that names a bus twice gives its memory back once`() {
    let rows: [RenderPlan.Row] = [
      .init(kernel: .holding(Summer(number: 1)), inputs: [], outputs: [1]),
      .init(kernel: .holding(Summer(number: 2)), inputs: [1, 1], outputs: [2]),
      .init(kernel: .holding(Summer(number: 3)), inputs: [2], outputs: [3]),
      .init(kernel: .holding(Summer(number: 3)), inputs: [2, 3], outputs: [4]),
      .init(kernel: .holding(Summer(number: 3)), inputs: [3, 4], outputs: [0]),
    ]
    let memory = BusMemory([1, 1, 1, 1, 1], rows: rows, kept: [0])
    // Buses 2 and 3, and 3 and 4, are in use at the same time.
    #expect(Set([2, 3].map { memory.stretches[$0] }).count == 2)
    #expect(Set([3, 4].map { memory.stretches[$0] }).count == 2)
    #expect(Set([2, 4].map { memory.stretches[$0] }).count == 2)
  }
}
