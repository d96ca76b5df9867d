import Synchronization

/// A row of numbers on its way from the render thread to others: what was published last is there,
/// whole, whenever somebody looks, and neither side waits for the other.
///
/// Three rows: one that is being written, one that is being read, and one between them, which the two
/// sides exchange for theirs.
@safe
public final class SnapshotExchange: @unchecked Sendable {
  // `@unchecked Sendable`: each row belongs to one side at a time; the exchange orders the two.
  private let rows: UnsafeMutablePointer<Double>
  private let middle: UnsafeMutablePointer<Atomic<UInt32>>
  private let front = Mutex<UInt32>(0)
  /// Numbers of a snapshot.
  public let count: Int

  /// Rows of `count` zeros.
  public init(count: Int) {
    precondition(count > 0, "a snapshot has at least one number")
    self.count = count
    unsafe rows = .allocate(capacity: 3 * count)
    unsafe rows.initialize(repeating: 0, count: 3 * count)
    unsafe middle = .allocate(capacity: 1)
    unsafe middle.initialize(to: Atomic(1))
  }

  deinit {
    unsafe rows.deallocate()
    unsafe middle.deinitialize(count: 1)
    unsafe middle.deallocate()
  }

  /// What the one that publishes keeps, valid as long as the exchange. There is one writer.
  public var writer: SnapshotWriter {
    unsafe SnapshotWriter(rows: rows, middle: middle, count: count)
  }

  /// What was published last; zeros before that. Any thread but the writer's.
  public var latest: [Double] {
    front.withLock { front in
      if unsafe middle.pointee.load(ordering: .relaxed) & SnapshotWriter.isFresh != 0 {
        front = unsafe middle.pointee.exchange(front, ordering: .acquiringAndReleasing) & 3
      }
      let start = unsafe rows + Int(front) * count
      return (0..<count).map { unsafe start[$0] }
    }
  }
}

/// A snapshot exchange as the render thread sees it.
@safe
public struct SnapshotWriter: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: as the exchange it is of; the writing side is used by one thread at a time.
  /// The mark on the row in the middle that nobody has read.
  static var isFresh: UInt32 { @_noLocks get { 4 } }

  private let rows: UnsafeMutablePointer<Double>
  private let middle: UnsafeMutablePointer<Atomic<UInt32>>
  private var back: UInt32 = 2
  /// Numbers of a snapshot.
  public let count: Int

  @_noLocks
  init(
    rows: UnsafeMutablePointer<Double>, middle: UnsafeMutablePointer<Atomic<UInt32>>, count: Int
  ) {
    unsafe self.rows = rows
    unsafe self.middle = middle
    self.count = count
  }

  /// Writes a number of the row that is published next. Each has to be written each time.
  @_noLocks
  public func write(_ value: Double, at index: Int) {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
    unsafe rows[Int(back) * count + index] = value
  }

  /// Makes what has been written the latest.
  @_noLocks
  public mutating func publish() {
    back = unsafe middle.pointee.exchange(back | Self.isFresh, ordering: .acquiringAndReleasing) & 3
  }
}
