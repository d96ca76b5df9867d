import AudioTypes
import Synchronization

/// The rows of one plan, while several threads render a piece of a slice.
///
/// Made and freed on the control thread. One thread begins each piece, and renders it together with
/// the helpers.
@safe
struct SharedRows: ~Copyable {
  private struct Strand: BitwiseCopyable {
    var firstRow: Int32
    var rowCount: Int32
    var firstNeed: Int32
    var needCount: Int32
  }

  private let steps: PlanSteps
  private let strands: UnsafeMutableBufferPointer<Strand>
  /// The rows of all strands, one strand after the other; `needs` likewise.
  private let rows: UnsafeMutableBufferPointer<Int32>
  private let needs: UnsafeMutableBufferPointer<Int32>
  /// The last piece that each strand has rendered.
  private let done: UnsafeMutableBufferPointer<Atomic<UInt32>>
  private let mix: UnsafeMutablePointer<SharedMix>
  private let inRealTime: Bool
  private let next = Atomic<Int>(0)
  private let left = Atomic<Int>(0)
  /// The first row that failed and, in the lower half, its status; the largest number for none.
  private let failure = Atomic<Int>(.max)
  // Written by the thread that begins a piece.
  private var piece: UInt32 = 0
  private var frameCount = 0
  private var timeStamp = TimeStamp(sampleTime: 0)

  /// - Parameter inRealTime: Whether threads that wait for each other may make no system call.
  init(_ steps: PlanSteps, _ order: RowStrands, threadCount: Int, inRealTime: Bool) {
    self.steps = steps
    self.inRealTime = inRealTime
    unsafe mix = .allocate(capacity: 1)
    unsafe mix.initialize(to: SharedMix(threadCount: threadCount, inRealTime: inRealTime))
    let rowCount = order.strandOfRow.count
    unsafe strands = .allocate(capacity: order.strands.count)
    unsafe rows = .allocate(capacity: rowCount)
    unsafe needs = .allocate(capacity: max(1, order.strands.reduce(0) { $0 + $1.needs.count }))
    unsafe done = .allocate(capacity: order.strands.count)
    var (row, need) = (0, 0)
    for (index, strand) in order.strands.enumerated() {
      unsafe strands.initializeElement(
        at: index,
        to: Strand(
          firstRow: Int32(row), rowCount: Int32(strand.rows.count), firstNeed: Int32(need),
          needCount: Int32(strand.needs.count)))
      for number in strand.rows {
        unsafe rows.initializeElement(at: row, to: Int32(number))
        row += 1
      }
      for number in strand.needs {
        unsafe needs.initializeElement(at: need, to: Int32(number))
        need += 1
      }
      unsafe done.initializeElement(at: index, to: Atomic(0))
    }
  }

  deinit {
    unsafe strands.deallocate()
    unsafe rows.deallocate()
    unsafe needs.deallocate()
    unsafe done.deallocate()
    unsafe mix.deinitialize(count: 1)
    unsafe mix.deallocate()
  }

  /// Begins a piece, after all threads have left the last one.
  @_noLocks
  mutating func begin(frameCount: Int, at timeStamp: TimeStamp) {
    piece &+= 1
    self.frameCount = frameCount
    self.timeStamp = timeStamp
    left.store(unsafe strands.count, ordering: .relaxed)
    failure.store(.max, ordering: .relaxed)
    next.store(0, ordering: .relaxed)
  }

  /// Takes strands and renders them, until all strands are done.
  @_noLocks
  func work() {
    while true {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard index < (unsafe strands.count) else { break }
      let strand = unsafe strands[index]
      for need in strand.firstNeed..<(strand.firstNeed + strand.needCount) {
        var spins = 0
        let other = unsafe Int(needs[Int(need)])
        while unsafe done[other].load(ordering: .acquiring) != piece { help(&spins) }
      }
      for place in strand.firstRow..<(strand.firstRow + strand.rowCount) {
        let row = unsafe Int(rows[Int(place)])
        let status = unsafe steps.render(
          row, frameCount: frameCount, at: timeStamp, sharing: MixSharing(mix))
        if status != .ok { note(status, of: row) }
      }
      unsafe done[index].store(piece, ordering: .releasing)
      left.wrappingSubtract(1, ordering: .releasing)
    }
    // Other threads' strands may take long, and contain a mix to help with.
    var spins = 0
    while left.load(ordering: .acquiring) > 0 { help(&spins) }
  }

  /// Does a part of another thread's mix, or waits for a moment.
  @_noLocks
  private func help(_ spins: inout Int) {
    if unsafe !mix.pointee.help() { spin(&spins, inRealTime: inRealTime) }
  }

  /// The status of the first row that failed, once all are done; `.ok` for none.
  @_noLocks
  func status() -> Status {
    let failure = failure.load(ordering: .relaxed)
    return failure == .max
      ? .ok : Status(rawValue: Int32(bitPattern: UInt32(truncatingIfNeeded: failure)))
  }

  @_noLocks
  private func note(_ status: Status, of row: Int) {
    failure.min(
      row << 32 | Int(UInt32(bitPattern: status.rawValue)), ordering: .relaxed)
  }
}
