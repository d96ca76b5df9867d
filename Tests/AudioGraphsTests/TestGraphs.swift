import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

let remoteIO = RemoteIO.description.component
let mixer = MultichannelMixer.description.component
let equalizer = IPodEQ.description.component
let genericOutput = GenericOutput.description.component

/// A device with stereo float output.
func grant(
  rate: Double = 48_000, frames: Int = 512, output: SampleType? = .float32, channels: Int = 2,
  input: Int? = nil
) -> HardwareGrant {
  HardwareGrant(
    outputFormat: output.map {
      StreamFormat($0, channels: channels, sampleRate: rate, interleaved: true)
    },
    inputFormat: input.map {
      StreamFormat(.float32, channels: $0, sampleRate: rate, interleaved: true)
    },
    ioBufferFrames: frames)
}

func float(_ channels: Int = 2, rate: Double = 48_000) -> StreamFormat {
  StreamFormat(.float32, channels: channels, sampleRate: rate)
}

/// An open graph with a default format, for offline rendering.
func openGraph(
  _ grant: HardwareGrant = grant(), default format: StreamFormat? = float()
) throws -> AudioGraph {
  let graph = AudioGraph(assuming: grant)
  graph.defaultStreamFormat = format
  try graph.open()
  return graph
}

extension AudioGraph {
  /// Adds a node to an open graph, with the most frames of its slices.
  func addNode(
    _ component: ComponentDescription, name: String? = nil, slice frames: UInt32
  ) throws -> NodeID {
    let node = try addNode(component, name: name)
    try unit(node).setProperty(.maximumFramesPerSlice, to: .uint32(frames))
    return node
  }
}

/// A mixer with a constant mono input of 1, panned hard left, and a Generic Output. The left output
/// is the volume.
func volumeGraph(
  frames: Int = 512, rate: Double = 48_000
) throws -> (AudioGraph, mix: NodeID) {
  let graph = try openGraph(
    grant(rate: rate, frames: frames, output: nil), default: float(rate: rate))
  let out = try graph.addNode(genericOutput, slice: 4096)
  let mix = try graph.addNode(mixer, slice: 4096)
  let unit = try graph.unit(mix)
  try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float(1, rate: rate)))
  try unit.setParameter(MultichannelMixer.Parameter.pan, .input, 0, to: -1)
  try graph.setInputCallback(counting { _, _ in 1 }, of: mix, 0)
  try graph.connect(mix, to: out)
  return (graph, mix)
}

/// A callback with samples that are a function of channel and frame.
func counting(
  duration: Double? = nil, _ sample: @escaping @Sendable (Int, Int) -> Float
) -> ClosureCallback {
  ClosureCallback(duration: duration) { _, time, _, frameCount, buffers in
    let first = Int(time.sampleTime)
    for channel in 0..<buffers.channelCount {
      let buffer = buffers[channel]
      for frame in 0..<frameCount { buffer[frame] = sample(channel, first + frame) }
    }
    return .ok
  }
}

/// Pulls an initialized graph offline and returns bytes in the device format.
func pulled(
  _ graph: AudioGraph, _ frameCount: Int, microphone: Microphone? = nil
) throws -> [UInt8] {
  let session = try #require(graph.session)
  var bytes: [UInt8] = []
  let outcome = OfflineDevice(graph.grant, microphone: microphone).run(
    session, frameCount: frameCount, services: graph.services, sink: { bytes += $0 })
  #expect(outcome.errors == [])
  #expect(session.failedSlices.count == 0)
  return bytes
}

/// Pulls a graph with stereo float output as `pulled` does, and returns its left channel.
func pulledLeft(_ graph: AudioGraph, _ frameCount: Int) throws -> [Float] {
  words(try pulled(graph, frameCount), as: Float.self).enumerated()
    .filter { $0.offset % 2 == 0 }.map(\.element)
}

/// Reads bytes as words.
func words<Word: BitwiseCopyable>(_ bytes: [UInt8], as type: Word.Type) -> [Word] {
  unsafe bytes.withUnsafeBytes { bytes in
    let size = MemoryLayout<Word>.size
    return (0..<bytes.count / size).map {
      unsafe bytes.loadUnaligned(fromByteOffset: $0 * size, as: Word.self)
    }
  }
}

/// Expects a call to be refused with a status, and returns the error.
@discardableResult
func refused(
  _ status: Status, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> Violation? {
  do {
    try body()
    Issue.record("nothing was refused", sourceLocation: sourceLocation)
  } catch let violation as Violation {
    #expect(violation.status == status, "\(violation.message)", sourceLocation: sourceLocation)
    return violation
  } catch let error as GraphUpdateError {
    #expect(
      error.violation.status == status, "\(error.violation.message)",
      sourceLocation: sourceLocation)
    return error.violation
  } catch {
    Issue.record("another error: \(error)", sourceLocation: sourceLocation)
  }
  return nil
}

/// Numbers that callbacks have noted, in order.
final class Notes: Sendable {
  private let numbers = Mutex<[Int]>([])
  var all: [Int] { numbers.withLock { $0 } }
  func note(_ number: Int) { numbers.withLock { $0.append(number) } }
}

/// A tap that keeps the words of each channel's buffer.
final class ProbeTap: RenderTap {
  final class Kept: Sendable {
    let channels = Mutex<[[Int32]]>([])
  }

  let kept = Kept()

  /// The samples of a float bus, by channel.
  var floats: [[Float]] {
    kept.channels.withLock { $0.map { $0.map { Float(bitPattern: UInt32(bitPattern: $0)) } } }
  }
  var words: [[Int32]] { kept.channels.withLock { $0 } }

  func problems(for format: StreamFormat) -> [CallbackProblem] { [] }

  func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    kept.channels.withLock { $0 = Array(repeating: [], count: format.channelCount) }
    return RenderSink(kernel: .holding(ProbeKernel(kept: kept)))
  }
}

/// Takes a lock, so it is only for tests that pull from their own thread.
struct ProbeKernel: RenderKernel {
  let kept: ProbeTap.Kept

  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    kept.channels.withLock { channels in
      for channel in 0..<input.channelCount {
        let buffer = input[channel]
        channels[channel] += buffer.indices.map { buffer[word: $0] }
      }
    }
    return .ok
  }
}
