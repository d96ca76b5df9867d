import AudioTypes
import RenderCore

/// The delay of one input of a running graph. It is kept from plan to plan, with its memory.
struct InputDelay: Sendable {
  let kernel: KernelBox
  /// Word 0 is the delay in frames.
  let block: ControlBlock
  let capacity: Int
  let format: StreamFormat

  /// - Parameters:
  ///   - frames: The delay in frames of the input.
  ///   - startsDelayed: Whether the input is new. If not, the delay begins at 0 and becomes
  ///     `frames` once enough samples have been received.
  ///   - fades: Whether the samples are floats, so that a change of the delay can cross-fade over
  ///     10 ms.
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
