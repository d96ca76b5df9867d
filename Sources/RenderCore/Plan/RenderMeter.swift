import AudioTypes
import Glibc
import Synchronization

/// Measures what each part of a graph takes of the render thread's time.
///
/// A graph that is given a meter before it is initialized reads the clock before and after each kernel;
/// what is rendered stays the same, to the bit. A graph without one has nothing of it in its plans. One
/// meter belongs to one graph. Readings are there at any time, events while nothing pulls.
@safe
public final class RenderMeter: @unchecked Sendable {
  // `@unchecked Sendable`: the table of parts has a lock; sums are atomic; what else the render thread
  // writes is read when it is done.

  /// What a kernel belongs to.
  public enum Part: Hashable, Sendable {
    /// A unit, by the name of its node.
    case unit(String)
    /// A callback, by the input element that its chain feeds and its place in the chain: 0 for the one
    /// that the input pulls.
    case callback(node: String, input: Int, behind: Int)
    /// A tap, by its name.
    case tap(String)
    /// A conversion of samples between two buses, or a fade from one sound to another.
    case conversion
  }

  /// What a part has taken.
  public struct Reading: Hashable, Sendable {
    /// Whose time it is.
    public var part: Part
    /// Nanoseconds, without those of what the part pulls, and without those of the clock.
    public var nanoseconds: UInt64
    /// How often its kernels have run.
    public var count: Int
  }

  /// One run of one kernel.
  public struct Event: Hashable, Sendable {
    /// Whose run it is.
    public var part: Part
    /// Nanoseconds of the monotonic clock.
    public var begin: UInt64
    /// Nanoseconds of the same clock.
    public var end: UInt64
  }

  /// What the kernels of a part add to: nanoseconds, and how often they have run.
  private static func makeCell() -> CounterBlock { CounterBlock(count: 2) }

  struct RawEvent {
    var part: Int
    var begin: UInt64
    var end: UInt64
  }

  struct Progress {
    /// Nanoseconds of the kernels that have run within the one that runs.
    var nested: UInt64 = 0
    var eventCount = 0
  }

  private struct Table {
    var numbers: [Part: Int] = [:]
    var parts: [Part] = []
    var cells: [CounterBlock] = []
  }

  let progress: UnsafeMutablePointer<Progress>
  let events: UnsafeMutableBufferPointer<RawEvent>
  /// Nanoseconds that reading the clock takes, which is done twice for each run of a kernel.
  public let clockCost: UInt64
  private let table = Mutex(Table())

  /// - Parameter eventCount: How many runs of kernels are kept one by one, from the first on; those
  ///   behind them count in the readings alone.
  public init(eventCount: Int = 0) {
    precondition(eventCount >= 0, "there is no negative number of events")
    unsafe progress = .allocate(capacity: 1)
    unsafe progress.initialize(to: Progress())
    unsafe events = .allocate(capacity: eventCount)
    unsafe events.initialize(repeating: RawEvent(part: 0, begin: 0, end: 0))
    clockCost = Self.measureClock()
  }

  deinit {
    unsafe progress.deallocate()
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

  /// A kernel that runs another one and counts its time. Control thread.
  package func measured(_ kernel: KernelBox, as part: Part) -> KernelBox {
    table.withLock { table in
      let number = table.numbers[part] ?? table.parts.count
      if number == table.parts.count {
        table.numbers[part] = number
        table.parts.append(part)
        table.cells.append(Self.makeCell())
      }
      let cell = table.cells[number]
      // The meter keeps the cells.
      return .holding(
        MeteredKernel(kernel, self, part: number, sum: cell.access), with: kernel, self)
    }
  }

  /// What each part has taken, in the order in which they first appeared in a plan.
  public var readings: [Reading] {
    table.withLock { table in
      zip(table.parts, table.cells).map { part, cell in
        Reading(part: part, nanoseconds: cell.access[0], count: Int(cell.access[1]))
      }
    }
  }

  /// The runs that have been kept, in the order in which they ended.
  public var keptEvents: [Event] {
    table.withLock { table in
      (0..<(unsafe progress.pointee.eventCount)).map { index in
        let event = unsafe events[index]
        return Event(part: table.parts[event.part], begin: event.begin, end: event.end)
      }
    }
  }
}

/// Runs a kernel between two looks at the clock.
///
/// `@safe`: what it points to is in the company of its box.
@safe
private struct MeteredKernel: RenderKernel {
  private let kernel: Unmanaged<KernelBox>
  private let progress: UnsafeMutablePointer<RenderMeter.Progress>
  private let events: UnsafeMutableBufferPointer<RenderMeter.RawEvent>
  private let clockCost: UInt64
  private let part: Int
  private let sum: CounterAccess

  init(_ kernel: KernelBox, _ meter: RenderMeter, part: Int, sum: CounterAccess) {
    unsafe self.kernel = .passUnretained(kernel)
    unsafe progress = meter.progress
    unsafe events = meter.events
    clockCost = meter.clockCost
    self.part = part
    self.sum = sum
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let outer = unsafe progress.pointee.nested
    unsafe progress.pointee.nested = 0
    let begin = meterClock()
    let status = run(context)
    let end = meterClock()
    let inner = unsafe progress.pointee.nested &+ clockCost
    let taken = end &- begin
    // Nobody else writes them.
    sum[0] = sum[0] &+ (taken > inner ? taken - inner : 0)
    sum[1] = sum[1] &+ 1
    // Of the two readings of the clock one is within `taken`, and one around it.
    unsafe progress.pointee.nested = outer &+ taken &+ clockCost
    let count = unsafe progress.pointee.eventCount
    if count < (unsafe events.count) {
      unsafe events[count] = RenderMeter.RawEvent(part: part, begin: begin, end: end)
      unsafe progress.pointee.eventCount = count &+ 1
    }
    return status
  }

  // The kernel is checked on its own side, as in a plan.
  @_semantics("no_performance_analysis")
  private func run(_ context: RenderContext) -> Status {
    unsafe kernel._withUnsafeGuaranteedRef { $0.render(context) }
  }
}

// The C library answers from memory that the kernel shares, without a system call.
@_semantics("no_performance_analysis")
private func meterClock() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
