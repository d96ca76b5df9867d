import AudioTypes
import RenderCore

/// What delays one input of a running graph. It lives on from plan to plan, as its memory has to.
struct InputDelay: Sendable {
  let kernel: KernelBox
  /// Its word 0 is the delay in frames.
  let block: ControlBlock
  let capacity: Int
  let format: StreamFormat

  /// - Parameters:
  ///   - frames: How long it is, in frames of the input.
  ///   - startsDelayed: Whether nothing has been heard before: else it begins with no delay, and goes over
  ///     as soon as it has heard enough.
  ///   - fades: Whether its samples are floats, so that it can go over from one delay to another in 10 ms.
  init(_ format: StreamFormat, _ frames: Int, startsDelayed: Bool, fades: Bool) {
    self.format = format
    var capacity = 4096
    while capacity < 2 * frames + 1 { capacity *= 2 }
    self.capacity = capacity
    block = ControlBlock([UInt32(frames)])
    kernel = .holding(
      LatencyDelay(
        channelCount: format.channelCount, capacity: capacity, controls: block.access,
        startsDelayed: startsDelayed,
        fadeLength: fades ? max(1, Int(format.sampleRate / 100)) : 0),
      with: block)
  }
}
