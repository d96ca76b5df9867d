public import AudioTypes
import Glibc
public import RenderCore
public import RenderHost

/// Outputs the number of each frame, so that a reader can identify frames.
public struct NumberingKernel: RenderKernel {
  public init() {}

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let first = Int(context.timeStamp.sampleTime)
    for channel in 0..<output.channelCount {
      for frame in 0..<context.frameCount {
        output[channel][frame] = number(channel, first + frame)
      }
    }
    return .ok
  }
}

/// Never 0, and different for 16 million frames.
@_noLocks
public func number(_ channel: Int, _ frame: Int) -> Float {
  Float(frame &+ 1) / 16_777_216 * (channel == 0 ? 1 : -1)
}

/// Sixteen bits of noise that depend on channel and frame only: exact in every sample type, except
/// at the limits of 8.24.
public func hashed(_ channel: Int, _ frame: Int) -> Float {
  var word = UInt32(truncatingIfNeeded: frame &* 2 &+ channel) &* 2_654_435_761
  word ^= word >> 15
  word = word &* 2_246_822_519
  return Float(Int(word >> 16) - 32_768) / 65_536
}

/// Stereo frames, interleaved.
public func numbered(_ frames: Range<Int>) -> [Float] {
  frames.flatMap { [number(0, $0), number(1, $0)] }
}

/// Outputs the frames of a capture ring; silence if there are too few.
public struct RingKernel: RenderKernel {
  private let ring: FrameRingAccess

  public init(ring: FrameRingAccess) { self.ring = ring }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    guard ring.available >= context.frameCount else {
      output.silence()
      return .ok
    }
    for channel in 0..<output.channelCount { ring.read(into: output[channel], channel: channel) }
    ring.discard(context.frameCount)
    return .ok
  }
}

/// A plan of one kernel without inputs, in stereo.
public func plan(of kernel: KernelBox) -> RenderPlan {
  RenderPlan(
    rows: [.init(kernel: kernel, inputs: [], outputs: [RenderPlan.clientBus])],
    busChannelCounts: [2], maximumFramesPerSlice: 4096)
}

extension RenderSession {
  /// Plays the numbers of the frames.
  public func playNumbers() { play(plan(of: .holding(NumberingKernel()))) }

  /// Plays what comes from a capture ring.
  public func play(ring: FrameRing) { play(plan(of: .holding(RingKernel(ring: ring.access)))) }
}

/// The error that `body` throws.
public func failure(_ body: () throws(HardwareError) -> Void) -> HardwareError? {
  do throws(HardwareError) { try body() } catch { return error }
  return nil
}

/// Waits up to a minute for something that another thread does soon.
public func eventually(_ condition: () -> Bool) -> Bool {
  for _ in 0..<60_000 {
    if condition() { return true }
    usleep(1000)
  }
  return condition()
}
