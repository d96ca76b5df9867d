import CShims
import RenderHost
import Synchronization

/// The number of processors that the program may use.
public var processorCount: Int { Int(shims_processor_count()) }

/// Calls `body` with each number below `count` on several threads, and returns the results in
/// order. Blocks until all are done.
///
/// - Parameters:
///   - limit: The most threads; `nil` for the number of processors.
///   - finished: Called with each result, in order of the numbers, on the calling thread, as soon
///     as the results before are there.
public func parallelMap<Result: Sendable>(
  _ count: Int, atMost limit: Int? = nil,
  finished: (Int, Result) -> Void = { _, _ in },
  _ body: @escaping @Sendable (Int) -> Result
) -> [Result] {
  let work = ParallelWork(count, body)
  let threadCount = min(count, limit ?? processorCount)
  // The calling thread works too. Fewer threads work where one cannot be started.
  let threads =
    threadCount < 2
    ? []
    : (1..<threadCount).compactMap { _ in
      try? HostThread("patchrun jobs") { while work.runNext() {} }
    }
  var told = 0
  func tell() {
    while told < count, let result = work.result(told) {
      finished(told, result)
      told += 1
    }
  }
  while work.runNext() { tell() }
  for thread in threads { thread.join() }
  tell()
  return work.results
}

/// The numbers that the threads take in turn.
private final class ParallelWork<Result: Sendable>: Sendable {
  private let body: @Sendable (Int) -> Result
  private let next = Atomic<Int>(0)
  private let found: Mutex<[Result?]>
  private let count: Int

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Result) {
    self.count = count
    self.body = body
    found = Mutex(Array(repeating: nil, count: count))
  }

  /// Processes the next number. Returns `false` if there was none.
  func runNext() -> Bool {
    let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
    guard index < count else { return false }
    let result = body(index)
    found.withLock { $0[index] = result }
    return true
  }

  func result(_ index: Int) -> Result? { found.withLock { $0[index] } }

  var results: [Result] { found.withLock { $0.compactMap(\.self) } }
}
