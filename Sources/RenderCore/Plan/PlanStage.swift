/// A number that is set in a control block at a time that is known beforehand.
public struct ControlWrite: Sendable {
  /// The controls that have the number.
  public var block: ControlBlock
  /// The number's place among them.
  public var index: Int
  /// What it is set to.
  public var word: UInt32

  public init(_ block: ControlBlock, _ index: Int, word: UInt32) {
    self.block = block
    self.index = index
    self.word = word
  }
}

/// A plan, and from when and for how long it is played.
///
/// Made and freed on the control thread, played on the render thread. Frames are those of the plan,
/// counted from the beginning of the session.
@safe
public struct PlanStage: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: a stage has one owner at a time, which hands it on whole.

  private struct Write: BitwiseCopyable {
    let controls: ControlAccess
    let index: Int
    let word: UInt32
  }

  /// What is played.
  public let plan: RenderPlan
  /// The stage does not begin before this frame.
  public let earliest: Int
  /// For how many frames it is played at the least before the next stage begins: as long as a fade
  /// in it takes.
  public let minimumFrames: Int
  private let writes: UnsafeMutableBufferPointer<Write>
  /// What moves controls while the plan is played.
  let timeline: Unmanaged<RenderTimeline>?
  /// What the writes point to, kept alive.
  private let company: [ControlBlock]

  /// - Parameters:
  ///   - earliest: 0 for as soon as it can be.
  ///   - writes: What is set as the stage begins, in order.
  ///   - timeline: Kept as long as the stage.
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
    company = writes.map(\.block)
  }

  deinit {
    unsafe writes.deallocate()
    unsafe timeline?.release()
  }

  /// What moves controls while the plan is played. Control thread.
  public var movedBy: RenderTimeline? { unsafe timeline?.takeUnretainedValue() }

  /// Lets a timeline that is another one than before go on where that has been. Render thread.
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

  /// Sets what is set as the stage begins. Render thread.
  @_noLocks
  func carryOutWrites() {
    for index in 0..<(unsafe writes.count) {
      let write = unsafe writes[index]
      write.controls.set(write.index, to: Float(bitPattern: write.word), glide: 0)
    }
  }
}
