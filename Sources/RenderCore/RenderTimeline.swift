/// Ramps of controls at times that are known beforehand.
///
/// A ramp goes from where its control is when it begins to where it is to be, in a straight line. The
/// slices of the plan are cut where a ramp begins, every 64 frames in it, and where it ends; each
/// piece tells the control where it is to be at the piece's end, and in how many frames. So a unit
/// that glides in a straight line follows the ramp to the frame, and what comes out does not depend
/// on how a device cuts its slices.
///
/// Made on the control thread; used by the one thread that renders.
@safe
public final class RenderTimeline: @unchecked Sendable {
  // `@unchecked Sendable`: the steps are written by the rendering thread, or while nothing renders.

  /// A ramp of one control.
  public struct Ramp: Sendable {
    public var block: ControlBlock
    /// The number of the control in its block.
    public var index: Int
    /// In frames of the plan.
    public var start: Int
    /// In frames; 0 for a change at once, which the unit smooths as any other.
    public var length: Int
    /// Where the control is to be.
    public var target: Float

    public init(block: ControlBlock, index: Int, start: Int, length: Int, target: Float) {
      self.block = block
      self.index = index
      self.start = start
      self.length = length
      self.target = target
    }
  }

  private struct Step: BitwiseCopyable {
    let controls: ControlAccess
    let index: Int
    let start: Int
    let length: Int
    let target: Float
    var origin: Float = 0
    var isOver = false

    /// The longest piece, in frames.
    static var piece: Int { @_noLocks get { 64 } }
  }

  private let steps: UnsafeMutableBufferPointer<Step>
  private let blocks: [ControlBlock]
  /// What each control of a ramp was when the timeline was made.
  private let origins: [(block: ControlBlock, index: Int, value: Float)]
  /// The steps before this one are over.
  private var first = 0

  /// - Parameter ramps: In any order. Those of one control do not overlap.
  public init(_ ramps: [Ramp]) {
    let sorted = ramps.sorted { $0.start < $1.start }
    unsafe steps = .allocate(capacity: sorted.count)
    for (index, ramp) in sorted.enumerated() {
      precondition(ramp.start >= 0 && ramp.length >= 0, "time goes forward")
      unsafe steps.initializeElement(
        at: index,
        to: Step(
          controls: ramp.block.access, index: ramp.index, start: ramp.start, length: ramp.length,
          target: ramp.target))
    }
    blocks = sorted.map(\.block)
    origins = sorted.map { ($0.block, $0.index, $0.block[$0.index]) }
  }

  deinit { unsafe steps.deallocate() }

  /// Begins again, with every control where it was. Control thread, while nothing renders.
  public func restart() {
    first = 0
    for index in unsafe steps.indices { unsafe steps[index].isOver = false }
    // The first ramp of a control knows best where it began.
    for origin in origins.reversed() {
      origin.block.access.set(origin.index, to: origin.value, glide: 0)
    }
  }

  /// Moves the controls for the piece that begins at a frame, and says how many of the next
  /// `frameCount` frames, at least one, it holds. Render thread.
  @_noLocks
  public func cut(_ frameCount: Int, at frame: Int) -> Int {
    var rest = frameCount
    var index = first
    var isFirst = true
    while index < (unsafe steps.count) {
      let until = unsafe steps[index].start - frame
      if until > 0 {
        return until < rest ? until : rest
      }
      if unsafe !steps[index].isOver {
        let left = move(index, at: -until)
        if left > 0 && left < rest { rest = left }
      }
      if unsafe steps[index].isOver {
        if isFirst { first = index + 1 }
      } else {
        isFirst = false
      }
      index += 1
    }
    return rest
  }

  /// Moves a control for the piece that begins at `position` frames of its ramp. Returns the frames
  /// that are left of the piece, 0 where the ramp is over.
  @_noLocks
  private func move(_ index: Int, at position: Int) -> Int {
    let step = unsafe steps[index]
    if position >= step.length {
      // Its last piece has gone there, unless it has none.
      step.controls.set(step.index, to: step.target, glide: 0)
      unsafe steps[index].isOver = true
      return 0
    }
    if position == 0 { unsafe steps[index].origin = step.controls[step.index] }
    let past = position % Step.piece
    let begin = position - past
    let end = begin + Step.piece < step.length ? begin + Step.piece : step.length
    if past == 0 {
      let origin = unsafe Double(steps[index].origin)
      let share = Double(end) / Double(step.length)
      let value =
        end == step.length ? step.target : Float(origin + (Double(step.target) - origin) * share)
      step.controls.set(step.index, to: value, glide: end - begin)
    }
    return end - position
  }
}
