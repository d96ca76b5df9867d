public import AudioTypes

/// Fades once from input 0 to input 1.
///
/// The two gains add up to 1 in every frame and have no corner: 1 - s and s with s = 3x² - 2x³, x
/// from 0 to 1 over the length of the fade. Two equal inputs pass unchanged; after the fade input 1
/// passes bit for bit.
///
/// For a sound that restarts, input 1 has full level from its first frame on, with its own onset,
/// and only input 0 fades: the output is input 1 plus 1 - s times input 0.
public struct CrossfadeKernel: RenderKernel {
  /// The fade of input 0 where a sound restarts, in seconds.
  public static let onsetDuration = 0.005

  private let length: Int
  private let isOnset: Bool
  private var position = 0
  private var wait: Int

  /// - Parameters:
  ///   - length: The length of the fade in frames, at least 1.
  ///   - wait: Frames of input 0 before the fade.
  ///   - isOnset: Whether input 1 has full level from its first frame on.
  public init(length: Int, after wait: Int = 0, isOnset: Bool = false) {
    precondition(length > 0 && wait >= 0, "a fade needs at least one frame")
    self.length = length
    self.isOnset = isOnset
    self.wait = wait
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let leaving = context.input(0)
    let entering = context.input(1)
    let output = context.output(0)
    let waiting = wait < context.frameCount ? wait : context.frameCount
    wait -= waiting
    let left = length - position
    let rest = context.frameCount - waiting
    let faded = left < rest ? left : rest
    for channel in 0..<output.channelCount {
      if waiting > 0 { output[channel].prefix(waiting).copy(from: leaving[channel]) }
      let old = leaving[channel].dropping(waiting)
      let new = entering[channel].dropping(waiting)
      let mix = output[channel].dropping(waiting)
      for frame in 0..<faded {
        let x = Float(position + frame) / Float(length)
        let share = x * x * (3 - 2 * x)
        mix[frame] =
          isOnset
          ? new[frame] + old[frame] * (1 - share) : old[frame] + (new[frame] - old[frame]) * share
      }
      mix.dropping(faded).copy(from: new.dropping(faded))
    }
    position += faded
    return .ok
  }
}
