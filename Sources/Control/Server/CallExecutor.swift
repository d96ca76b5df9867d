import NIOPosix

/// Runs calls of the patch on threads of its own.
///
/// Swift's default executor has as many threads as processors: blocking calls on it would delay
/// every response.
final class CallExecutor: TaskExecutor {
  private let threads = NIOThreadPool(numberOfThreads: 2)

  init() { threads.start() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedTaskExecutor()
    // A job that is submitted after the end runs on the calling thread.
    threads.submit { _ in unsafe job.runSynchronously(on: executor) }
  }

  func stop() { try? threads.syncShutdownGracefully() }
}
