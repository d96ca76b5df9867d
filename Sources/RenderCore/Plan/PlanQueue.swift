public import AudioTypes
import Synchronization

/// Hands stages to the render thread, which plays them in order, and brings the ones that it has
/// finished with back to be freed.
///
/// A list without locks: the control thread adds behind the last stage, the render thread goes on
/// from one to the next once the frame is there, and puts what it leaves on a pile that the control
/// thread takes away as a whole. The last stage stays in play until there is another.
///
/// `@unchecked Sendable`: a stage is reachable for writing from exactly one side at a time, and every
/// move between them is atomic.
@safe
public struct PlanQueue: ~Copyable, @unchecked Sendable {
  /// A stage as the queue hands it out.
  public typealias Handle = UnsafeMutablePointer<Node>

  /// A stage in the queue.
  @safe
  public struct Node: ~Copyable {
    let stage: PlanStage
    fileprivate let next = unsafe Atomic<Handle?>(nil)
    // The render thread's, until the node is on the pile.
    fileprivate var began = 0
    fileprivate var below: Handle?

    fileprivate init(_ stage: consuming PlanStage) {
      self.stage = stage
      unsafe below = nil
    }
  }

  /// What is played next.
  @safe
  public struct Turn: BitwiseCopyable {
    /// `nil` while there is no stage yet.
    public let handle: Handle?
    /// For how many frames, at the least 1.
    public let frameCount: Int

    @_noLocks
    init(_ handle: Handle?, _ frameCount: Int) {
      unsafe self.handle = handle
      self.frameCount = frameCount
    }
  }

  private let first = unsafe Atomic<Handle?>(nil)
  private let pile = unsafe Atomic<Handle?>(nil)
  private let begunCount = Atomic<Int>(0)
  // The control thread's own.
  private let last = unsafe Atomic<Handle?>(nil)
  private let postedCount = Atomic<Int>(0)

  // A struct stored in place, and not a class: reaching a class through a property is a retain.
  public init() {}

  deinit {
    collect()
    unsafe end(first.exchange(nil, ordering: .acquiring))
  }

  /// Frees the stage in play and those behind it, once nothing renders any more.
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

  /// Adds a stage behind those that are there. Returns its number, from 1 up.
  @discardableResult
  public func post(_ stage: consuming PlanStage) -> Int {
    let node = Handle.allocate(capacity: 1)
    unsafe node.initialize(to: Node(stage))
    // The last stage is never on the pile: it goes there only when there is another behind it.
    if let last = unsafe last.load(ordering: .relaxed) {
      unsafe last.pointee.next.store(node, ordering: .releasing)
    } else {
      unsafe first.store(node, ordering: .releasing)
    }
    unsafe last.store(node, ordering: .relaxed)
    collect()
    return postedCount.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// How many stages have begun since the queue was made.
  public var begunStages: Int { @_noLocks get { begunCount.load(ordering: .acquiring) } }

  /// How many stages have been posted: the number of the last one.
  public var postedStages: Int { postedCount.load(ordering: .relaxed) }

  /// How many stages have not begun yet.
  public var waitingStages: Int { postedStages - begunStages }

  /// Frees the stages that the render thread has finished with.
  public func collect() {
    var rest = unsafe pile.exchange(nil, ordering: .acquiring)
    while let node = unsafe rest {
      unsafe rest = node.pointee.below
      unsafe Self.free(node)
    }
  }

  /// Counts the frames from the beginning again, while nothing renders. No stage waits for the end
  /// of the one in play.
  public func rewind(_ current: Handle?) {
    guard let current = unsafe current else { return }
    unsafe current.pointee.began = .min / 2
  }

  // MARK: Render thread

  /// The stage for the slice that begins at a frame, and how many of its next `limit` frames it is
  /// played for.
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
    var top = unsafe pile.load(ordering: .relaxed)
    while true {
      unsafe node.pointee.below = top
      let (done, now) = unsafe pile.compareExchange(
        expected: top, desired: node, ordering: .acquiringAndReleasing)
      if done { return }
      unsafe top = now
    }
  }
}

extension UnsafeMutablePointer where Pointee == PlanQueue.Node, Pointee: ~Copyable {
  /// How many of the next `limit` frames the plan in play renders at once: its timeline moves the
  /// controls for them.
  @_noLocks
  public func cut(_ limit: Int, at frame: Int) -> Int {
    let maximum = unsafe pointee.stage.plan.maximumFramesPerSlice
    let length = limit < maximum ? limit : maximum
    guard let timeline = unsafe pointee.stage.timeline else { return length }
    return unsafe timeline._withUnsafeGuaranteedRef { $0.cut(length, at: frame) }
  }

  /// How many of the next `limit` frames are one slice, between two notifications.
  @_noLocks
  public func sliceLength(atMost limit: Int) -> Int {
    let maximum = unsafe pointee.stage.plan.maximumFramesPerSlice
    return limit < maximum ? limit : maximum
  }

  /// As `RenderPlan.beginSlice(frameCount:at:)`, of the stage's plan.
  @_noLocks
  public func beginSlice(frameCount: Int, at timeStamp: TimeStamp) {
    unsafe pointee.stage.plan.beginSlice(frameCount: frameCount, at: timeStamp)
  }

  /// As `RenderPlan.renderPiece(frameCount:at:crew:)`, of the stage's plan.
  @_noLocks
  public func renderPiece(
    frameCount: Int, at timeStamp: TimeStamp, crew: Unmanaged<RenderCrew>?
  ) -> Status {
    unsafe pointee.stage.plan.renderPiece(frameCount: frameCount, at: timeStamp, crew: crew)
  }

  /// As `RenderPlan.endSlice(_:frameCount:at:)`, of the stage's plan.
  @_noLocks
  public func endSlice(_ status: Status, frameCount: Int, at timeStamp: TimeStamp) {
    unsafe pointee.stage.plan.endSlice(status, frameCount: frameCount, at: timeStamp)
  }

  /// As `RenderPlan.render(frameCount:at:)`, of the stage's plan.
  @_noLocks
  public func render(frameCount: Int, at timeStamp: TimeStamp) -> Status {
    unsafe pointee.stage.plan.render(frameCount: frameCount, at: timeStamp)
  }

  /// What the output unit is fed by.
  @_noLocks
  public func clientBus(frameCount: Int) -> RenderBus {
    unsafe pointee.stage.plan.bus(RenderPlan.clientBus, frameCount: frameCount)
  }
}
