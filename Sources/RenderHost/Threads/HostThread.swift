import CShims
import Glibc
import Synchronization

/// A thread that blocks all signals, so that the control thread gets them.
@safe
public final class HostThread: @unchecked Sendable {
  // `@unchecked Sendable`: `thread` is written before the object is handed out, and joined once.
  private final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void
    let isDone = Atomic<Bool>(false)

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  private let work: Work
  private let thread: pthread_t
  private let isJoined = Atomic<Bool>(false)

  /// Starts `body` in a new thread. `top -H` shows the first 15 bytes of `name`.
  ///
  /// - Throws: `systemError` where the system starts no thread.
  public init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(HardwareError) {
    work = Work(String(name.prefix(15)), body)
    var thread = pthread_t()
    var all = sigset_t()
    var previous = sigset_t()
    unsafe sigfillset(&all)
    // A new thread inherits the mask, so that no signal can reach it before it blocks them.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
    let context = unsafe Unmanaged.passRetained(work)
    let result = unsafe pthread_create(
      &thread, nil,
      { context in
        let work = unsafe Unmanaged<Work>.fromOpaque(context!).takeRetainedValue()
        unsafe shims_name_thread(work.name)
        work.body()
        work.isDone.store(true, ordering: .releasing)
        return nil
      }, context.toOpaque())
    unsafe pthread_sigmask(SIG_SETMASK, &previous, nil)
    self.thread = thread
    guard result == 0 else {
      unsafe context.release()
      // There is no thread to detach.
      isJoined.store(true, ordering: .relaxed)
      throw HardwareError(
        .systemError, "cannot start a thread: \(systemMessage(result))",
        help: "look at the limits on processes and memory ('ulimit -a')")
    }
  }

  deinit {
    if !isJoined.load(ordering: .relaxed) { pthread_detach(thread) }
  }

  /// Waits until `body` has returned, but at most `seconds`. Returns whether it has; `false` when
  /// called in the thread itself.
  @discardableResult
  public func join(timeout seconds: Double = .infinity) -> Bool {
    guard !isJoined.load(ordering: .relaxed) else { return true }
    let begin = monotonicNanoseconds()
    while seconds.isFinite && !work.isDone.load(ordering: .acquiring) {
      guard Double(monotonicNanoseconds() - begin) < seconds * 1e9 else { return false }
      pause(waitingSince: begin)
    }
    // A thread cannot join itself: the last owner may release the object in it.
    guard pthread_equal(thread, pthread_self()) == 0 else { return false }
    pthread_join(thread, nil)
    isJoined.store(true, ordering: .relaxed)
    return true
  }
}

/// The C library's text for an `errno`.
package func systemMessage(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  _ = unsafe strerror_r(number, &buffer, buffer.count)
  return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
