import AudioTypes
import RenderCore
import RenderHost

/// Frame n of channel c is `samples(c, n)`, so that each frame can be identified.
struct CountingKernel: RenderKernel {
  /// Fails in every slice from this frame on.
  var failsFrom = Int.max

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let first = Int(context.timeStamp.sampleTime)
    guard first < failsFrom else { return .noConnection }
    for channel in 0..<output.channelCount {
      for frame in 0..<context.frameCount {
        output[channel][frame] = countedSample(channel, first + frame)
      }
    }
    return .ok
  }
}

/// A sample between -1 and 1 that 16 bits can represent, never 0, and different within 16,384
/// frames.
@_noLocks
func countedSample(_ channel: Int, _ frame: Int) -> Float {
  Float(((frame &* 31 &+ channel &* 7) & 0x3FFF) &+ 1) / 32_768 * (channel & 1 == 0 ? 1 : -1)
}

/// Repeats fixed samples: frame n of every channel is `samples[n % count]`.
struct CyclingKernel: RenderKernel, ~Copyable {
  let samples: SampleStorage
  init(_ samples: [Float]) { self.samples = SampleStorage(samples) }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let first = Int(context.timeStamp.sampleTime)
    for channel in 0..<output.channelCount {
      for frame in 0..<context.frameCount {
        output[channel][frame] = samples[(first + frame) % samples.count]
      }
    }
    return .ok
  }
}

/// Writes the words of an `int32` or `fixed8.24` bus.
struct WordKernel: RenderKernel, ~Copyable {
  let samples: SampleStorage
  init(_ words: [Int32]) {
    samples = SampleStorage(words.map { Float(bitPattern: UInt32(bitPattern: $0)) })
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let first = Int(context.timeStamp.sampleTime)
    for frame in 0..<context.frameCount {
      output[0][frame] = samples[(first + frame) % samples.count]
    }
    return .ok
  }
}

func plan(_ kernel: KernelBox, channels: Int = 2, maximumFramesPerSlice: Int = 512) -> RenderPlan {
  RenderPlan(
    rows: [.init(kernel: kernel, inputs: [], outputs: [RenderPlan.clientBus])],
    busChannelCounts: [channels], maximumFramesPerSlice: maximumFramesPerSlice)
}

func session(
  client: SampleType? = .float32, device: SampleType = .float32, channels: Int = 2,
  map: [Int]? = nil, capture: FrameRing? = nil, rate: Double = 48_000
) -> RenderSession {
  let channelMap = map ?? Array(0..<channels)
  return RenderSession(
    .init(
      client: client,
      device: StreamFormat(
        device, channels: channelMap.count, sampleRate: rate, interleaved: true),
      channelMap: channelMap, capture: capture, sampleRate: rate))
}

func stereoGrant(_ frames: Int, input: Int? = nil) -> HardwareGrant {
  HardwareGrant(
    outputFormat: StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true),
    inputFormat: input.map {
      StreamFormat(.float32, channels: $0, sampleRate: 48_000, interleaved: true)
    }, ioBufferFrames: frames)
}

/// Pulls frames and returns their bytes.
func pull(_ session: RenderSession, _ slices: [Int]) -> [UInt8] {
  let bytesPerFrame = Int(session.configuration.device!.bytesPerFrame)
  var bytes: [UInt8] = []
  for slice in slices {
    var memory = [UInt8](repeating: 0xAA, count: slice * bytesPerFrame)
    unsafe memory.withUnsafeMutableBytes { _ = unsafe session.pull(slice, into: $0.baseAddress) }
    bytes += memory
  }
  return bytes
}

/// Reads bytes as values of a type.
func values<T: BitwiseCopyable>(_ bytes: [UInt8], as: T.Type) -> [T] {
  unsafe bytes.withUnsafeBytes { bytes in
    (0..<bytes.count / MemoryLayout<T>.size).map {
      unsafe bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<T>.size, as: T.self)
    }
  }
}

func counted(_ frames: Range<Int>, channels: Int = 2) -> [Float] {
  frames.flatMap { frame in (0..<channels).map { countedSample($0, frame) } }
}
