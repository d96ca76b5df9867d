public import AudioTypes
import Glibc
public import RenderCore

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

/// Waits up to a minute for something that another thread does soon.
public func eventually(_ condition: () -> Bool) -> Bool {
  for _ in 0..<60_000 {
    if condition() { return true }
    usleep(1000)
  }
  return condition()
}
