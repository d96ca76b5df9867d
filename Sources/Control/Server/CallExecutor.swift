import NIOPosix

/// Threads for the calls of the patch.
///
/// Not Swift's own: it has as many as there are processors, and a change that waits there, or
/// anything else of the program that does, would keep every answer waiting.
final class CallExecutor: TaskExecutor {
  private let threads = NIOThreadPool(numberOfThreads: 2)

  init() { threads.start() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedTaskExecutor()
    // Calls that end after the threads have are finished where they are.
    threads.submit { _ in unsafe job.runSynchronously(on: executor) }
  }

  func stop() { try? threads.syncShutdownGracefully() }
}
