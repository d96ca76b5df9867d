/// Ramps of controls at known times.
///
/// A ramp goes from its control's value at the start to its target, linearly or exponentially. The
/// plan's slices are cut where a ramp begins, every 64 frames in it, and where it ends. For each
/// piece the control gets its value at the piece's end, with the piece's frames as the glide. A
/// unit that glides linearly then follows the ramp exactly, and the output does not depend on how a
/// device slices it. Pieces of an exponential ramp are shorter where it is steep: the lines stay
/// within 0.0005 dB of the curve.
///
/// Made on the control thread; used by the one thread that renders.
@safe
public final class RenderTimeline: @unchecked Sendable {
  // `@unchecked Sendable`: the steps are written by the rendering thread, or while nothing renders.

  /// A ramp of one control.
  public struct Ramp: Sendable {
    /// The control block.
    public var block: ControlBlock
    /// The index of the control in its block.
    public var index: Int
    /// The first frame, in frames of the plan from the beginning.
    public var start: Int
    /// In frames; 0 for a step, which the unit smooths like any other change.
    public var length: Int
    /// The value at the end.
    public var target: Float
    /// Whether it is exponential and not linear. Where the two ends do not have the same sign it is
    /// linear.
    public var isExponential: Bool
    /// The range of a control that wraps around, such as an angle: a value beyond one end continues
    /// from the other. `nil` for any other control.
    public var circle: ClosedRange<Float>?

    public init(
      block: ControlBlock, index: Int, start: Int, length: Int, target: Float,
      isExponential: Bool = false
    ) {
      self.block = block
      self.index = index
      self.start = start
      self.length = length
      self.target = target
      self.isExponential = isExponential
    }
  }

  fileprivate struct Step: BitwiseCopyable {
    let controls: ControlAccess
    let index: Int
    var start: Int
    var length: Int
    let target: Float
    let isExponential: Bool
    /// The range of a control that wraps around; both 0 for others.
    let lower: Float
    let upper: Float
    var origin: Float = 0
    /// The logarithm of the target over the origin; 0 for a linear ramp.
    var slope = 0.0
    /// The longest piece, in frames.
    var piece = 64
    var isOver = false

    /// Computes the curve from the control's value at the start of the ramp.
    @_noLocks
    mutating func begin(at value: Float) {
      origin = value
      slope = 0
      piece = 64
      guard isExponential else { return }
      let factor = Double(target) / Double(value)
      // False for NaN and 0 too.
      guard factor > 0 else { return }
      guard factor.isFinite else { return }
      slope = renderLog(factor)
      // At most 2 percent in a piece: a line is then off by a 20,000th.
      while piece > 1 {
        if abs(slope) * Double(piece) <= 0.02 * Double(length) { return }
        piece /= 2
      }
    }

    /// Sets the control, wrapped into its range. A piece across the end of the range has no glide,
    /// which would run back through the whole range.
    @_noLocks
    func set(_ value: Float, glide: Int) {
      let turn = upper - lower
      var value = value
      var length = glide
      if turn > 0 && (value > upper || value < lower) {
        let before = controls[index]
        value -= turn * Float(renderFloor(Double((value - lower) / turn)))
        if value == lower && target > 0 { value = upper }
        if abs(value - before) * 2 > turn { length = 0 }
      }
      controls.set(index, to: value, glide: length)
    }

    /// The value after some frames, fewer than `length`.
    @_noLocks
    func value(after frames: Int) -> Float {
      let share = Double(frames) / Double(length)
      if slope != 0 { return Float(Double(origin) * renderExp(slope * share)) }
      return Float(Double(origin) + (Double(target) - Double(origin)) * share)
    }
  }

  private let steps: UnsafeMutableBufferPointer<Step>
  private let blocks: [ControlBlock]
  /// The value of each ramp's control when the timeline was made.
  private let origins: [(block: ControlBlock, index: Int, value: Float)]
  /// The index of the first step that is not over.
  private var first = 0

  /// - Parameter ramps: In any order. Ramps of one control must not overlap by more than rounding
  ///   to frames.
  public init(_ ramps: [Ramp]) {
    var sorted = ramps.sorted { $0.start < $1.start }
    Self.cutApart(&sorted)
    unsafe steps = .allocate(capacity: sorted.count)
    for (index, ramp) in sorted.enumerated() {
      precondition(ramp.start >= 0 && ramp.length >= 0, "time goes forward")
      ramp.block.makeSchedule()
      unsafe steps.initializeElement(
        at: index,
        to: Step(
          controls: ramp.block.access, index: ramp.index, start: ramp.start, length: ramp.length,
          target: ramp.target, isExponential: ramp.isExponential,
          lower: ramp.circle?.lowerBound ?? 0, upper: ramp.circle?.upperBound ?? 0))
    }
    blocks = sorted.map(\.block)
    origins = sorted.map { ($0.block, $0.index, $0.block[$0.index]) }
  }

  deinit { unsafe steps.deallocate() }

  /// Ends each ramp where the next one of its control begins: rounding to frames may make them
  /// overlap.
  private static func cutApart(_ ramps: inout [Ramp]) {
    struct Control: Hashable {
      var block: ObjectIdentifier
      var index: Int
    }
    var next: [Control: Int] = [:]
    for index in ramps.indices.reversed() {
      let control = Control(block: ObjectIdentifier(ramps[index].block), index: ramps[index].index)
      if let start = next[control] {
        ramps[index].length = min(ramps[index].length, start - ramps[index].start)
      }
      next[control] = ramps[index].start
    }
  }

  /// Returns to the beginning, with the controls at their original values. Control thread, while
  /// nothing renders.
  public func restart() {
    first = 0
    for index in unsafe steps.indices { unsafe steps[index].isOver = false }
    // Reversed, so that the first ramp of a control is the last to set it.
    for origin in origins.reversed() {
      origin.block.access.set(origin.index, to: origin.value, glide: 0)
    }
  }

  /// The state of the ramps, which another timeline takes over.
  @safe
  struct Progress {
    fileprivate let steps: UnsafeMutableBufferPointer<Step>?

    @_noLocks
    fileprivate init(_ steps: UnsafeMutableBufferPointer<Step>?) { unsafe self.steps = steps }

    /// For a session that had no timeline.
    static var none: Progress { @_noLocks get { unsafe Progress(nil) } }
  }

  @_noLocks
  func progress() -> Progress { unsafe Progress(steps) }

  /// Continues from another timeline at a frame. Ramps that both have go on. Ramps that should be
  /// over are skipped. Other ramps that should be under way start from their control's current
  /// value and end on time. Render thread, before the first cut.
  @_noLocks
  func takeOver(_ progress: Progress, at frame: Int) {
    if let old = unsafe progress.steps {
      // The same timeline: it goes on.
      if unsafe old.baseAddress == steps.baseAddress { return }
      for index in 0..<(old.count) {
        let step = unsafe old[index]
        if !step.isOver { step.controls.endGlide(step.index) }
      }
    }
    for index in 0..<(unsafe steps.count) {
      let step = unsafe steps[index]
      if step.start >= frame { return }
      let end = step.start + step.length
      if end < frame {
        unsafe steps[index].isOver = true
      } else if !goesOn(index, progress) {
        unsafe steps[index].start = frame
        unsafe steps[index].length = end - frame
      }
    }
  }

  /// Ends the glides of ramps under way, where no other timeline follows. Render thread.
  @_noLocks
  func leave() {
    for index in 0..<(unsafe steps.count) {
      let step = unsafe steps[index]
      if !step.isOver { step.controls.endGlide(step.index) }
    }
  }

  /// Copies the state of the same ramp in another timeline. Returns whether there is one.
  @_noLocks
  private func goesOn(_ index: Int, _ progress: Progress) -> Bool {
    guard let others = unsafe progress.steps else { return false }
    let step = unsafe steps[index]
    for place in 0..<(others.count) {
      let other = unsafe others[place]
      if other.start > step.start { return false }
      guard other.start == step.start, other.index == step.index, other.length == step.length,
        other.target == step.target, other.controls.isSame(as: step.controls)
      else { continue }
      unsafe steps[index] = other
      return true
    }
    return false
  }

  /// Sets the controls for the piece that begins at a frame, and returns its length: at least one
  /// frame and at most `frameCount`. Render thread.
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

  /// Sets a control for the piece that begins `position` frames into its ramp. Returns the frames
  /// left of the piece; 0 where the ramp is over.
  @_noLocks
  private func move(_ index: Int, at position: Int) -> Int {
    if position == 0 { unsafe steps[index].begin(at: steps[index].controls[steps[index].index]) }
    let step = unsafe steps[index]
    if position >= step.length {
      // Usually the last piece has reached it already.
      step.set(step.target, glide: 0)
      unsafe steps[index].isOver = true
      return 0
    }
    let past = position % step.piece
    let begin = position - past
    let end = begin + step.piece < step.length ? begin + step.piece : step.length
    if past == 0 {
      let value = end == step.length ? step.target : step.value(after: end)
      step.set(value, glide: end - begin)
    }
    return end - position
  }
}
