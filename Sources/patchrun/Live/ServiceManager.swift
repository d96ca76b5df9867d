import AudioTypes
import Diagnostics
import Glibc
import PatchGraph
import RenderHost

/// Reports to the service manager by the protocol of `sd_notify(3)`: datagrams to the socket that
/// `NOTIFY_SOCKET` names.
///
/// Used on the thread that waits for signals. A manager that does not read blocks it for a second
/// at most, and never the render thread.
final class ServiceManager {
  private let descriptor: Int32
  private let address: Address
  private var watchdog: Watchdog?
  /// The status while the patch plays; the outcome of a reload is added to it.
  private var playing = ""

  /// The manager that the environment names; `nil` for none. A watchdog for another process is
  /// ignored, as `sd_watchdog_enabled(3)` says.
  init?(environment: (String) -> String?) {
    guard let name = environment("NOTIFY_SOCKET"), let address = Address(name) else { return nil }
    descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    self.address = address
    var timeout = timeval(tv_sec: 1, tv_usec: 0)
    unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let owner = environment("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
    if owner, let text = environment("WATCHDOG_USEC"), let period = UInt64(text), period > 0 {
      watchdog = Watchdog(period: period)
    }
  }

  deinit { close(descriptor) }

  /// The run plays on this grant.
  func plays(_ grant: String) {
    playing = "playing: " + grant
    send(["READY=1", status(playing)])
  }

  /// The run is ready, but silent for this reason.
  func waits(_ reason: String) { send(["READY=1", status("waiting: " + reason)]) }

  /// The wait is over.
  func hasWaited() {
    if !playing.isEmpty { send([status(playing)]) }
  }

  /// A reload begins.
  func reloads() {
    // The manager compares the time with that of its reload signal.
    send([
      "RELOADING=1", "MONOTONIC_USEC=\(monotonicNanoseconds() / 1000)",
      status("reading the patch again"),
    ])
  }

  /// A reload has ended with this outcome.
  func hasReloaded(_ outcome: String) {
    // Before the first `READY=1` nothing is sent: `plays` follows.
    guard !playing.isEmpty else { return }
    send(["READY=1", status("\(playing); \(outcome)")])
  }

  /// The run is ending for this reason.
  func stops(_ reason: String) { send(["STOPPING=1", status("ending: \(reason)")]) }

  /// Sends a watchdog message if half of the watchdog's period has passed.
  func keepAlive() {
    if watchdog?.isDue(monotonicNanoseconds()) == true { send(["WATCHDOG=1"]) }
  }

  /// One line even for names with line breaks: a second line would be another assignment.
  private func status(_ text: String) -> String { "STATUS=" + printable(text) }

  /// Sends one datagram. A failure is ignored: the manager has gone.
  private func send(_ lines: [String]) {
    let bytes = Array(lines.joined(separator: "\n").utf8)
    repeat {
      let count = unsafe address.withPointer { pointer, length in
        unsafe sendto(
          descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), pointer, length)
      }
      if count >= 0 { return }
    } while errno == EINTR
  }
}

/// The period of a watchdog, and the time of the next message.
struct Watchdog {
  private let interval: UInt64
  private var next: UInt64 = 0

  /// - Parameter period: Microseconds after which the manager takes a silent process for hung.
  init(period: UInt64) { interval = period > .max / 1000 ? .max : period * 1000 / 2 }

  /// Whether a message is due at `now` (nanoseconds of the monotonic clock). If so, the next one is
  /// due half a period later.
  mutating func isDue(_ now: UInt64) -> Bool {
    guard now >= next else { return false }
    next = now.addingReportingOverflow(interval).overflow ? .max : now + interval
    return true
  }
}

extension ServiceManager {
  /// The address of the manager's socket: a path, or an abstract name after `@`.
  struct Address {
    private var socket = sockaddr_un()
    private let length: socklen_t

    /// `nil` for any other name, and for one that is too long.
    init?(_ name: String) {
      let bytes = Array(name.utf8)
      guard bytes.count > 1, bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "@")
      else { return nil }
      let isAbstract = bytes.first == UInt8(ascii: "@")
      socket.sun_family = sa_family_t(AF_UNIX)
      let fits = unsafe withUnsafeMutableBytes(of: &socket.sun_path) { place in
        // A path needs a terminating zero; an abstract name ends with the length of the address.
        guard bytes.count + (isAbstract ? 0 : 1) <= place.count else { return false }
        unsafe place.copyBytes(from: bytes)
        if isAbstract { unsafe place[0] = 0 }
        return true
      }
      guard fits else { return nil }
      let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
      length = socklen_t(start + bytes.count + (isAbstract ? 0 : 1))
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
      unsafe withUnsafePointer(to: socket) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          unsafe body(pointer, length)
        }
      }
    }
  }
}

extension BuiltPatch {
  /// The first error or warning in one line, with its position in the file.
  var mainFindingLine: String {
    guard let finding = diagnostics.mainFinding else { return "the patch is wrong" }
    let (text, range) = source.origin(of: finding.range)
    return "\(text.name):\(text.position(of: range.lowerBound)): "
      + "\(finding.severity.rawValue)[\(finding.code)] \(finding.message)"
  }
}
