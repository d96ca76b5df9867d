public import AudioTypes

/// From one sound to another: input 0 leaves, input 1 enters, once.
///
/// The two gains add up to 1 in every frame, and both have no corner: 1 - s and s with
/// s = 3x² - 2x³, x from 0 to 1 over the length of the fade. Two inputs that are the same come out as
/// they are; after the fade input 1 does, bit for bit.
public struct CrossfadeKernel: RenderKernel {
  private let length: Int
  private var position = 0

  /// - Parameter length: In frames, at least 1.
  public init(length: Int) {
    precondition(length > 0, "a fade needs at least one frame")
    self.length = length
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let leaving = context.input(0)
    let entering = context.input(1)
    let output = context.output(0)
    let left = length - position
    let faded = left < context.frameCount ? left : context.frameCount
    for channel in 0..<output.channelCount {
      let old = leaving[channel]
      let new = entering[channel]
      let mix = output[channel]
      for frame in 0..<faded {
        let x = Float(position + frame) / Float(length)
        let share = x * x * (3 - 2 * x)
        mix[frame] = old[frame] + (new[frame] - old[frame]) * share
      }
      mix.dropping(faded).copy(from: new.dropping(faded))
    }
    position += faded
    return .ok
  }
}
