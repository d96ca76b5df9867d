import CShims
import Control
import Glibc
import PatchSyntax
import RenderHost
import Synchronization

/// Talks to the running patch on two threads, so that the screen never waits: one reads events and
/// meters, the other sends requests.
final class TopConnection: Sendable {
  /// A message for the screen.
  enum Message: Sendable {
    case event(name: String, data: String)
    case status(TopStatus)
    case meters([TopMeter])
    case controls([TopControl])
    /// The stream of events has begun or ended.
    case connected
    case lost
    /// The answer to a change; `problem` is the reason of a refusal.
    case answered(pointer: String, problem: String?)
    /// The refusal of another request.
    case refused(String)
  }

  /// The pending requests.
  private struct PendingRequests {
    var status = false
    var controls = false
    /// In order. Of several pending changes of one pointer only the last is sent.
    var changes: [(pointer: String, value: JSONText?, count: Int)] = []
    /// The paths of pending POST requests.
    var posts: [String] = []

    var isEmpty: Bool { !status && !controls && changes.isEmpty && posts.isEmpty }
  }

  private let client: ControlClient
  private let meterRate: Double
  private let messages = Mutex<[Message]>([])
  private let pending = Mutex(PendingRequests())
  /// Readable when `take` has messages.
  let descriptor: Int32
  private let requestDescriptor: Int32
  private let threads = Mutex<[HostThread]>([])

  /// - Throws: If the system has no more descriptors or threads.
  init(_ client: ControlClient, meterRate: Double) throws(CommandFailure) {
    self.client = client
    self.meterRate = meterRate
    descriptor = shims_event_descriptor()
    requestDescriptor = shims_event_descriptor()
    guard descriptor >= 0, requestDescriptor >= 0 else {
      throw CommandFailure(
        ExitStatus.unavailable, "cannot make a descriptor: \(systemMessage(errno))")
    }
    // The threads run as long as the process.
    do throws(HardwareError) {
      let listener = try HostThread("patchrun events") { self.listen() }
      let sender = try HostThread("patchrun asks") { self.sendRequests() }
      threads.withLock { $0 = [listener, sender] }
    } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
    }
  }

  // MARK: For the screen's thread

  /// The messages since the last call.
  func take() -> [Message] {
    Self.clear(descriptor)
    return messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }

  func askStatus() { enqueue { $0.status = true } }
  func askControls() { enqueue { $0.controls = true } }
  func post(_ path: String) { enqueue { $0.posts.append(path) } }

  /// Sets a value; `nil` removes it from the document.
  func change(_ pointer: String, to value: JSONText?) {
    enqueue { pending in
      if let index = pending.changes.firstIndex(where: { $0.pointer == pointer }) {
        pending.changes[index].value = value
        pending.changes[index].count += 1
      } else {
        pending.changes.append((pointer, value, 1))
      }
    }
  }

  private func enqueue(_ change: (inout PendingRequests) -> Void) {
    pending.withLock { change(&$0) }
    Self.signal(requestDescriptor)
  }

  // MARK: For the other threads

  private func put(_ item: Message) {
    messages.withLock { $0.append(item) }
    Self.signal(descriptor)
  }

  private func listen() {
    Self.takeFatalSignals()
    while true {
      let isConnected = Atomic(false)
      let answer = try? client.listen(meterRate: meterRate) { event in
        if !isConnected.exchange(true, ordering: .relaxed) { self.put(.connected) }
        if event.name == "meters" {
          if let data = try? readAnswer(event.data) { self.put(.meters(TopMeter.all(data))) }
        } else {
          self.put(.event(name: event.name, data: event.data))
        }
        return event.name != "ended"
      }
      _ = answer
      if isConnected.load(ordering: .relaxed) { put(.lost) }
      // The next run of the patch has the same name, and so the same socket.
      usleep(500_000)
    }
  }

  private func sendRequests() {
    Self.takeFatalSignals()
    while true {
      let pending = pending.withLock { pending in
        defer { pending = PendingRequests() }
        return pending
      }
      guard !pending.isEmpty else {
        var wait = pollfd(fd: requestDescriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&wait, 1, -1)
        Self.clear(requestDescriptor)
        continue
      }
      for change in pending.changes { make(change) }
      for path in pending.posts {
        if let problem = problem(ControlClient.Request(.post, path)) { put(.refused(problem)) }
      }
      if pending.status, let data = try? client.askJSON(ControlClient.Request(.get, "/status")) {
        put(.status(TopStatus(data)))
      }
      if pending.controls, let data = try? client.askJSON(ControlClient.Request(.get, "/controls"))
      {
        put(.controls(TopControl.all(data)))
      }
    }
  }

  private func make(_ change: (pointer: String, value: JSONText?, count: Int)) {
    let query = ["pointer": change.pointer]
    let request =
      if let value = change.value {
        ControlClient.Request(
          .put, "/patch", query: query, body: value.compact, contentType: "application/json")
      } else {
        ControlClient.Request(.delete, "/patch", query: query)
      }
    let problem = problem(request)
    for index in 0..<change.count {
      put(.answered(pointer: change.pointer, problem: index == 0 ? problem : nil))
    }
  }

  /// The reason of a refusal in one line; `nil` for success.
  private func problem(_ request: ControlClient.Request) -> String? {
    do throws(CommandFailure) {
      _ = try client.ask(request)
      return nil
    } catch {
      // The first line is the diagnostic, such as `error[PR0552]: 'pan' is a number from -1 to 1, not 7`.
      let first = error.findings?.split(separator: "\n").first.map(String.init)
      return first ?? error.message
    }
  }

  /// Unblocks fatal signals in this thread: a blocked fatal signal ends the process without the
  /// handler that restores the terminal. Threads inherit the mask.
  private static func takeFatalSignals() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS] {
      unsafe sigaddset(&set, signal)
    }
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  // MARK: Descriptors

  private static func signal(_ descriptor: Int32) {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, 8)
  }

  private static func clear(_ descriptor: Int32) {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, 8)
  }
}
