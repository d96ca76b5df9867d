import AudioTypes
import CShims
import Glibc
import Synchronization

/// Measures the time of the threads that render by parts of the graph.
///
/// A graph that gets a meter before it is initialized reads the clock before and after each kernel;
/// the output is the same, bit for bit. Plans of other graphs contain no meter. A meter belongs to
/// one graph. Readings may be taken at any time, events only while nothing pulls.
@safe
public final class RenderMeter: @unchecked Sendable {
  // `@unchecked Sendable`: the table of parts is locked; sums are atomic; each event is written by one
  // thread, and read when the threads that render are done.

  /// The part of a graph to which the time of a kernel is added.
  public enum Part: Hashable, Sendable {
    /// A unit, by the name of its node.
    case unit(String)
    /// A callback, by the input element that its chain feeds and by its position in the chain: 0
    /// for the callback that the input pulls.
    case callback(node: String, input: Int, behind: Int)
    /// A tap, by its name.
    case tap(String)
    /// A sample conversion between two buses, or a crossfade.
    case conversion
  }

  /// The time of a part so far.
  public struct Reading: Hashable, Sendable {
    /// The part.
    public var part: Part
    /// Nanoseconds, without those of its pulled inputs, and without those of reading the clock.
    public var nanoseconds: UInt64
    /// The number of runs of its kernels.
    public var count: Int
  }

  /// One run of one kernel. Those of several threads overlap.
  public struct Event: Hashable, Sendable {
    /// The part.
    public var part: Part
    /// The beginning, in nanoseconds of the monotonic clock.
    public var begin: UInt64
    /// The end, in nanoseconds of the monotonic clock.
    public var end: UInt64
  }

  /// The sums of a part: nanoseconds, and number of runs.
  private static func makeCell() -> CounterBlock { CounterBlock(count: 2) }

  struct RawEvent {
    var part: Int
    var begin: UInt64
    var end: UInt64
  }

  private struct Table {
    var numbers: [Part: Int] = [:]
    var parts: [Part] = []
    var cells: [CounterBlock] = []
  }

  /// The number of kernel runs. Only the first of them have events.
  let runCount: UnsafeMutablePointer<Atomic<Int>>
  let events: UnsafeMutableBufferPointer<RawEvent>
  /// Nanoseconds of one reading of the clock. Each run of a kernel reads it twice.
  public let clockCost: UInt64
  private let table = Mutex(Table())

  /// - Parameter eventCount: The number of kernel runs to keep as events, counted from the first.
  ///   Later runs only count in the readings.
  public init(eventCount: Int = 0) {
    precondition(eventCount >= 0, "there is no negative number of events")
    unsafe runCount = .allocate(capacity: 1)
    unsafe runCount.initialize(to: Atomic(0))
    unsafe events = .allocate(capacity: eventCount)
    unsafe events.initialize(repeating: RawEvent(part: 0, begin: 0, end: 0))
    clockCost = Self.measureClock()
  }

  deinit {
    unsafe runCount.deallocate()
    unsafe events.deallocate()
  }

  private static func measureClock() -> UInt64 {
    var least = UInt64.max
    for _ in 0..<64 {
      let begin = meterClock()
      for _ in 0..<16 { _ = meterClock() }
      least = min(least, (meterClock() - begin) / 17)
    }
    return least
  }

  /// A kernel that runs another one and measures it. Control thread.
  package func measured(_ kernel: KernelBox, as part: Part) -> KernelBox {
    table.withLock { table in
      let number = table.numbers[part] ?? table.parts.count
      if number == table.parts.count {
        table.numbers[part] = number
        table.parts.append(part)
        table.cells.append(Self.makeCell())
      }
      let cell = table.cells[number]
      // The meter retains the cells.
      let metered = MeteredKernel(kernel, self, part: number, sum: cell.access)
      return .running(kernel, by: metered, with: self)
    }
  }

  /// The sums of all parts, in the order of their first appearance in a plan. Any thread.
  public var readings: [Reading] {
    table.withLock { table in
      zip(table.parts, table.cells).map { part, cell in
        Reading(part: part, nanoseconds: cell.access[0], count: Int(cell.access[1]))
      }
    }
  }

  /// The runs kept, in the order in which they ended; those of several threads in any order. While nothing pulls.
  public var keptEvents: [Event] {
    table.withLock { table in
      let count = unsafe min(runCount.pointee.load(ordering: .acquiring), events.count)
      return (0..<count).map { index in
        let event = unsafe events[index]
        return Event(part: table.parts[event.part], begin: event.begin, end: event.end)
      }
    }
  }
}

/// Runs a kernel, and reads the clock before and after.
///
/// `@safe`: the box retains everything that it points to.
@safe
private struct MeteredKernel: RenderKernel {
  private let kernel: Unmanaged<KernelBox>
  private let runCount: UnsafeMutablePointer<Atomic<Int>>
  private let events: UnsafeMutableBufferPointer<RenderMeter.RawEvent>
  private let clockCost: UInt64
  private let part: Int
  private let sum: CounterAccess

  init(_ kernel: KernelBox, _ meter: RenderMeter, part: Int, sum: CounterAccess) {
    unsafe self.kernel = .passUnretained(kernel)
    unsafe runCount = meter.runCount
    unsafe events = meter.events
    clockCost = meter.clockCost
    self.part = part
    self.sum = sum
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    // The nanoseconds of the kernels that run within this one, which this thread renders.
    let nested = unsafe meteredNanoseconds()
    let outer = unsafe nested.pointee
    unsafe nested.pointee = 0
    let begin = meterClock()
    let status = run(context)
    let end = meterClock()
    let inner = unsafe nested.pointee &+ clockCost
    let taken = end &- begin
    sum.add(taken > inner ? taken - inner : 0, to: 0)
    sum.add(1, to: 1)
    // One of the two clock readings lies within `taken`, the other outside.
    unsafe nested.pointee = outer &+ taken &+ clockCost
    guard unsafe !events.isEmpty else { return status }
    let run = unsafe runCount.pointee.wrappingAdd(1, ordering: .releasing).oldValue
    if run < (unsafe events.count) {
      unsafe events[run] = RenderMeter.RawEvent(part: part, begin: begin, end: end)
    }
    return status
  }

  // The kernel's own conformance is checked, as in a plan.
  @_semantics("no_performance_analysis")
  private func run(_ context: RenderContext) -> Status {
    unsafe kernel._withUnsafeGuaranteedRef { $0.render(context) }
  }
}

// Memory of the thread, which is there from its start.
@_semantics("no_performance_analysis")
private func meteredNanoseconds() -> UnsafeMutablePointer<UInt64> {
  unsafe shims_metered_nanoseconds()
}

// The C library reads it from memory shared by the kernel, without a system call.
@_semantics("no_performance_analysis")
func meterClock() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
