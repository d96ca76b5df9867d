import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

private let converter = FormatConverter.description.component

/// The Format Converter in a graph.
struct ConverterGraphTests {
  private func sine(_ frame: Int, rate: Double, frequency: Double = 997) -> Float {
    Float(0.5 * sin(2 * Double.pi * frequency * Double(frame) / rate))
  }

  /// A callback at one rate, a converter, and a Generic Output at 48 kHz.
  private func graph(
    _ callback: ClosureCallback, _ input: StreamFormat, _ output: StreamFormat = float(1),
    _ properties: [(PropertyID, PropertyValue)] = [], slices: Int = 512
  ) throws -> (graph: AudioGraph, converter: NodeID) {
    let graph = try openGraph(
      grant(frames: slices, output: nil, channels: output.channelCount), default: nil)
    let node = try graph.addNode(converter)
    let out = try graph.addNode(genericOutput)
    let unit = try graph.unit(node)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(input))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(output))
    for (id, value) in properties { try unit.setProperty(id, to: value) }
    for node in [node, out] {
      try graph.unit(node).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    }
    try graph.setInputCallback(callback, of: node)
    try graph.connect(node, to: out)
    return (graph, node)
  }

  // MARK: Rates

  @Test(arguments: [44_100.0, 16_000, 96_000, 44_100.5])
  func `a sine comes out where it belongs, with no delay`(rate: Double) throws {
    let (graph, _) = try graph(
      counting { [self] _, frame in sine(frame, rate: rate) }, float(1, rate: rate))
    try graph.initialize()
    let found = words(try pulled(graph, 3000), as: Float.self)
    for frame in 700..<3000 {
      #expect(abs(found[frame] - sine(frame, rate: 48_000)) < 2e-5)
    }
  }

  @Test(arguments: [1, 2, 147, 1000, 44_099, 44_100, 44_101])
  func `the length is exact to a frame`(frames: Int) throws {
    let (graph, _) = try graph(
      counting(duration: Double(frames) / 44_100, hashed), float(1, rate: 44_100))
    try graph.initialize()
    let length = (Double(frames) * 48_000 / 44_100 - 1e-3).rounded(.up)
    #expect(graph.duration == Int(length))
  }

  @Test func `a converter that is not primed is late, one that is primed ends sooner`() throws {
    func duration(_ method: UInt32) throws -> Int? {
      let (graph, _) = try graph(
        counting(duration: 1, hashed), float(1, rate: 44_100), float(1),
        [(.primeMethod, .uint32(method))])
      try graph.initialize()
      return graph.duration
    }
    let lookAhead = Double(
      PolyphaseResampler.lookAhead(inputRate: 44_100, outputRate: 48_000, quality: .normal))
    #expect(try duration(1) == 48_000)
    #expect(try duration(2) == Int(((44_100 + lookAhead) * 48_000 / 44_100).rounded(.up)))
    #expect(try duration(0) == Int(((44_101 - lookAhead) * 48_000 / 44_100).rounded(.up)))
  }

  @Test(arguments: [1, 64, 333, 1024, 4096])
  func `the bytes are the same however the graph is cut`(slices: Int) throws {
    func bytes(_ slices: Int) throws -> [UInt8] {
      let (graph, node) = try graph(
        counting(hashed), StreamFormat(.int24, channels: 2, sampleRate: 44_100),
        StreamFormat(.int16, channels: 2, sampleRate: 48_000), slices: slices)
      // Upstream slices are limited by the unit's maximum, which is below the requested length.
      try graph.unit(node).setProperty(.channelMap, .output, to: .integers([1, 0]))
      try graph.initialize()
      return try pulled(graph, 5000)
    }
    #expect(try bytes(slices) == bytes(512))
  }

  @Test func `down and up again is where it was`() throws {
    let graph = try openGraph(grant(output: nil, channels: 1), default: nil)
    let (one, two) = (try graph.addNode(converter), try graph.addNode(converter))
    let out = try graph.addNode(genericOutput)
    try graph.unit(one).setProperty(.streamFormat, .input, 0, to: .streamFormat(float(1)))
    try graph.unit(one)
      .setProperty(.streamFormat, .output, 0, to: .streamFormat(float(1, rate: 32_000)))
    try graph.unit(two).setProperty(.streamFormat, .output, 0, to: .streamFormat(float(1)))
    try graph.setInputCallback(
      counting(duration: 0.1) { [self] _, frame in sine(frame, rate: 48_000) }, of: one)
    try graph.connect(one, to: two)
    try graph.connect(two, to: out)
    let probe = ProbeTap()
    try graph.addTap(probe, at: one)
    try graph.initialize()
    #expect(graph.duration == 4800)
    let found = words(try pulled(graph, 4000), as: Float.self)
    for frame in 500..<4000 { #expect(abs(found[frame] - sine(frame, rate: 48_000)) < 2e-5) }
    // A tap between the two hears the intermediate rate.
    let heard = probe.floats[0]
    #expect(heard.count > 2600 && heard.count < 2800)
    for frame in 500..<2600 { #expect(abs(heard[frame] - sine(frame, rate: 32_000)) < 2e-5) }
  }

  @Test func `what is upstream has shorter slices where it takes no longer ones`() throws {
    let longest = Notes()
    let callback = ClosureCallback { _, _, _, frameCount, buffers in
      longest.note(frameCount)
      for channel in 0..<buffers.channelCount { buffers[channel].clear() }
      return .ok
    }
    let graph = try openGraph(grant(frames: 1024, output: nil), default: nil)
    let (mix, node) = (try graph.addNode(mixer), try graph.addNode(converter))
    let out = try graph.addNode(genericOutput)
    try graph.unit(mix).setProperty(.maximumFramesPerSlice, to: .uint32(100))
    try graph.unit(mix).setProperty(.sampleRate, .output, 0, to: .float64(96_000))
    try graph.unit(mix)
      .setProperty(.streamFormat, .input, 0, to: .streamFormat(float(2, rate: 96_000)))
    try graph.unit(node).setProperty(.streamFormat, .output, 0, to: .streamFormat(float()))
    try graph.setInputCallback(callback, of: mix)
    try graph.connect(mix, to: node)
    try graph.connect(node, to: out)
    try graph.initialize()
    _ = try pulled(graph, 4096)
    #expect(longest.all.max() == 100)
    #expect(longest.all.reduce(0, +) >= 8192)
  }

  @Test func `a microphone is heard at the rate of a file that is mixed with it`() throws {
    let graph = try openGraph(grant(channels: 1, input: 1), default: float(1))
    let io = try graph.addNode(remoteIO)
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    try graph.unit(io)
      .setProperty(.streamFormat, .output, 1, to: .streamFormat(float(1, rate: 16_000)))
    let node = try graph.addNode(converter)
    try graph.unit(node).setProperty(.streamFormat, .output, 0, to: .streamFormat(float(1)))
    try graph.connect(io, 1, to: node)
    try graph.connect(node, to: io)
    try graph.initialize()
    let found = words(
      try pulled(
        graph, 4800,
        microphone: { [self] position, interleaved in
          for frame in 0..<interleaved.count {
            interleaved[frame] = sine(position + frame, rate: 48_000)
          }
        }), as: Float.self)
    // Offline, the microphone runs ahead by the delay of both filters, so that there is no latency.
    for frame in 1500..<4800 { #expect(abs(found[frame] - sine(frame, rate: 48_000)) < 2e-5) }
  }

  @Test func `a pull through a converter makes no heap calls`() throws {
    let (graph, _) = try graph(
      counting(hashed), StreamFormat(.fixed824, channels: 2, sampleRate: 44_100),
      StreamFormat(.int32, channels: 2, sampleRate: 48_000))
    try graph.initialize()
    let session = try #require(graph.session)
    var memory = [UInt8](repeating: 0, count: 512 * 8)
    unsafe memory.withUnsafeMutableBytes { memory in
      for _ in 0..<8 {
        let calls = allocations { _ = unsafe session.pull(512, into: memory.baseAddress) }
        #expect(calls == 0)
      }
    }
    #expect(session.failedSlices.count == 0)
  }

  // MARK: Words

  /// Thirty-two random bits for a channel and a frame.
  private static func word(_ channel: Int, _ frame: Int) -> Int32 {
    var generator = SplitMix64(seed: UInt64(frame * 2 + channel))
    return Int32(truncatingIfNeeded: generator.next())
  }

  private let random = ClosureCallback(writesBusWords: true) { _, time, _, frameCount, buffers in
    for channel in 0..<buffers.channelCount {
      let buffer = buffers[channel]
      for frame in 0..<frameCount {
        buffer[word: frame] = ConverterGraphTests.word(channel, Int(time.sampleTime) + frame)
      }
    }
    return .ok
  }

  @Test(arguments: [SampleType.int32, .fixed824])
  func `words of 32 bits go through bit for bit`(sample: SampleType) throws {
    let format = StreamFormat(sample, channels: 2, sampleRate: 48_000)
    let (graph, node) = try graph(random, format, format)
    let probe = ProbeTap()
    try graph.addTap(probe, at: node)
    try graph.initialize()
    let found = words(try pulled(graph, 1000), as: Int32.self)
    #expect(probe.words == (0..<2).map { channel in (0..<1000).map { Self.word(channel, $0) } })
    #expect(found == (0..<2000).map { Self.word($0 % 2, $0 / 2) })
  }

  @Test func `fixed point and 32 bits change places without a detour through floats`() throws {
    let (graph, node) = try graph(
      random, StreamFormat(.int32, channels: 2, sampleRate: 48_000),
      StreamFormat(.fixed824, channels: 2, sampleRate: 48_000))
    let probe = ProbeTap()
    try graph.addTap(probe, at: node)
    try graph.initialize()
    _ = try pulled(graph, 1000)
    let exact = probe.words.enumerated().allSatisfy { channel, words in
      words.indices.allSatisfy { frame in
        abs(Int64(words[frame]) << 7 - Int64(Self.word(channel, frame))) <= 64
      }
    }
    #expect(exact)
  }

  // MARK: Rules

  @Test func `its output has to be given a format`() throws {
    let graph = try openGraph(grant(output: nil), default: nil)
    let (node, out) = (try graph.addNode(converter), try graph.addNode(genericOutput))
    try graph.unit(node).setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try graph.setInputCallback(counting(hashed), of: node)
    try graph.connect(node, to: out)
    #expect(graph.violations().first?.rule.code == "PR0404")
    refused(.formatNotSupported) { try graph.initialize() }
  }

  @Test func `a map that does not fit is refused when the graph is initialized`() throws {
    let (graph, node) = try graph(counting(hashed), float(1), float(2))
    try graph.unit(node).setProperty(.channelMap, .output, to: .integers([0, 1]))
    let found = refused(.invalidPropertyValue) { try graph.initialize() }
    #expect(found?.rule.code == "PR0422")
    try graph.unit(node).setProperty(.channelMap, .output, to: .integers([0, 0]))
    try graph.initialize()
    let bytes = words(try pulled(graph, 10), as: Float.self)
    #expect(bytes == (0..<20).map { hashed(0, $0 / 2) })
    refused(.initialized) {
      try graph.unit(node).setProperty(.channelMap, .output, to: .integers([0, -1]))
    }
  }
}
