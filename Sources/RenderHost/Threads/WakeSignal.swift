import CShims
import Glibc

/// Lets one thread sleep for a while and others wake it before.
///
/// `@unchecked Sendable`: a semaphore of the system is made for many threads.
@safe
final class WakeSignal: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    unsafe semaphore = .allocate(capacity: 1)
    unsafe semaphore.initialize(to: sem_t())
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  /// Ends the sleep, or the next one where nobody sleeps. Not for the render thread: it is a system call.
  func wake() { unsafe sem_post(semaphore) }

  /// Sleeps until it is woken, or until the time is up; at once where it has been woken since the last
  /// sleep. One thread.
  func sleep(_ seconds: Double) {
    _ = unsafe shims_wait_until(semaphore, monotonicNanoseconds() + UInt64(seconds * 1e9))
    // However often it has been woken, it is awake once.
    while unsafe sem_trywait(semaphore) == 0 {}
  }
}
