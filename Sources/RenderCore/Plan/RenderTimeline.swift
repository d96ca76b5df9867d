/// Ramps of controls at times that are known beforehand.
///
/// A ramp goes from where its control is when it begins to where it is to be, in a straight line or
/// by the same factor in each frame. The slices of the plan are cut where a ramp begins, every 64
/// frames in it, and where it ends; each piece tells the control where it is to be at the piece's end,
/// and in how many frames. So a unit that glides in a straight line follows the ramp to the frame, and
/// what comes out does not depend on how a device cuts its slices. The pieces of a curve are shorter
/// where it is steep: the lines stay within 0.0005 dB of it.
///
/// Made on the control thread; used by the one thread that renders.
@safe
public final class RenderTimeline: @unchecked Sendable {
  // `@unchecked Sendable`: the steps are written by the rendering thread, or while nothing renders.

  /// A ramp of one control.
  public struct Ramp: Sendable {
    /// The controls that have the number.
    public var block: ControlBlock
    /// The number of the control in its block.
    public var index: Int
    /// In frames of the plan.
    public var start: Int
    /// In frames; 0 for a change at once, which the unit smooths as any other.
    public var length: Int
    /// Where the control is to be.
    public var target: Float
    /// Whether it goes by the same factor in each frame, and not in a straight line: as long as both
    /// ends are on one side of zero.
    public var isExponential: Bool
    /// Of a control whose range is once around, that range: what is beyond one end goes on from the other.
    /// `nil` for any other control.
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
    /// The ends of a circle; both 0 for none.
    let lower: Float
    let upper: Float
    var origin: Float = 0
    /// The logarithm of the factor from the origin to the target; 0 for a straight line.
    var slope = 0.0
    /// In frames.
    var piece = 64
    var isOver = false

    /// Settles what depends on where the control is when the ramp begins.
    @_noLocks
    mutating func begin(at value: Float) {
      origin = value
      slope = 0
      piece = 64
      guard isExponential else { return }
      let factor = Double(target) / Double(value)
      // NaN and 0 are none, too.
      guard factor > 0 else { return }
      guard factor.isFinite else { return }
      slope = renderLog(factor)
      // By 2 percent in a piece at most: a line is off by a 20,000th then.
      while piece > 1 {
        if abs(slope) * Double(piece) <= 0.02 * Double(length) { return }
        piece /= 2
      }
    }

    /// Sets the control, on a circle to the value that means the same. A piece that comes to an end of the
    /// circle has no glide, which would lead back over all of it.
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

    /// Where the control is to be after some frames, fewer than all.
    @_noLocks
    func value(after frames: Int) -> Float {
      let share = Double(frames) / Double(length)
      if slope != 0 { return Float(Double(origin) * renderExp(slope * share)) }
      return Float(Double(origin) + (Double(target) - Double(origin)) * share)
    }
  }

  private let steps: UnsafeMutableBufferPointer<Step>
  private let blocks: [ControlBlock]
  /// What each control of a ramp was when the timeline was made.
  private let origins: [(block: ControlBlock, index: Int, value: Float)]
  /// The steps before this one are over.
  private var first = 0

  /// - Parameter ramps: In any order. Those of one control do not overlap.
  public init(_ ramps: [Ramp]) {
    var sorted = ramps.sorted { $0.start < $1.start }
    Self.cutApart(&sorted)
    unsafe steps = .allocate(capacity: sorted.count)
    for (index, ramp) in sorted.enumerated() {
      precondition(ramp.start >= 0 && ramp.length >= 0, "time goes forward")
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

  /// Ends each ramp where the next of its control begins: what ends and begins at one time may be a frame
  /// apart where that is rounded.
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

  /// Begins again, with every control where it was. Control thread, while nothing renders.
  public func restart() {
    first = 0
    for index in unsafe steps.indices { unsafe steps[index].isOver = false }
    // The first ramp of a control knows best where it began.
    for origin in origins.reversed() {
      origin.block.access.set(origin.index, to: origin.value, glide: 0)
    }
  }

  /// How far the ramps are: what another timeline takes over.
  @safe
  struct Progress {
    fileprivate let steps: UnsafeMutableBufferPointer<Step>?

    @_noLocks
    fileprivate init(_ steps: UnsafeMutableBufferPointer<Step>?) { unsafe self.steps = steps }

    /// Where there has been no timeline.
    static var none: Progress { @_noLocks get { unsafe Progress(nil) } }
  }

  @_noLocks
  func progress() -> Progress { unsafe Progress(steps) }

  /// Goes on where another timeline has been: the ramps that both have are where they are, those that
  /// have ended are over, and those that would be on their way set out from where their control is, to
  /// arrive on time. Render thread, before the first cut.
  @_noLocks
  func takeOver(_ progress: Progress, at frame: Int) {
    if let old = unsafe progress.steps {
      // It is this one, and goes on.
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

  /// Ends the glides of ramps that are on their way, where no other timeline follows. Render thread.
  @_noLocks
  func leave() {
    for index in 0..<(unsafe steps.count) {
      let step = unsafe steps[index]
      if !step.isOver { step.controls.endGlide(step.index) }
    }
  }

  /// Takes the state of a ramp over. Returns whether there is such a ramp.
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
    if position == 0 { unsafe steps[index].begin(at: steps[index].controls[steps[index].index]) }
    let step = unsafe steps[index]
    if position >= step.length {
      // Its last piece has gone there, unless it has none.
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
