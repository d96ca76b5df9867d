import CShims
import Glibc

/// Lets one thread sleep, and others wake it early.
///
/// `@unchecked Sendable`: a POSIX semaphore may be used by many threads.
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

  /// Ends the current sleep, or else the next one. Not for the render thread: it makes a system
  /// call.
  func wake() { unsafe sem_post(semaphore) }

  /// Sleeps until it is woken, or for this many seconds; not at all where `wake` was called since
  /// the last sleep. One thread.
  func sleep(_ seconds: Double) {
    _ = unsafe shims_wait_until(semaphore, monotonicNanoseconds() + UInt64(seconds * 1e9))
    // Several wakes end one sleep only.
    while unsafe sem_trywait(semaphore) == 0 {}
  }
}
