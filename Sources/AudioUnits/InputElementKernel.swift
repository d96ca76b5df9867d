public import AudioTypes
public import RenderCore

/// The microphone side of an I/O unit: takes what the device has put down and gives it to the graph
/// in the client's format.
///
/// Offline both sides run on one clock: a frame that is not there is an error of the host and reads
/// as silence. Live the kernel first waits until the device is a little ahead, so that lumps of
/// delivery are not heard.
public struct InputElementKernel: RenderKernel {
  private let ring: FrameRingAccess
  private let clientChannels: Int
  private let hardwareChannels: Int
  private let sample: SampleType
  private let isExact: Bool
  private let cushion: Int
  private var isFlowing: Bool
  private var missed = 0

  public init(
    ring: FrameRingAccess, hardware: StreamFormat, client: StreamFormat, ioBufferFrames: Int,
    isSynchronous: Bool
  ) {
    self.ring = ring
    clientChannels = client.channelCount
    hardwareChannels = hardware.channelCount
    sample = client.sampleType ?? .float32
    isExact = sample == .float32
    cushion = isSynchronous ? 0 : ioBufferFrames * 2
    isFlowing = isSynchronous
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let frames = context.frameCount
    if !isFlowing && ring.available >= frames + cushion { isFlowing = true }
    guard isFlowing, ring.available >= frames else {
      if isFlowing { missed += frames }
      output.silence()
      return .ok
    }
    for channel in 0..<clientChannels {
      let buffer = output[channel]
      let source = hardwareChannels == 1 ? 0 : channel
      guard source < hardwareChannels else {
        buffer.clear()
        continue
      }
      ring.read(into: buffer, channel: source)
      switch sample {
      case .float32: break
      case .int16, .int24: SampleCoding.quantize(buffer, to: sample)
      case .int32, .fixed824: SampleCoding.encode(buffer, into: buffer, as: sample)
      }
    }
    ring.discard(frames)
    return .ok
  }
}
