import AudioTypes
import AudioUnits
import Glibc
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

@testable import AudioGraphs

/// Paths of one source to one destination: detected by their different latencies, and compensated.
struct PathLatencyTests {
  private static let limiter = PeakLimiter.description.component
  private let frames = 576 + 32

  private struct Two {
    var graph: AudioGraph
    var mix: NodeID
    var limiter: NodeID
    var split: NodeID
  }

  /// Noise into a mixer twice: directly, and inverted through a limiter.
  private func twoPaths(
    compensated: Bool, format: StreamFormat = float(), splits: Bool = true
  ) throws -> Two {
    let graph = try openGraph(default: format)
    let io = try graph.addNode(remoteIO)
    let split = try graph.addNode(Splitter.description.component, slice: 4096)
    let limit = try graph.addNode(Self.limiter, slice: 4096)
    let mix = try graph.addNode(mixer, slice: 4096)
    try graph.unit(mix).setParameter(0, .input, 1, to: -1)
    try graph.setInputCallback(counting { hashed($0, $1) / 2 }, of: split)
    try graph.connect(split, 0, to: mix, 0)
    try graph.connect(split, 1, to: limit)
    try graph.connect(limit, to: mix, 1)
    try graph.connect(mix, to: io)
    graph.compensatesLatency = compensated
    return Two(graph: graph, mix: mix, limiter: limit, split: split)
  }

  @Test func `two paths of different lengths are warned of, with what they cancel`() throws {
    let two = try twoPaths(compensated: false)
    let found = two.graph.violations()
    #expect(found.map(\.rule) == [PathsMeetInStep.rule])
    #expect(found.first?.severity == .warning)
    #expect(found.first?.message == "'node 2' reaches 'node 4:1' 12.67 ms later than 'node 4:0'")
    #expect(found.first?.help.first?.contains("39.5 Hz and every 78.9 Hz") == true)
    two.graph.compensatesLatency = true
    #expect(two.graph.violations().isEmpty)
    two.graph.compensatesLatency = false
    // A bypassed limiter has the same latency.
    try two.graph.unit(two.limiter).setProperty(.bypassEffect, to: .uint32(1))
    #expect(two.graph.violations().count == 1)
    // A single path has nothing to cancel with.
    try two.graph.disconnect(two.mix, 0)
    #expect(two.graph.violations().isEmpty)
  }

  @Test func `sources that have nothing to do with each other may be as late as they like`() throws
  {
    let two = try twoPaths(compensated: false)
    try two.graph.disconnect(two.mix, 0)
    try two.graph.setInputCallback(counting(hashed), of: two.mix, 0)
    #expect(two.graph.violations().isEmpty)
    let latencies = two.graph.latencies()
    let late = Double(frames) / 48_000
    #expect(latencies.output(of: two.limiter) == late)
    #expect(latencies.input(1, of: two.mix) == late)
    #expect(latencies.input(0, of: two.mix) == 0)
    #expect(latencies.output(of: two.mix) == late)
  }

  @Test(arguments: [SampleType.float32, .int16, .int24, .fixed824])
  func `compensated, the two cancel to the bit`(sample: SampleType) throws {
    let two = try twoPaths(
      compensated: true, format: StreamFormat(sample, channels: 2, sampleRate: 48_000))
    try two.graph.initialize()
    #expect(two.graph.latencies().delay(ofInput: 0, of: two.mix) == frames)
    #expect(two.graph.latencies().delay(ofInput: 1, of: two.mix) == 0)
    let sum = words(try pulled(two.graph, 4000), as: Float.self)
    // Exact silence, far below -140 dBFS.
    #expect(sum.allSatisfy { $0 == 0 })
    // A single path is audible.
    let alone = try twoPaths(
      compensated: true, format: StreamFormat(sample, channels: 2, sampleRate: 48_000))
    try alone.graph.unit(alone.mix).setParameter(0, .input, 1, to: 0)
    try alone.graph.initialize()
    let one = words(try pulled(alone.graph, 4000), as: Float.self)
    #expect(one.prefix(2 * frames).allSatisfy { $0 == 0 })
    #expect(one.dropFirst(2 * frames).contains { abs($0) > 0.1 })
  }

  @Test(arguments: [[1], [64], [333], [1000]])
  func `the same at every slice size`(slices: [Int]) throws {
    func result(_ slice: Int) throws -> [Float] {
      let graph = try twoPaths(compensated: true)
      try graph.graph.unit(graph.mix).setParameter(0, .input, 1, to: -0.5)
      try graph.graph.initialize()
      let session = try #require(graph.graph.session)
      var bytes: [UInt8] = []
      let device = HardwareGrant(
        outputFormat: graph.graph.grant.outputFormat, inputFormat: nil, ioBufferFrames: slice)
      _ = OfflineDevice(device).run(session, frameCount: 3000, services: [], sink: { bytes += $0 })
      return words(bytes, as: Float.self)
    }
    #expect(try result(slices[0]) == (try result(512)))
  }

  @Test func `a limiter that comes while it plays is waited for, and left again, without a jump`()
    throws
  {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let split = try graph.addNode(Splitter.description.component, slice: 4096)
    let mix = try graph.addNode(mixer, slice: 4096)
    let tone = counting { _, frame in 0.3 * Float(sin(Double(frame) * 0.02)) }
    try graph.unit(mix).setParameter(0, .input, 1, to: -1)
    try graph.setInputCallback(tone, of: split)
    try graph.connect(split, 0, to: mix, 0)
    try graph.connect(split, 1, to: mix, 1)
    try graph.connect(mix, to: io)
    graph.compensatesLatency = true
    try graph.initialize()
    #expect(words(try pulled(graph, 2000), as: Float.self).allSatisfy { $0 == 0 })
    let limit = try graph.addNode(Self.limiter, slice: 4096)
    try graph.disconnect(mix, 1)
    try graph.connect(split, 1, to: limit)
    try graph.connect(limit, to: mix, 1)
    try graph.update()
    #expect(graph.latencies().delay(ofInput: 0, of: mix) == frames)
    var found = words(try pulled(graph, 4800), as: Float.self)
    // The paths differ during the crossfade. After it they cancel exactly again.
    #expect(found.suffix(2 * 2000).allSatisfy { $0 == 0 })
    try graph.disconnect(mix, 1)
    try graph.removeNode(limit)
    try graph.connect(split, 1, to: mix, 1)
    try graph.update()
    found += words(try pulled(graph, 4800), as: Float.self)
    #expect(found.suffix(2 * 2000).allSatisfy { $0 == 0 })
    // There is no jump: the largest second difference of the fading tones.
    let left = stride(from: 0, to: found.count, by: 2).map { found[$0] }
    #expect(roughness(left) < 0.001)
  }

  @Test func `compensation goes on and off while it plays`() throws {
    let two = try twoPaths(compensated: false)
    try two.graph.initialize()
    _ = try pulled(two.graph, 2000)
    two.graph.compensatesLatency = true
    try two.graph.update()
    #expect(words(try pulled(two.graph, 4000), as: Float.self).suffix(4000).allSatisfy { $0 == 0 })
    two.graph.compensatesLatency = false
    try two.graph.update()
    let after = words(try pulled(two.graph, 4000), as: Float.self).suffix(4000)
    #expect(after.contains { abs($0) > 0.1 })
  }

  @Test func `the last of a source is heard behind a limiter`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let limit = try graph.addNode(Self.limiter, slice: 4096)
    try graph.setInputCallback(counting(duration: 0.1) { _, _ in 0.5 }, of: limit)
    try graph.connect(limit, to: io)
    try graph.initialize()
    #expect(graph.duration == 4800 + frames)
  }

  @Test func `a longer way through a converter that is late counts too`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let conv = try graph.addNode(FormatConverter.description.component, slice: 4096)
    let mix = try graph.addNode(mixer, slice: 4096)
    try graph.unit(conv).setProperty(
      .streamFormat, .input, 0, to: .streamFormat(float(rate: 44_100)))
    try graph.unit(conv).setProperty(.primeMethod, to: .uint32(2))
    guard case .float64(let latency) = try graph.unit(conv).property(.latency) else { return }
    let tone = counting(hashed)
    try graph.setInputCallback(tone, of: mix, 0, from: nil, soundingAs: "tone")
    try graph.setInputCallback(tone, of: conv, 0, from: nil, soundingAs: "tone")
    try graph.connect(conv, to: mix, 1)
    try graph.connect(mix, to: io)
    let found = graph.violations()
    #expect(found.map(\.rule) == [PathsMeetInStep.rule])
    #expect(found.first?.message.hasPrefix("'tone' reaches 'node 3:1'") == true)
    #expect(latency > 0 || graph.latencies().output(of: conv) > 0)
  }
}
