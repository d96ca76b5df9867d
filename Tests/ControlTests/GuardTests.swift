import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import Control

@Suite struct GuardTests {
  private func refusal(_ fields: [(String, String)], port: Int? = 8080) -> HTTPResponseStatus? {
    RequestGuard(port: port).refusal(
      HTTPRequestHead(
        version: .http1_1, method: .GET, uri: "/", headers: HTTPHeaders(fields)))?.status
  }

  @Test func `only our own names, with our port, are served`() {
    for host in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LocalHost:8080"] {
      #expect(refusal([("Host", host)]) == nil, "\(host)")
    }
    for host in [
      "localhost", "localhost:8081", "evil.example:8080", "localhost.evil.example:8080",
      "127.0.0.1.evil.example:8080", "[::2]:8080", "[::1", "", "localhost:", "localhost:8080:8080",
      "127.0.0.2:8080", "localhost:+8080 ",
    ] {
      #expect(refusal([("Host", host)]) == .forbidden, "\(host)")
    }
    #expect(refusal([]) == .badRequest)
    #expect(refusal([("Host", "localhost:8080"), ("Host", "localhost:8080")]) == .badRequest)
    #expect(refusal([("Host", "localhost")], port: nil) == nil)
    #expect(refusal([("Host", "evil.example")], port: nil) == .forbidden)
    #expect(refusal([("Host", "localhost")], port: 80) == nil)
  }

  @Test func `no page of another site is served`() {
    let host = ("Host", "localhost:8080")
    #expect(refusal([host, ("Origin", "http://localhost:8080")]) == nil)
    for origin in [
      "http://evil.example", "https://localhost:8080", "http://localhost:3000", "null", "file://",
      "http://localhost:8080.evil.example",
    ] {
      #expect(refusal([host, ("Origin", origin)]) == .forbidden, "\(origin)")
    }
    #expect(refusal([host, ("Sec-Fetch-Site", "cross-site")]) == .forbidden)
    #expect(refusal([host, ("Sec-Fetch-Site", "same-site")]) == .forbidden)
    #expect(refusal([host, ("Sec-Fetch-Site", "same-origin")]) == nil)
    #expect(refusal([host, ("Sec-Fetch-Site", "none")]) == nil)
  }

  @Test func `the loopback port answers its user, by the right name`() throws {
    let room = try Room(port: 0)
    let port = try #require(room.server.port)
    func ask(_ host: String, _ more: String = "") throws -> RawAnswer? {
      let connection = try RawConnection(port: port)
      try connection.send(
        "GET /status HTTP/1.1\r\nHost: \(host)\r\n\(more)Connection: close\r\n\r\n")
      return RawAnswer(connection.readAll())
    }
    #expect(try ask("127.0.0.1:\(port)")?.status == 200)
    #expect(try ask("localhost:\(port)")?.status == 200)
    #expect(try ask("evil.example:\(port)")?.status == 403)
    #expect(try ask("127.0.0.1:\(port)", "Origin: http://evil.example\r\n")?.status == 403)
    // No port is open on another address.
    let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
    let suffix = ":" + String(port, radix: 16, uppercase: true).leftPadded(4)
    for row in table.split(separator: "\n").dropFirst() {
      let columns = row.split(separator: " ")
      guard columns[3] == "0A", columns[1].hasSuffix(suffix) else { continue }
      #expect(columns[1].hasPrefix("0100007F"))
    }
  }

  @Test func `a table of the system says whose a connection is`() {
    let table = """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1
         1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 77 1
         2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 78 1
         3: 0100007F:C351 0100007F:1F90 06 00000000:00000000 00:00000000 00000000     0        0 0 3
      """
    func user(_ port: Int, _ address: String = "127.0.0.1") -> UInt32? {
      PeerOwner.user(
        of: PeerOwner.Endpoint(address: address, port: port),
        to: PeerOwner.Endpoint(address: address, port: 8080), in: table)
    }
    #expect(user(50_000) == 1000)
    // A closed connection has user 0, which does not mean root.
    #expect(user(50_001) == nil)
    #expect(user(50_002) == nil)
    let six = """
        sl  local_address                         remote_address                        st ...
         0: 00000000000000000000000001000000:C350 00000000000000000000000001000000:1F90 01 0:0 0:0 0 33 0 9 1
         1: 0000000000000000FFFF00000100007F:C352 0000000000000000FFFF00000100007F:1F90 01 0:0 0:0 0 34 0 9 1
      """
    #expect(
      PeerOwner.user(
        of: PeerOwner.Endpoint(address: "::1", port: 50_000),
        to: PeerOwner.Endpoint(address: "::1", port: 8080), in: six) == 33)
    #expect(
      PeerOwner.user(
        of: PeerOwner.Endpoint(address: "127.0.0.1", port: 50_002),
        to: PeerOwner.Endpoint(address: "127.0.0.1", port: 8080), in: six) == 34)
  }
}

extension String {
  fileprivate func leftPadded(_ count: Int) -> String {
    String(repeating: "0", count: max(0, count - self.count)) + self
  }
}
