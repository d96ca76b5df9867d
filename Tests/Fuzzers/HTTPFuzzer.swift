import Control
import Foundation
import Glibc

/// Requests to the control socket of a server in this process. Every connection must end soon after
/// its client has sent all, and the answers must be HTTP.
final class HTTPFuzzer: Fuzzer {
  private let server: ControlServer
  private let patch = FuzzedPatch()

  init() {
    let folder = ControlFolder(
      path: "/tmp/patchrun-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
    do throws(ControlError) {
      server = try ControlServer.start(
        ControlServer.Options(
          name: "fuzz", isNameExact: true, folder: folder, hasPanel: true, version: "1"),
        for: patch)
    } catch {
      fatalError("\(error)")
    }
  }

  func take(_ bytes: [UInt8]) {
    // A slow machine is the cause if the same input is fast another time.
    let isSlow = (0..<3).allSatisfy { _ in exchange(bytes) > 2 }
    demand(!isSlow, "an answer takes more than two seconds, three times")
  }

  /// Sends an input and reads the answer. Returns the time in seconds.
  private func exchange(_ bytes: [UInt8]) -> Double {
    let begin = Date()
    patch.begin()
    let connection = connect()
    defer { close(connection) }
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe send(
          connection, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      // The server may close before it has read all.
      guard count > 0 else { break }
      sent += count
    }
    shutdown(connection, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var polled = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
      // A stream of events ends when its client closes. Other connections end at most 1 s after
      // their client; the remaining time is for a busy machine.
      let isStream = isEventStream(answer)
      let isReadable = unsafe poll(&polled, 1, isStream ? 5 : 20_000) == 1
      if !isReadable, !isStream { demandEnd(of: connection, after: answer) }
      guard isReadable else { break }
      let count = unsafe recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      answer += buffer.prefix(count)
    }
    demand(
      answer.isEmpty || answer.starts(with: Array("HTTP/1.1 ".utf8)), "an answer is no HTTP")
    return Date().timeIntervalSince(begin)
  }

  /// If the server answers another connection, this one hangs. Otherwise the machine is slow.
  private func demandEnd(of connection: Int32, after answer: [UInt8]) {
    let other = connect()
    defer { close(other) }
    let begin = Date()
    let request = Array("GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    _ = unsafe request.withUnsafeBytes {
      unsafe send(other, $0.baseAddress!, request.count, Int32(MSG_NOSIGNAL))
    }
    var polled = pollfd(fd: other, events: Int16(POLLIN), revents: 0)
    let isAnswered = unsafe poll(&polled, 1, 60_000) == 1
    demand(isAnswered, "the server answers nobody for a minute")
    guard Date().timeIntervalSince(begin) < 1 else { return }
    polled = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    demand(
      unsafe poll(&polled, 1, 5000) == 1,
      "a connection does not end: \(String(decoding: answer, as: UTF8.self))")
  }

  private func isEventStream(_ answer: [UInt8]) -> Bool {
    answer.count < 1 << 16
      && String(decoding: answer, as: UTF8.self).contains("text/event-stream")
  }

  private func connect() -> Int32 {
    let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) {
      unsafe $0.copyBytes(from: Array(server.socketPath.utf8))
    }
    let status = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    demand(status == 0, "the server takes no connection: \(errno)")
    return connection
  }
}
