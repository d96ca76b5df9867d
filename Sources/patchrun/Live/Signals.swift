import CShims
import Diagnostics
import Glibc
import RenderHost
import Synchronization

/// Receives SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 on a thread of its own instead of in
/// handlers.
///
/// That thread answers SIGUSR1 with a line on standard error, whatever other threads do.
///
/// The first SIGINT or SIGTERM asks for the end; a second one ends the process. A second signal
/// within 0.1 s of the first is ignored: `timeout` signals both its child and the child's group.
final class Signals: Sendable {
  /// The signal that asked for the end; 0 for none.
  private let interruption = Atomic<Int32>(0)
  private let reloads = Atomic<Int>(0)
  private let takes = Atomic<Int>(0)
  private let status = Mutex<(@Sendable () -> String)?>(nil)
  /// Receives a byte for each signal, for `poll`.
  let descriptor: Int32
  private let writeEnd: Int32
  private let thread = Mutex<HostThread?>(nil)

  var interruptedBy: Int32? {
    let signal = interruption.load(ordering: .acquiring)
    return signal == 0 ? nil : signal
  }

  /// Whether SIGHUP came since the last call.
  func takeReload() -> Bool { reloads.exchange(0, ordering: .relaxed) > 0 }

  /// Whether SIGUSR2 came since the last call.
  func takeNewTake() -> Bool { takes.exchange(0, ordering: .relaxed) > 0 }

  /// Sets the function that returns the answer to SIGUSR1. It is called on the signal thread.
  func answerStatus(_ line: @escaping @Sendable () -> String) { status.withLock { $0 = line } }

  /// Asks for the end as SIGTERM does. Any thread.
  func askForEnd() {
    _ = interruption.compareExchange(
      expected: 0, desired: SIGTERM, ordering: .acquiringAndReleasing)
    wake()
  }

  /// Ends a `wait`. Any thread.
  func wake() {
    var byte: UInt8 = 1
    _ = unsafe write(writeEnd, &byte, 1)
  }

  /// Blocks the signals in this thread and in those that it creates later, and waits for them in a
  /// new thread. To be called once, before there are other threads.
  init() throws(CommandFailure) {
    var ends: [Int32] = [-1, -1]
    guard unsafe shims_pipe(&ends) == 0 else {
      throw CommandFailure(
        ExitStatus.unavailable, "cannot make a pipe: \(systemMessage(errno))")
    }
    descriptor = ends[0]
    writeEnd = ends[1]
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    var set = Self.set
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    do throws(HardwareError) {
      let thread = try HostThread("patchrun signal") { self.wait() }
      self.thread.withLock { $0 = thread }
    } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
    }
  }

  private static var set: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2] { unsafe sigaddset(&set, signal) }
    return set
  }

  /// Runs as long as the process.
  private func wait() {
    var set = Self.set
    var first: UInt64 = 0
    while true {
      var signal: Int32 = 0
      guard unsafe sigwait(&set, &signal) == 0 else { continue }
      if signal == SIGHUP {
        reloads.wrappingAdd(1, ordering: .relaxed)
      } else if signal == SIGUSR1 {
        let line = status.withLock { $0 }
        StandardStream.error.put(printable(line?() ?? "status: starting") + "\n")
      } else if signal == SIGUSR2 {
        takes.wrappingAdd(1, ordering: .relaxed)
      } else if first == 0 {
        first = monotonicNanoseconds()
        interruption.store(signal, ordering: .releasing)
      } else if monotonicNanoseconds() - first > 100_000_000 {
        // Recordings are complete after each write.
        if StandardStream.error.isTerminal { StandardStream.error.put("\n") }
        _exit(ExitStatus.interrupted(by: signal))
      }
      wake()
    }
  }

  /// Waits for a signal, or until one of `others` is readable, for at most `milliseconds`.
  func wait(milliseconds: Int32, or others: [Int32] = []) {
    var descriptors = ([descriptor] + others).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    _ = unsafe poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    var bytes = [UInt8](repeating: 0, count: 16)
    while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
  }
}
