import CShims
import RenderHost
import Synchronization

/// How many processors the program may run on.
var processorCount: Int { Int(shims_processor_count()) }

/// What `body` makes of each number below `count`, in order, by as many threads as there are
/// processors.
func parallelMap<Result: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) -> Result
) -> [Result] {
  guard count > 1 else { return (0..<count).map(body) }
  let work = ParallelWork(count, body)
  let threadCount = min(count, processorCount)
  // This thread works as well; one that cannot be started is not missed.
  let threads = (1..<threadCount).compactMap { _ in
    try? HostThread("patchrun checks") { work.run() }
  }
  work.run()
  for thread in threads { thread.join() }
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

  func run() {
    while true {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard index < count else { return }
      let result = body(index)
      found.withLock { $0[index] = result }
    }
  }

  var results: [Result] { found.withLock { $0.compactMap(\.self) } }
}
