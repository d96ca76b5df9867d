import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import RenderHost
import RenderTaps
import Responses
import Synchronization

/// A graph with what no patch can name: the callbacks and taps that the program uses by itself
/// (`test`, `response`, `batch` and `doctor`), and the closures of a client of the library.
struct ProgramGraph {
  /// What the closures and taps of a graph have been given.
  final class Seen: Sendable {
    let samples = Atomic<Int>(0)
    let frames = Atomic<Int>(0)
    let heard = Atomic<Int>(0)
    let notifications = Atomic<Int>(0)

    /// The kinds that were given nothing.
    var missing: [String] {
      [
        ("samples of a SampleTap", samples.load(ordering: .relaxed)),
        ("frames of a FrameTap", frames.load(ordering: .relaxed)),
        ("frames of an input callback", heard.load(ordering: .relaxed)),
        ("render notifications", notifications.load(ordering: .relaxed)),
      ].filter { $0.1 == 0 }.map(\.0)
    }
  }

  let seen = Seen()
  private let graph: AudioGraph
  private let mixer: NodeID
  private var tap: TapID

  private static let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
  /// A period of 100 frames.
  private static let period = (0..<100).map { Float($0) / 1000 }

  /// A device with a loudspeaker and a microphone.
  static func grant(_ ioBufferFrames: Int) -> HardwareGrant {
    HardwareGrant(
      outputFormat: StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true),
      inputFormat: StreamFormat(.float32, channels: 1, sampleRate: 48_000, interleaved: true),
      ioBufferFrames: ioBufferFrames)
  }

  /// Fills a new graph, up to `initialize()`.
  init(_ graph: AudioGraph) throws(Violation) {
    self.graph = graph
    let io = try graph.addNode(RemoteIO.description.component)
    mixer = try graph.addNode(MultichannelMixer.description.component)
    try graph.connect(mixer, to: io)
    try graph.open()
    graph.defaultStreamFormat = Self.format

    let mixerUnit = try graph.unit(mixer)
    try mixerUnit.setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    try mixerUnit.setProperty(.elementCount, .input, 0, to: .uint32(7))
    try mixerUnit.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    let words = StreamFormat(.int16, channels: 2, sampleRate: 48_000, interleaved: true)
    for input in 0..<7 {
      let format = input == 2 || input == 3 ? words : Self.format
      try mixerUnit.setProperty(.streamFormat, .input, input, to: .streamFormat(format))
    }
    try graph.setInputCallback(Self.generating(), of: mixer, 0)
    try graph.setInputCallback(
      Self.processing(), of: mixer, 1, from: .callback(NoiseCallback(amplitude: 0.1)))
    try graph.setInputCallback(Self.generatingSamples(), of: mixer, 2)
    try graph.setInputCallback(
      Self.processingSamples(), of: mixer, 3, from: .callback(NoiseCallback(amplitude: 0.1)))
    try graph.setInputCallback(Responses.ToneCallback(Self.period), of: mixer, 4)
    try graph.setInputCallback(Responses.ToneCallback(Self.period, channel: 1), of: mixer, 5)
    try graph.setInputCallback(PatchInputCallback(), of: mixer, 6)

    let seen = seen
    let ioUnit = try graph.unit(io)
    try ioUnit.setProperty(.enableIO, .input, 1, to: .uint32(1))
    let voice = StreamFormat(.float32, channels: 1, sampleRate: 48_000)
    try ioUnit.setProperty(.streamFormat, .output, 1, to: .streamFormat(voice))
    let hearing = InputCallbackReference { _, bus in
      seen.heard.wrappingAdd(bus[0].indices.count, ordering: .relaxed)
    }
    try ioUnit.setProperty(.setInputCallback, to: .inputCallback(hearing))
    _ = graph.addRenderNotification { _, _, _ in
      seen.notifications.wrappingAdd(1, ordering: .relaxed)
    }
    try graph.addTap(Self.frames(seen), at: io, 1)
    try graph.addTap(Self.frames(seen), at: mixer)
    tap = try graph.addTap(Self.samples(seen), at: mixer)
  }

  /// Replaces what can be replaced while it plays.
  mutating func change() throws {
    try graph.removeTap(tap)
    try graph.setInputCallback(Self.generating(), of: mixer, 4)
    try graph.update()
    tap = try graph.addTap(Self.samples(seen), at: mixer)
    try graph.setInputCallback(Responses.ToneCallback(Self.period), of: mixer, 4)
    try graph.update()
  }

  private static func frames(_ seen: Seen) -> FrameTap {
    FrameTap { _, count in seen.frames.wrappingAdd(count, ordering: .relaxed) }
  }

  private static func samples(_ seen: Seen) -> SampleTap {
    SampleTap { _, count in seen.samples.wrappingAdd(count, ordering: .relaxed) }
  }

  // MARK: Closures

  private static func generating() -> ClosureCallback {
    ClosureCallback { _, timeStamp, _, frameCount, buffers in
      let first = Int(timeStamp.sampleTime)
      for channel in 0..<buffers.channelCount {
        let buffer = buffers[channel]
        for frame in 0..<frameCount { buffer[frame] = Float((first + frame) % 100) / 1000 }
      }
      return .ok
    }
  }

  private static func processing() -> ClosureCallback {
    ClosureCallback.processing { _, _, _, frameCount, input, buffers in
      for channel in 0..<buffers.channelCount {
        let (from, to) = (input[channel], buffers[channel])
        for frame in 0..<frameCount { to[frame] = 0.5 * from[frame] }
      }
      return .ok
    }
  }

  private static func generatingSamples() -> ClosureCallback {
    ClosureCallback.samples { _, _, _, _, buffers in
      for index in 0..<buffers.count {
        let buffer = buffers[index]
        for sample in 0..<buffer.count { buffer[word: sample] = Int32(sample % 100) }
      }
      return .ok
    }
  }

  private static func processingSamples() -> ClosureCallback {
    ClosureCallback.processingSamples { _, _, _, _, buffers in
      for index in 0..<buffers.count {
        let buffer = buffers[index]
        for sample in 0..<buffer.count { buffer[word: sample] = buffer[word: sample] / 2 }
      }
      return .ok
    }
  }
}
