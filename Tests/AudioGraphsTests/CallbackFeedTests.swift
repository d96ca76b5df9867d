import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

/// Outputs its input inverted.
struct Negation: RenderCallback {
  var need: CallbackInput = .required
  var tail: Int? = 0

  var input: CallbackInput { need }
  func duration(for format: StreamFormat) -> Int? { tail }
  func problems(for format: StreamFormat) -> [CallbackProblem] { [] }

  func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    RenderSource(kernel: .holding(NegationKernel()), duration: tail)
  }
}

private struct NegationKernel: RenderKernel {
  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    guard context.inputCount > 0 else {
      output.silence()
      return .ok
    }
    let input = context.input(0)
    for channel in 0..<output.channelCount {
      for frame in 0..<context.frameCount { output[channel][frame] = -input[channel][frame] }
    }
    return .ok
  }
}

/// Callbacks between an output and an input.
struct CallbackFeedTests {
  private let microphone: Microphone = { position, interleaved in
    for frame in 0..<interleaved.count { interleaved[frame] = hashed(0, position + frame) }
  }

  private func passThrough(_ format: StreamFormat, from feed: (NodeID) -> CallbackFeed) throws
    -> AudioGraph
  {
    let graph = try openGraph(grant(channels: 1, input: 1), default: format)
    let io = try graph.addNode(remoteIO)
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    try graph.setInputCallback(Negation(), of: io, 0, from: feed(io))
    return graph
  }

  @Test func `a chain of a hundred thousand callbacks is initialized and freed`() throws {
    do {
      let graph = try openGraph(grant(channels: 1), default: float(1))
      let io = try graph.addNode(remoteIO)
      let feed = (1..<100_000).reduce(CallbackFeed.callback(ToneCallback(frequency: 440))) {
        feed, _ in .callback(Negation(), from: feed)
      }
      try graph.setInputCallback(Negation(), of: io, from: feed)
      try graph.initialize()
      #expect(try graph.callbacks(of: io).count == 100_001)
    }
    // A chain of the same length that feeds nothing.
    let chain = (0..<200_000).reduce(CallbackFeed.callback(SilenceCallback())) { feed, _ in
      .callback(Negation(), from: feed)
    }
    guard case .link(let last) = chain else { return }
    #expect(last.from != nil)
  }

  @Test func `a callback hands on what the microphone hears`() throws {
    let graph = try passThrough(float(1)) { .output($0, 1) }
    try graph.initialize()
    #expect(
      words(try pulled(graph, 3000, microphone: microphone), as: Float.self)
        == (0..<3000).map { -hashed(0, $0) })
    #expect(graph.duration == nil)
  }

  @Test(arguments: [SampleType.int24, .int32, .fixed824])
  func `it pulls floats, whatever the bus carries`(sample: SampleType) throws {
    let graph = try passThrough(StreamFormat(sample, channels: 1, sampleRate: 48_000)) {
      .callback(Negation(), from: .callback(Negation(), from: .output($0, 1)))
    }
    try graph.initialize()
    // All sample types represent multiples of 2^-16 exactly.
    #expect(
      words(try pulled(graph, 3000, microphone: microphone), as: Float.self)
        == (0..<3000).map { -hashed(0, $0) })
  }

  @Test func `a chain may begin with a callback that makes its own sound`() throws {
    let graph = try openGraph(grant(output: nil))
    let out = try graph.addNode(genericOutput)
    try graph.setInputCallback(
      Negation(tail: 100), of: out,
      from: .callback(Negation(tail: 20), from: .callback(counting(duration: 0.01, hashed))))
    try graph.initialize()
    let found = words(try pulled(graph, 700), as: Float.self)
    #expect(found == (0..<1400).map { hashed($0 % 2, $0 / 2) })
    #expect(graph.duration == 480 + 120)
  }

  @Test func `it stands between two units`() throws {
    let graph = try openGraph(grant(output: nil))
    let out = try graph.addNode(genericOutput)
    let mix = try graph.addNode(mixer)
    try graph.setInputCallback(counting(duration: 1, hashed), of: mix, 0)
    try graph.setInputCallback(Negation(), of: out, from: .output(mix, 0))
    try graph.initialize()
    #expect(
      words(try pulled(graph, 2000), as: Float.self)
        == (0..<4000).map { -hashed($0 % 2, $0 / 2) })
    #expect(graph.duration == 48_000)
    #expect(try graph.interactions(of: mix).count == 2)
  }

  @Test func `an output that a callback pulls is taken`() throws {
    let graph = try openGraph(grant(output: nil))
    let out = try graph.addNode(genericOutput)
    let mix = try graph.addNode(mixer)
    let second = try graph.addNode(mixer)
    try graph.connect(mix, to: out)
    refused(.invalidConnection) {
      try graph.setInputCallback(Negation(), of: second, from: .output(mix, 0))
    }
    refused(.invalidConnection) {
      try graph.setInputCallback(Negation(), of: mix, from: .output(mix, 0))
    }
    try graph.setInputCallback(Negation(), of: mix, 0, from: .output(second, 0))
    refused(.invalidConnection) { try graph.connect(second, to: mix, 1) }
  }

  @Test func `a circle through a callback is refused`() throws {
    let graph = try openGraph(grant(output: nil))
    let out = try graph.addNode(genericOutput)
    let (one, two) = (try graph.addNode(mixer), try graph.addNode(mixer))
    _ = out
    try graph.connect(one, to: two)
    try graph.setInputCallback(Negation(), of: one, from: .output(two, 0))
    #expect(graph.violations().contains { $0.rule.name == "graph/acyclic" })
  }

  @Test func `one that processes needs something to pull, and no other may have it`() throws {
    let graph = try openGraph(grant(output: nil))
    let out = try graph.addNode(genericOutput)
    let mix = try graph.addNode(mixer)
    try graph.connect(mix, to: out)
    for isInitialized in [false, true] {
      if isInitialized { try graph.initialize() }
      refused(.noConnection) { try graph.setInputCallback(Negation(), of: mix, 0) }
      refused(.invalidConnection) {
        try graph.setInputCallback(counting(hashed), of: mix, 1, from: .callback(counting(hashed)))
      }
      refused(.invalidConnection) {
        try graph.setInputCallback(counting(hashed), of: mix, 1, from: .output(mix, 0))
      }
      try graph.setInputCallback(Negation(need: .optional), of: mix, 2)
      #expect(!graph.violations().contains { $0.rule.code == "PR0704" })
    }
  }

  @Test func `it changes neither the rate nor the channels`() throws {
    let graph = try openGraph(grant(output: nil))
    let out = try graph.addNode(genericOutput)
    let (one, two) = (try graph.addNode(mixer), try graph.addNode(mixer))
    try graph.connect(one, to: out)
    try graph.unit(one).setProperty(.streamFormat, .input, 0, to: .streamFormat(float(1)))
    try graph.setInputCallback(counting(hashed), of: two)
    try graph.setInputCallback(Negation(), of: one, from: .output(two, 0))
    let found = graph.violations()
    #expect(found.map(\.rule.code) == ["PR0705"])
    #expect(found.first?.message.contains("1 ch") == true)
    refused(.formatNotSupported) { try graph.initialize() }
  }

  @Test(arguments: [44_100.0, 16_000, 96_000])
  func `a microphone that is only watched may have another rate`(rate: Double) throws {
    let graph = try openGraph(grant(channels: 1, input: 1), default: float(1))
    let io = try graph.addNode(remoteIO)
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    try graph.unit(io)
      .setProperty(.streamFormat, .output, 1, to: .streamFormat(float(1, rate: rate)))
    try graph.setInputCallback(counting(hashed), of: io, 0)
    let probe = ProbeTap()
    try graph.addTap(probe, at: io, 1)
    try graph.initialize()
    _ = try pulled(
      graph, 4800,
      microphone: { position, interleaved in
        for frame in 0..<interleaved.count {
          interleaved[frame] = 0.5 * sin(Float(position + frame) * (2 * .pi * 1000 / 48_000))
        }
      })
    let heard = probe.floats[0]
    #expect(heard.count == Int(rate / 10))
    for frame in 200..<heard.count - 1 {
      // -80 dBFS: far above the converter's residual, far below an error of one frame.
      let expected = 0.5 * sin(Float(frame) * Float(2 * Double.pi * 1000 / rate))
      #expect(abs(heard[frame] - expected) < 1e-4)
    }
  }
}
