import AudioTypes
import Foundation
import RenderCore
import RenderHost
import TestSupport
import Testing

/// The duration of the measurement in seconds, from the environment.
let measuredSeconds = Int(ProcessInfo.processInfo.environment["PATCHRUN_MEASURE"] ?? "") ?? 0

/// Whether to include a microphone in the measurement.
let measuresDuplex = ProcessInfo.processInfo.environment["PATCHRUN_DUPLEX"] != nil

/// Copies the microphone to the loudspeaker; silence while it has too few frames.
struct ThroughKernel: RenderKernel {
  let ring: FrameRingAccess

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    guard ring.pace > 0, ring.available >= context.frameCount else {
      output.silence()
      return .ok
    }
    for channel in 0..<output.channelCount { ring.read(into: output[channel], channel: channel) }
    ring.discard(context.frameCount)
    return .ok
  }
}

/// Takes half a second once, after a quarter of a second of sound.
struct DawdlingKernel: RenderKernel {
  private var frames = 0

  // Breaks the rules of the render thread on purpose: no `@_noLocks` here.
  mutating func render(_ context: RenderContext) -> Status {
    let before = frames
    frames += context.frameCount
    if before < 12_000 && frames >= 12_000 { usleep(500_000) }
    context.output(0).silence()
    return .ok
  }
}

/// A stereo session for a grant.
func session(for grant: HardwareGrant, capture: FrameRing? = nil) -> RenderSession {
  RenderSession(
    .init(
      client: grant.outputFormat == nil ? nil : .float32, device: grant.outputFormat,
      channelMap: (0..<(grant.outputFormat?.channelCount ?? 0)).map { $0 < 2 ? $0 : -1 },
      capture: capture, sampleRate: grant.sampleRate))
}

/// The interleaved stereo frames from the first to the last that is not silent.
func sound(in samples: [Float]) -> [Float] {
  guard let first = samples.firstIndex(where: { $0 != 0 }),
    let last = samples.lastIndex(where: { $0 != 0 })
  else { return [] }
  return Array(samples[(first / 2 * 2)...(last | 1)])
}

/// Expects the numbers of some frames, whole. The macro would print all of them where they differ.
func expectWhole(
  _ heard: [Float], _ frames: Range<Int>, sourceLocation: SourceLocation = #_sourceLocation
) {
  let isWhole = heard == numbered(frames)
  #expect(isWhole, "\(heard.count) samples were heard", sourceLocation: sourceLocation)
}

/// All frames in a stereo ring, interleaved.
func contents(of ring: FrameRing) -> [Float] {
  let access = ring.access
  let count = access.available
  let memory = UnsafeMutablePointer<Float>.allocate(capacity: count)
  defer { unsafe memory.deallocate() }
  var samples = [Float](repeating: 0, count: 2 * count)
  for channel in 0..<2 {
    unsafe access.read(into: ChannelBuffer(base: memory, count: count), channel: channel)
    for frame in 0..<count { samples[2 * frame + channel] = unsafe memory[frame] }
  }
  return samples
}
