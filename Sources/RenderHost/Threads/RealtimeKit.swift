import CBus
import CShims
import Glibc
import Synchronization

/// The service on the system bus that grants real-time scheduling to threads of users who lack the
/// permission for it, as on a desktop. It has limits, which are read first.
package struct RealtimeKit {
  package struct Request: Sendable {
    /// The system's number of a thread of this process.
    package var thread: UInt64
    /// From 1 up.
    package var priority: Int32
    /// The niceness to ask for where real-time scheduling is refused: below 0.
    package var niceness: Int32

    package init(thread: UInt64, priority: Int32, niceness: Int32) {
      self.thread = thread
      self.priority = priority
      self.niceness = niceness
    }
  }

  package struct Answer: Hashable, Sendable {
    package var granted: SchedulingGrant.Kind
    /// Why real-time scheduling was refused; `nil` where it was granted.
    package var refusal: String?

    package init(granted: SchedulingGrant.Kind = .normal, refusal: String? = nil) {
      self.granted = granted
      self.refusal = refusal
    }
  }

  /// The address of the bus: that of the environment, or else the usual one.
  package var address =
    unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS").map { unsafe String(cString: $0) }
    ?? "unix:path=/run/dbus/system_bus_socket"
  /// The seconds that all of it may take.
  var timeout = 0.4
  /// Sets RLIMIT_RTTIME, in microseconds. Returns 0 or an `errno`.
  package var limitTime: @Sendable (UInt64) -> Int32 = { shims_limit_real_time($0) }

  package init() {}

  /// Asks in a thread of its own, so that a bus that hangs does not delay the caller for longer
  /// than `timeout`.
  package func ask(_ request: Request) -> Answer {
    let conversation = Conversation(
      address: address, deadline: monotonicNanoseconds() + UInt64(timeout * 1e9),
      limitTime: limitTime)
    guard let thread = try? HostThread("patchrun rtkit", { conversation.hold(request) }) else {
      return Answer(refusal: "there is no thread to ask in")
    }
    guard thread.join(timeout: timeout) else {
      conversation.giveUp()
      return Answer(refusal: "no answer within \(Int(timeout * 1000)) ms")
    }
    return conversation.answer
  }

  /// One exchange with RealtimeKit, shared by the caller and the thread that asks.
  private final class Conversation: Sendable {
    private let address: String
    private let deadline: UInt64
    private let limitTime: @Sendable (UInt64) -> Int32
    private let state = Mutex(Answer())
    private let isOver = Atomic<Bool>(false)

    init(address: String, deadline: UInt64, limitTime: @escaping @Sendable (UInt64) -> Int32) {
      self.address = address
      self.deadline = deadline
      self.limitTime = limitTime
    }

    var answer: Answer { state.withLock { $0 } }

    /// Sends no further request.
    func giveUp() { isOver.store(true, ordering: .relaxed) }

    /// The milliseconds left, at least 1.
    private var rest: Int32 {
      let now = monotonicNanoseconds()
      return now < deadline ? max(1, Int32((deadline - now) / 1_000_000)) : 1
    }

    func hold(_ request: Request) {
      var failure = cbus_failure()
      guard let bus = unsafe cbus_open(address, rest, &failure) else {
        return state.withLock { $0.refusal = Self.words(&failure) }
      }
      defer { unsafe cbus_close(bus) }
      var limits = cbus_limits()
      guard unsafe cbus_get_limits(bus, rest, &limits, &failure) == 0 else {
        return state.withLock { $0.refusal = Self.words(&failure) }
      }
      let refusal = unsafe askForRealTime(bus, request, limits, &failure)
      guard let refusal else { return }
      state.withLock { $0.refusal = refusal }
      guard !isOver.load(ordering: .relaxed), limits.niceness < 0 else { return }
      let niceness = max(request.niceness, Int32(clamping: limits.niceness))
      guard unsafe cbus_make_high_priority(bus, rest, request.thread, niceness, &failure) == 0
      else { return }
      state.withLock { $0.granted = .highPriority(niceness: niceness) }
    }

    /// Returns why it was refused; `nil` where it was granted.
    private func askForRealTime(
      _ bus: OpaquePointer, _ request: Request, _ limits: cbus_limits,
      _ failure: inout cbus_failure
    ) -> String? {
      guard limits.priority > 0, limits.time > 0 else { return "it grants no real-time" }
      guard !isOver.load(ordering: .relaxed) else { return "it was too late" }
      // RealtimeKit refuses a process without a limit on processor time, or with a higher one than
      // its own.
      let error = limitTime(UInt64(limits.time))
      guard error == 0 else { return "RLIMIT_RTTIME cannot be set: \(systemMessage(error))" }
      let priority = min(request.priority, Int32(clamping: limits.priority))
      guard
        unsafe cbus_make_real_time(bus, rest, request.thread, UInt32(priority), &failure) == 0
      else { return Self.words(&failure) }
      state.withLock { $0 = Answer(granted: .realTime(priority: priority)) }
      return nil
    }

    private static func words(_ failure: inout cbus_failure) -> String {
      unsafe withUnsafeBytes(of: &failure.text) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
    }
  }
}
