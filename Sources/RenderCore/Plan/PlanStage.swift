/// A number to set in a control block at a known time.
public struct ControlWrite: Sendable {
  /// The control block.
  public var block: ControlBlock
  /// The index of the number.
  public var index: Int
  /// The value, as a word.
  public var word: UInt32

  public init(_ block: ControlBlock, _ index: Int, word: UInt32) {
    self.block = block
    self.index = index
    self.word = word
  }
}

/// A plan, with the time from which it is played and its shortest duration.
///
/// Made and freed on the control thread, played on the render thread. Frames are those of the plan,
/// counted from the beginning of the session.
@safe
public struct PlanStage: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: a stage has one owner at a time.

  private struct Write: BitwiseCopyable {
    let controls: ControlAccess
    let index: Int
    let word: UInt32
  }

  /// The plan to play.
  public let plan: RenderPlan
  /// The first frame at which the stage may begin.
  public let earliest: Int
  /// The least frames that it plays before the next stage begins: the length of a fade in it.
  public let minimumFrames: Int
  private let writes: UnsafeMutableBufferPointer<Write>
  /// Moves controls while the plan is played.
  let timeline: Unmanaged<RenderTimeline>?
  /// Retains the blocks that the writes point to.
  private let retainedBlocks: [ControlBlock]

  /// - Parameters:
  ///   - earliest: 0 to begin as soon as possible.
  ///   - writes: The numbers to set when the stage begins, in order.
  ///   - timeline: Retained as long as the stage.
  public init(
    _ plan: consuming RenderPlan, earliest: Int = 0, minimumFrames: Int = 0,
    writes: [ControlWrite] = [], timeline: RenderTimeline? = nil
  ) {
    precondition(earliest >= 0 && minimumFrames >= 0, "time goes forward")
    self.plan = plan
    self.earliest = earliest
    self.minimumFrames = minimumFrames
    unsafe self.writes = .allocate(capacity: writes.count)
    for (index, write) in writes.enumerated() {
      unsafe self.writes.initializeElement(
        at: index,
        to: Write(controls: write.block.access, index: write.index, word: write.word))
    }
    unsafe self.timeline = timeline.map { unsafe .passRetained($0) }
    retainedBlocks = writes.map(\.block)
  }

  deinit {
    unsafe writes.deallocate()
    unsafe timeline?.release()
  }

  /// The timeline that moves controls while the plan is played. Control thread.
  public var movedBy: RenderTimeline? { unsafe timeline?.takeUnretainedValue() }

  /// Lets the timeline of the stage continue from that of the stage before, where the two differ.
  /// Render thread.
  @_noLocks
  func beginTimeline(after old: Unmanaged<RenderTimeline>?, at frame: Int) {
    guard let new = unsafe timeline else {
      if let old = unsafe old { unsafe old._withUnsafeGuaranteedRef { $0.leave() } }
      return
    }
    var progress = RenderTimeline.Progress.none
    if let old = unsafe old {
      progress = unsafe old._withUnsafeGuaranteedRef { $0.progress() }
    }
    let before = progress
    unsafe new._withUnsafeGuaranteedRef { $0.takeOver(before, at: frame) }
  }

  /// Sets the numbers of `writes`. Render thread.
  @_noLocks
  func carryOutWrites() {
    for index in 0..<(unsafe writes.count) {
      let write = unsafe writes[index]
      write.controls.set(write.index, to: Float(bitPattern: write.word), glide: 0)
    }
  }
}
