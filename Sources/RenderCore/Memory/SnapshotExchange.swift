import Synchronization

/// A row of numbers passed from the render thread to others: a reader always gets the last complete
/// row, and neither side waits for the other.
///
/// There are three rows: one that is written, one that is read, and one in the middle, which each
/// side swaps for its own.
@safe
public final class SnapshotExchange: @unchecked Sendable {
  // `@unchecked Sendable`: each row belongs to one side at a time; the swap orders the two.
  private let rows: UnsafeMutablePointer<Double>
  private let middle: UnsafeMutablePointer<Atomic<UInt32>>
  private let front = Mutex<UInt32>(0)
  /// The numbers of a row.
  public let count: Int

  /// Makes rows of `count` zeros.
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

  /// The form for the writer, valid as long as the exchange. There may be only one writer.
  public var writer: SnapshotWriter {
    unsafe SnapshotWriter(rows: rows, middle: middle, count: count)
  }

  /// The last row published; zeros before the first. Any thread but the writer's; readers take a
  /// lock among themselves.
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

/// A snapshot exchange, for the render thread.
@safe
public struct SnapshotWriter: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: as the exchange itself; one thread at a time writes.
  /// Marks the row in the middle as not read yet.
  static var isFresh: UInt32 { @_noLocks get { 4 } }

  private let rows: UnsafeMutablePointer<Double>
  private let middle: UnsafeMutablePointer<Atomic<UInt32>>
  private var back: UInt32 = 2
  /// The numbers of a row.
  public let count: Int

  @_noLocks
  init(
    rows: UnsafeMutablePointer<Double>, middle: UnsafeMutablePointer<Atomic<UInt32>>, count: Int
  ) {
    unsafe self.rows = rows
    unsafe self.middle = middle
    self.count = count
  }

  /// Writes a number of the next row. Every number must be written before each `publish()`.
  @_noLocks
  public func write(_ value: Double, at index: Int) {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
    unsafe rows[Int(back) * count + index] = value
  }

  /// Publishes the row.
  @_noLocks
  public mutating func publish() {
    back = unsafe middle.pointee.exchange(back | Self.isFresh, ordering: .acquiringAndReleasing) & 3
  }
}
