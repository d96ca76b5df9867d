import AudioTypes
import Diagnostics
import Glibc
import PatchGraph
import RenderHost

/// Tells the service manager that has started the process how it is: the protocol of `sd_notify(3)`,
/// datagrams to the socket that `NOTIFY_SOCKET` names.
///
/// Used on the thread that waits for signals. A manager that takes nothing holds it up for a second
/// at the most, and the render thread never.
final class ServiceManager {
  private let descriptor: Int32
  private let address: Address
  private var watchdog: Watchdog?
  /// What plays, in words; what is said of a reload comes after it.
  private var playing = ""

  /// The manager that the environment names; `nil` for none. As `sd_watchdog_enabled(3)` says, a
  /// watchdog that is another process's is not answered.
  init?(environment: (String) -> String?) {
    guard let name = environment("NOTIFY_SOCKET"), let address = Address(name) else { return nil }
    descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    self.address = address
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let owner = environment("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
    if owner, let text = environment("WATCHDOG_USEC"), let period = UInt64(text), period > 0 {
      watchdog = Watchdog(period: period)
    }
  }

  deinit { close(descriptor) }

  /// It sounds, on what has been granted.
  func plays(_ grant: String) {
    playing = "playing: " + grant
    send(["READY=1", status(playing)])
  }

  /// It is silent for now, and that is as it should be: why.
  func waits(_ reason: String) { send(["READY=1", status("waiting: " + reason)]) }

  /// What it waited for is there.
  func hasWaited() {
    if !playing.isEmpty { send([status(playing)]) }
  }

  /// The patch is about to be read again.
  func reloads() {
    // The manager compares the time with that of its own signal.
    send([
      "RELOADING=1", "MONOTONIC_USEC=\(monotonicNanoseconds() / 1000)",
      status("reading the patch again"),
    ])
  }

  /// What has come of a reload: another patch plays, or the same.
  func hasReloaded(_ outcome: String) {
    // Not yet ready for the first time: what comes is what plays then.
    guard !playing.isEmpty else { return }
    send(["READY=1", status("\(playing); \(outcome)")])
  }

  /// It is about to end.
  func stops(_ reason: String) { send(["STOPPING=1", status("ending: \(reason)")]) }

  /// Says that the process is alive, where the manager wants to hear so and half its patience is
  /// over.
  func keepAlive() {
    if watchdog?.isDue(monotonicNanoseconds()) == true { send(["WATCHDOG=1"]) }
  }

  /// One line, whatever a patch has in its names: a line of its own would be another assignment.
  private func status(_ text: String) -> String { "STATUS=" + printable(text) }

  /// Sends one datagram. A manager that is not there is not missed: it asked, and has gone.
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

/// A watchdog's patience, and when it was last answered.
struct Watchdog {
  private let interval: UInt64
  private var next: UInt64 = 0

  /// - Parameter period: In microseconds: after so long without a word the process is taken for dead.
  init(period: UInt64) { interval = period > .max / 1000 ? .max : period * 1000 / 2 }

  /// Whether it is to be answered now, in nanoseconds of the monotonic clock. Then it has been.
  mutating func isDue(_ now: UInt64) -> Bool {
    guard now >= next else { return false }
    next = now.addingReportingOverflow(interval).overflow ? .max : now + interval
    return true
  }
}

extension ServiceManager {
  /// Where the manager listens: a path, or after `@` a name that is in no folder.
  struct Address {
    private var socket = sockaddr_un()
    private let length: socklen_t

    /// `nil` for what is neither, or too long.
    init?(_ name: String) {
      let bytes = Array(name.utf8)
      guard bytes.count > 1, bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "@")
      else { return nil }
      let isAbstract = bytes.first == UInt8(ascii: "@")
      socket.sun_family = sa_family_t(AF_UNIX)
      let fits = unsafe withUnsafeMutableBytes(of: &socket.sun_path) { place in
        // A path ends with a zero, a name with the address.
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
  /// What is wrong with it first of all, in one line and with its place.
  var mainFindingLine: String {
    guard let finding = diagnostics.mainFinding else { return "the patch is wrong" }
    let (text, range) = source.origin(of: finding.range)
    return "\(text.name):\(text.position(of: range.lowerBound)): "
      + "\(finding.severity.rawValue)[\(finding.code)] \(finding.message)"
  }
}
