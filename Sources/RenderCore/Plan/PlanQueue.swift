public import AudioTypes
import Synchronization

/// Hands stages to the render thread, which plays them in order, and returns those that it has
/// finished, to be freed.
///
/// A list without locks: the control thread appends a stage, the render thread goes to the next
/// stage once its frame has come, and pushes the old one onto the list of finished stages, which
/// the control thread takes as a whole. The last stage plays until another one is posted.
///
/// `@unchecked Sendable`: one side at a time may write to a stage, and every transfer is atomic.
@safe
public struct PlanQueue: ~Copyable, @unchecked Sendable {
  /// A stage in the queue, as the queue hands it out.
  public typealias Handle = UnsafeMutablePointer<Node>

  /// A stage in the queue.
  @safe
  public struct Node: ~Copyable {
    let stage: PlanStage
    fileprivate let next = unsafe Atomic<Handle?>(nil)
    // Used by the render thread until the node is in the list of finished stages.
    fileprivate var began = 0
    fileprivate var nextFinished: Handle?

    fileprivate init(_ stage: consuming PlanStage) {
      self.stage = stage
      unsafe nextFinished = nil
    }
  }

  /// The stage to play next.
  @safe
  public struct Turn: BitwiseCopyable {
    /// `nil` before the first stage.
    public let handle: Handle?
    /// The frames to play it for, at least 1.
    public let frameCount: Int

    @_noLocks
    init(_ handle: Handle?, _ frameCount: Int) {
      unsafe self.handle = handle
      self.frameCount = frameCount
    }
  }

  private let first = unsafe Atomic<Handle?>(nil)
  private let finished = unsafe Atomic<Handle?>(nil)
  private let begunCount = Atomic<Int>(0)
  // Used by the control thread only.
  private let last = unsafe Atomic<Handle?>(nil)
  private let postedCount = Atomic<Int>(0)

  // A struct stored in place, because reaching a class through a property would retain it.
  public init() {}

  deinit {
    collect()
    unsafe end(first.exchange(nil, ordering: .acquiring))
  }

  /// Frees the current stage and all behind it. Called once nothing renders any more.
  public func end(_ current: Handle?) {
    var rest = unsafe current
    while let node = unsafe rest {
      unsafe rest = node.pointee.next.load(ordering: .acquiring)
      unsafe Self.free(node)
    }
  }

  private static func free(_ node: Handle) {
    unsafe node.deinitialize(count: 1)
    unsafe node.deallocate()
  }

  // MARK: Control thread, one call at a time

  /// Appends a stage. Returns its number, from 1 up.
  @discardableResult
  public func post(_ stage: consuming PlanStage) -> Int {
    let node = Handle.allocate(capacity: 1)
    unsafe node.initialize(to: Node(stage))
    // The last stage is never finished: it ends only when another one follows.
    if let last = unsafe last.load(ordering: .relaxed) {
      unsafe last.pointee.next.store(node, ordering: .releasing)
    } else {
      unsafe first.store(node, ordering: .releasing)
    }
    unsafe last.store(node, ordering: .relaxed)
    collect()
    return postedCount.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// The number of stages that have begun since the queue was made.
  public var begunStages: Int { @_noLocks get { begunCount.load(ordering: .acquiring) } }

  /// The number of stages posted, which is the number of the last one.
  public var postedStages: Int { postedCount.load(ordering: .relaxed) }

  /// The number of stages that have not begun.
  public var waitingStages: Int { postedStages - begunStages }

  /// Frees the finished stages.
  public func collect() {
    var rest = unsafe finished.exchange(nil, ordering: .acquiring)
    while let node = unsafe rest {
      unsafe rest = node.pointee.nextFinished
      unsafe Self.free(node)
    }
  }

  /// Starts to count frames from 0 again. The next stage does not wait for the current one. Called
  /// while nothing renders.
  public func rewind(_ current: Handle?) {
    guard let current = unsafe current else { return }
    unsafe current.pointee.began = .min / 2
  }

  // MARK: Render thread

  /// The stage for the slice that begins at a frame, and how many of the next `limit` frames it
  /// plays.
  @_noLocks
  public func turn(after current: Handle?, at frame: Int, atMost limit: Int) -> Turn {
    var node: Handle
    if let current = unsafe current {
      unsafe node = current
    } else {
      guard let head = unsafe first.exchange(nil, ordering: .acquiring) else {
        return unsafe Turn(nil, limit)
      }
      unsafe begin(head, after: nil, at: frame)
      unsafe node = head
    }
    while let next = unsafe node.pointee.next.load(ordering: .acquiring) {
      let over = unsafe node.pointee.began &+ node.pointee.stage.minimumFrames
      let earliest = unsafe next.pointee.stage.earliest
      let due = over > earliest ? over : earliest
      if due > frame {
        let rest = due - frame
        return unsafe Turn(node, rest < limit ? rest : limit)
      }
      unsafe begin(next, after: node, at: frame)
      unsafe leave(node)
      unsafe node = next
    }
    return unsafe Turn(node, limit)
  }

  @_noLocks
  private func begin(_ node: Handle, after previous: Handle?, at frame: Int) {
    unsafe node.pointee.began = frame
    unsafe node.pointee.stage.beginTimeline(after: previous?.pointee.stage.timeline, at: frame)
    unsafe node.pointee.stage.carryOutWrites()
    begunCount.wrappingAdd(1, ordering: .releasing)
  }

  @_noLocks
  private func leave(_ node: Handle) {
    var top = unsafe finished.load(ordering: .relaxed)
    while true {
      unsafe node.pointee.nextFinished = top
      let (done, now) = unsafe finished.compareExchange(
        expected: top, desired: node, ordering: .acquiringAndReleasing)
      if done { return }
      unsafe top = now
    }
  }
}

extension UnsafeMutablePointer where Pointee == PlanQueue.Node, Pointee: ~Copyable {
  /// The frames of the next piece, at most `limit`. Sets the controls that the timeline moves for
  /// it.
  @_noLocks
  public func cut(_ limit: Int, at frame: Int) -> Int {
    let maximum = unsafe pointee.stage.plan.maximumFramesPerSlice
    let length = limit < maximum ? limit : maximum
    guard let timeline = unsafe pointee.stage.timeline else { return length }
    return unsafe timeline._withUnsafeGuaranteedRef { $0.cut(length, at: frame) }
  }

  /// The frames of the next slice, between two render notifications, at most `limit`.
  @_noLocks
  public func sliceLength(atMost limit: Int) -> Int {
    let maximum = unsafe pointee.stage.plan.maximumFramesPerSlice
    return limit < maximum ? limit : maximum
  }

  /// Whether several threads may render the stage's plan.
  public var isShared: Bool { @_noLocks get { unsafe pointee.stage.plan.isShared } }

  /// Calls `RenderPlan.beginSlice(frameCount:at:)` of the stage's plan.
  @_noLocks
  public func beginSlice(frameCount: Int, at timeStamp: TimeStamp) {
    unsafe pointee.stage.plan.beginSlice(frameCount: frameCount, at: timeStamp)
  }

  /// Calls `RenderPlan.renderPiece(frameCount:at:crew:)` of the stage's plan.
  @_noLocks
  public func renderPiece(
    frameCount: Int, at timeStamp: TimeStamp, crew: Unmanaged<RenderCrew>?
  ) -> Status {
    unsafe pointee.stage.plan.renderPiece(frameCount: frameCount, at: timeStamp, crew: crew)
  }

  /// Calls `RenderPlan.endSlice(_:frameCount:at:)` of the stage's plan.
  @_noLocks
  public func endSlice(_ status: Status, frameCount: Int, at timeStamp: TimeStamp) {
    unsafe pointee.stage.plan.endSlice(status, frameCount: frameCount, at: timeStamp)
  }

  /// Calls `RenderPlan.render(frameCount:at:)` of the stage's plan.
  @_noLocks
  public func render(frameCount: Int, at timeStamp: TimeStamp) -> Status {
    unsafe pointee.stage.plan.render(frameCount: frameCount, at: timeStamp)
  }

  /// The bus that feeds the output unit.
  @_noLocks
  public func clientBus(frameCount: Int) -> RenderBus {
    unsafe pointee.stage.plan.bus(RenderPlan.clientBus, frameCount: frameCount)
  }
}
