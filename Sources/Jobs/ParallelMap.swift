import CShims
import RenderHost
import Synchronization

/// How many processors the program may run on.
public var processorCount: Int { Int(shims_processor_count()) }

/// What `body` makes of each number below `count`, in order, by as many threads as there are
/// processors.
///
/// - Parameters:
///   - limit: The most threads; `nil` for no other limit.
///   - finished: Told of each result in the order of the numbers, as soon as those before it are there, by the
///     thread that calls.
public func parallelMap<Result: Sendable>(
  _ count: Int, atMost limit: Int? = nil,
  finished: (Int, Result) -> Void = { _, _ in },
  _ body: @escaping @Sendable (Int) -> Result
) -> [Result] {
  let work = ParallelWork(count, body)
  let threadCount = min(count, limit ?? processorCount)
  // This thread works as well; one that cannot be started is not missed.
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

/// Numbers that threads take one after another.
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

  /// Whether there was a number left.
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
