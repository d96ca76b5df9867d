import Foundation
import PatchSyntax
import Testing

@testable import Control

/// A control server with a fake patch.
final class Room {
  let patch: FakePatch
  let folder: ControlFolder
  let server: ControlServer
  private var isOpen = true

  init(
    patch: FakePatch = FakePatch(), port: Int? = nil, osc: ControlServer.OSCOptions? = nil,
    hasPanel: Bool = false, limits: ControlLimits = ControlLimits()
  ) throws {
    self.patch = patch
    folder = Self.newFolder()
    server = try ControlServer.start(
      ControlServer.Options(
        name: "fake", isNameExact: true, folder: folder, port: port, osc: osc,
        hasPanel: hasPanel, version: "0.0.1"),
      for: patch, limits: limits)
  }

  deinit {
    close()
    try? FileManager.default.removeItem(atPath: folder.path)
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    patch.feed.finish()
    server.stop()
  }

  static func newFolder() -> ControlFolder {
    ControlFolder(path: "/tmp/patchrun-control-\(UUID().uuidString.prefix(8))")
  }

  var client: ControlClient { ControlClient(socketPath: server.socketPath) }

  func connect() throws -> RawConnection { try RawConnection(path: server.socketPath) }

  /// The text of the metrics; `nil` if the server cannot be reached.
  var metrics: String? {
    guard let connection = try? connect(),
      (try? connection.send(
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")) != nil
    else { return nil }
    return RawAnswer(connection.readAll())?.body
  }

  /// Sends a request with `Connection: close` and returns the answer.
  func ask(_ line: String, _ fields: [String] = [], body: String = "") throws -> RawAnswer {
    let connection = try connect()
    let isHosted = fields.contains { $0.hasPrefix("Host:") }
    var head = [line + " HTTP/1.1"] + (isHosted ? [] : ["Host: localhost"]) + fields
    head.append("Connection: close")
    if !body.isEmpty { head.append("Content-Length: \(body.utf8.count)") }
    try connection.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
    return try #require(RawAnswer(connection.readAll()))
  }
}

/// A parsed answer.
struct RawAnswer {
  var status: Int
  var fields: [String: String]
  var body: String

  init?(_ text: String) {
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else { return nil }
    self.status = status
    fields = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      fields[line[..<colon].lowercased()] = line[line.index(after: colon)...]
        .trimmingCharacters(in: .whitespaces)
    }
    body = String(text[end.upperBound...])
  }

  var json: JSONValue? { JSONReading.value(of: body) }
}

/// A connection on which any bytes can be sent.
final class RawConnection {
  let descriptor: Int32

  struct Failure: Error { var number = errno }

  init(path: String) throws {
    descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      unsafe place.copyBytes(from: Array(path.utf8))
    }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Failure() }
    setTimeout()
  }

  /// - Parameter user: The owner of the connection; `nil` for the current user. Others need root.
  init(port: Int, user: UInt32? = nil) throws {
    // Sets the user of this thread for files, which include new sockets, and nothing else.
    if let user { try Self.becomeUser(user) }
    descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if user != nil { try Self.becomeUser(geteuid()) }
    var address = Self.address(port)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure() }
    setTimeout()
  }

  deinit { Glibc.close(descriptor) }

  /// `setfsuid(2)`, which no Swift module declares.
  private static func becomeUser(_ user: UInt32) throws {
    guard let symbol = unsafe dlsym(nil, "setfsuid") else { throw Failure() }
    let function = unsafe unsafeBitCast(symbol, to: (@convention(c) (UInt32) -> Int32).self)
    _ = function(user)
    guard function(.max) == Int32(user) else { throw Failure() }
  }

  private static func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }

  /// Times out after 30 s, which no test needs.
  private func setTimeout() {
    var time = timeval(tv_sec: 30, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure() }
      rest = rest.dropFirst(count)
    }
  }

  /// The next bytes; empty at the end.
  func read() -> [UInt8] {
    var block = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(descriptor, &block, block.count, 0)
    return Array(block.prefix(max(0, count)))
  }

  func readAll() -> String {
    var bytes: [UInt8] = []
    while true {
      let some = read()
      if some.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += some
    }
  }

  /// Reads until a text has arrived, or to the end.
  func read(until text: String) -> String {
    var bytes: [UInt8] = []
    while !String(decoding: bytes, as: UTF8.self).contains(text) {
      let some = read()
      if some.isEmpty { break }
      bytes += some
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends a datagram to a port of 127.0.0.1.
  static func send(_ bytes: [UInt8], toPort port: Int) {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { Glibc.close(descriptor) }
    var address = address(port)
    _ = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe sendto(
          descriptor, bytes, bytes.count, 0, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
