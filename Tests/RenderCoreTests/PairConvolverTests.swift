import RenderCore
import TestSupport
import Testing

private func convolved(_ signal: [Float], _ filter: [Float], _ count: Int) -> [Double] {
  (0..<count).map { frame in
    filter.indices.reduce(0.0) { sum, tap in
      let place = frame - tap
      return place >= 0 && place < signal.count
        ? sum + Double(filter[tap]) * Double(signal[place]) : sum
    }
  }
}

@Suite struct PairConvolverTests {
  private static let taps = 40
  private static let block = 32
  private static let filters = (0..<8).map { noise(taps, amplitude: 0.5, seed: UInt64($0) + 100) }

  private func table() -> FilterPairTable {
    FilterPairTable(
      left: Array(Self.filters[0..<4]), right: Array(Self.filters[4..<8]),
      leftDelays: [0, 3.25, 7, 1.5], rightDelays: [5, 0, 2.75, 4], blockLength: Self.block)
  }

  /// Renders both ears, with a filter for each source and block.
  private func run(
    _ sources: [[Float]], blocks: Int, _ mixture: (Int, Int) -> (FilterMixture, Bool)
  ) -> [[Float]] {
    let table = table()
    var convolver = PairConvolver(sourceCount: sources.count, table: table)
    let plan = RenderPlan(rows: [], busChannelCounts: [2], maximumFramesPerSlice: Self.block)
    let bus = plan.bus(0, frameCount: Self.block)
    var output: [[Float]] = [[], []]
    for block in 0..<blocks {
      for channel in 0..<2 { bus[channel].clear() }
      let mixtures = sources.indices.map { mixture($0, block) }
      let calls = allocations {
        convolver.begin()
        for source in sources.indices {
          let buffer = convolver.block(of: source)
          var isSilent = true
          for frame in buffer.indices {
            let place = block * Self.block + frame
            buffer[frame] = place < sources[source].count ? sources[source][place] : 0
            if buffer[frame] != 0 { isSilent = false }
          }
          convolver.convolve(
            source, mixtures[source].0, hasChanged: mixtures[source].1, isSilent: isSilent)
        }
        _ = convolver.finish(left: bus[0], right: bus[1])
      }
      #expect(calls == 0)
      for channel in 0..<2 { output[channel] += bus[channel].indices.map { bus[channel][$0] } }
    }
    withExtendedLifetime(table) {}
    return output
  }

  @Test func `each source goes through its own pair, to the last tap`() {
    let sources = [noise(100, amplitude: 0.5, seed: 1), noise(70, amplitude: 0.5, seed: 2)]
    let output = run(sources, blocks: 8) { source, block in (FilterMixture(source + 1), block == 0)
    }
    for ear in 0..<2 {
      let first = convolved(sources[0], Self.filters[ear * 4 + 1], 256)
      let second = convolved(sources[1], Self.filters[ear * 4 + 2], 256)
      for frame in 0..<256 {
        #expect(abs(Double(output[ear][frame]) - first[frame] - second[frame]) < 2e-6)
      }
    }
  }

  @Test func `another filter fades in over a block`() {
    let source = noise(256, amplitude: 0.5, seed: 3)
    let output = run([source], blocks: 8) { _, block in
      (FilterMixture(block < 4 ? 0 : 3), block == 0 || block == 4)
    }
    for ear in 0..<2 {
      let old = convolved(source, Self.filters[ear * 4], 256)
      let new = convolved(source, Self.filters[ear * 4 + 3], 256)
      for frame in 0..<256 {
        let share = min(1, max(0, Double(frame - 127) / 32))
        let expected = old[frame] + (new[frame] - old[frame]) * share
        #expect(abs(Double(output[ear][frame]) - expected) < 2e-6)
      }
    }
  }

  @Test func `a mixture of filters in step is their mean`() {
    // The same filter with a delay of 0 and 3 frames; the mixture has a delay of 1.5 frames.
    let filter = noise(20, amplitude: 0.5, seed: 9)
    let late = [Float](repeating: 0, count: 4) + filter + [Float](repeating: 0, count: 16)
    let early = filter + [Float](repeating: 0, count: 20)
    let table = FilterPairTable(
      left: [early, late], right: [early, late], leftDelays: [2, 6], rightDelays: [2, 6],
      blockLength: 64)
    var convolver = PairConvolver(sourceCount: 1, table: table)
    let plan = RenderPlan(rows: [], busChannelCounts: [2], maximumFramesPerSlice: 64)
    let bus = plan.bus(0, frameCount: 64)
    for channel in 0..<2 { bus[channel].clear() }
    convolver.begin()
    let block = convolver.block(of: 0)
    block.clear()
    block[0] = 1
    var mixture = FilterMixture(0)
    mixture.set(0, 0, 0.5)
    mixture.set(1, 1, 0.5)
    convolver.convolve(0, mixture, hasChanged: true, isSilent: false)
    let sounds = convolver.finish(left: bus[0], right: bus[1])
    #expect(sounds)
    for frame in 0..<64 {
      let expected = frame >= 2 && frame < 22 ? filter[frame - 2] : 0
      #expect(abs(bus[0][frame] - expected) < 1e-6)
      #expect(abs(bus[1][frame] - expected) < 1e-6)
    }
    withExtendedLifetime(table) {}
  }

  @Test func `silence costs nothing, and nothing of the past comes back`() {
    let source =
      noise(32, amplitude: 0.5, seed: 4) + [Float](repeating: 0, count: 320)
      + noise(32, amplitude: 0.5, seed: 5)
    let output = run([source], blocks: 16) { _, block in (FilterMixture(1), block == 0) }
    for ear in 0..<2 {
      let expected = convolved(source, Self.filters[ear * 4 + 1], 512)
      for frame in 0..<512 { #expect(abs(Double(output[ear][frame]) - expected[frame]) < 2e-6) }
      #expect(output[ear][200..<352].allSatisfy { $0 == 0 })
    }
  }
}
