import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import TestSupport
import Testing

private func word(_ frame: Int, _ channel: Int) -> Int32 {
  Int32(truncatingIfNeeded: 3 * frame - 7 * channel - 1000)
}

/// The arguments of a closure, its pulls, and its sample formats.
struct ClosureCallbackTests {
  /// A closure that outputs the number of its bus, in eighths.
  private let naming = ClosureCallback { _, _, bus, frameCount, buffers in
    for channel in 0..<buffers.channelCount {
      for frame in 0..<frameCount { buffers[channel][frame] = Float(bus) / 8 }
    }
    return .ok
  }

  @Test func `a closure is told the bus that it feeds, wherever it is put`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    try graph.connect(mix, to: io)
    try graph.setInputCallback(naming, of: mix, 3)
    try graph.initialize()
    graph.fadeDuration = 0
    #expect(words(try pulled(graph, 10), as: Float.self).allSatisfy { $0 == 3 / 8 })
    try graph.setInputCallback(naming, of: mix, 2)
    try graph.update()
    #expect(words(try pulled(graph, 10), as: Float.self).allSatisfy { $0 == 5 / 8 })
    // The same for a callback that moves to another input.
    let token = try graph.detachFeed(of: mix, 3)
    try graph.attachFeed(token, to: mix, 1)
    try graph.update()
    #expect(words(try pulled(graph, 10), as: Float.self).allSatisfy { $0 == 3 / 8 })
  }

  @Test(arguments: Slicing.every)
  func `a closure pulls the microphone and feeds the loudspeaker`(slicing: Slicing) throws {
    let graph = try openGraph(grant(input: 2))
    let io = try graph.addNode(remoteIO)
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    let ring = ClosureCallback.processing { _, time, bus, frameCount, input, buffers in
      for channel in 0..<buffers.channelCount {
        for frame in 0..<frameCount {
          let sign: Float = (Int(time.sampleTime) + frame) % 2 == 0 ? 1 : -1
          buffers[channel][frame] = sign * input[channel][frame] + Float(bus)
        }
      }
      return .ok
    }
    try graph.setInputCallback(ring, of: io, from: .output(io, 1))
    try graph.initialize()
    let microphone: Microphone = { position, interleaved in
      for index in interleaved.indices {
        interleaved[index] = hashed(index % 2, position + index / 2)
      }
    }
    let found = words(try pulled(graph, 1500, microphone: microphone), as: Float.self)
    let expected = (0..<3000).map { ($0 / 2 % 2 == 0 ? 1 : -1) * hashed($0 % 2, $0 / 2) }
    #expect(found == expected)
  }

  @Test(
    arguments: [
      StreamFormat(.int16, channels: 2, sampleRate: 48_000, interleaved: true),
      StreamFormat(.int16, channels: 2, sampleRate: 48_000),
      StreamFormat(.int24, channels: 2, sampleRate: 48_000, interleaved: true),
      StreamFormat(.int32, channels: 1, sampleRate: 48_000),
      StreamFormat(.fixed824, channels: 2, sampleRate: 48_000),
    ])
  func `a closure writes the samples of its bus, and every word gets through`(
    format: StreamFormat
  ) throws {
    let graph = try openGraph(
      grant(output: format.sampleType, channels: format.channelCount),
      default: format)
    let io = try graph.addNode(remoteIO)
    let callback = ClosureCallback.samples { _, time, _, frameCount, buffers in
      for buffer in 0..<buffers.count {
        for index in 0..<buffers[buffer].count {
          let frame = Int(time.sampleTime) + index / buffers.channelsPerBuffer
          let channel = buffer + index % buffers.channelsPerBuffer
          buffers[buffer][word: index] = word(frame, channel)
        }
      }
      return .ok
    }
    try graph.setInputCallback(callback, of: io)
    try graph.initialize()
    let bytes = try pulled(graph, 700)
    var wanted: [Int32] = []
    for frame in 0..<700 {
      for channel in 0..<format.channelCount { wanted.append(word(frame, channel)) }
    }
    #expect(integers(bytes, format.bytesPerSample) == wanted)
  }

  @Test func `what a closure pulls is in its buffers, in its bus's samples`() throws {
    let format = StreamFormat(.int16, channels: 2, sampleRate: 48_000, interleaved: true)
    let graph = try openGraph(grant(output: .int16), default: format)
    let io = try graph.addNode(remoteIO)
    let source = ClosureCallback.samples { _, _, _, _, buffers in
      for index in 0..<buffers[0].count { buffers[0][word: index] = Int32(index) }
      return .ok
    }
    let doubling = ClosureCallback.processingSamples { _, _, _, _, buffers in
      for index in 0..<buffers[0].count { buffers[0][word: index] *= 2 }
      return .ok
    }
    try graph.setInputCallback(doubling, of: io, from: .callback(source))
    try graph.initialize()
    #expect(integers(try pulled(graph, 100), 2) == (0..<200).map { 2 * $0 })
  }

  private func integers(_ bytes: [UInt8], _ size: Int) -> [Int32] {
    stride(from: 0, to: bytes.count, by: size).map { start in
      var word: Int32 = 0
      for byte in 0..<size { word |= Int32(bytes[start + byte]) << (8 * byte) }
      let unused = Int32(32 - 8 * size)
      return (word << unused) >> unused
    }
  }
}
