import Foundation
import NIOCore
import PatchSyntax
import TestSupport
import Testing

@testable import Control

/// Clients that misbehave. The server must work as before after each.
@Suite struct HostileClientTests {
  private func isWell(_ room: Room) throws -> Bool { try room.ask("GET /status").status == 200 }

  @Test func `garbage is answered with 400, or not at all`() throws {
    let room = try Room()
    var generator = SplitMix64(seed: 7)
    for count in 0..<300 {
      let connection = try room.connect()
      var bytes = (0..<Int.random(in: 1...2000, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      // Every third begins like a request.
      if count % 3 == 0 { bytes = Array("GET /patch HTTP/1.1\r\nHost: localhost\r\n".utf8) + bytes }
      try? connection.send(bytes)
      connection.endSending()
      let text = connection.readAll()
      #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"), "\(text.prefix(80))")
    }
    #expect(try isWell(room))
    #expect(room.patch.asked.isEmpty)
  }

  @Test func `a request that was changed at random is no harm`() throws {
    let room = try Room()
    var generator = SplitMix64(seed: 11)
    let request = Array(
      """
      PUT /patch?pointer=/nodes/eq HTTP/1.1\r\nHost: localhost\r\nIf-Match: "v0"\r
      Content-Type: application/json\r\nContent-Length: 4\r\nConnection: close\r\n\r\ntrue
      """.utf8)
    for _ in 0..<500 {
      var bytes = request
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        }
      }
      let connection = try room.connect()
      try? connection.send(bytes)
      connection.endSending()
      let text = connection.readAll()
      #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 "), "\(text.prefix(80))")
    }
    #expect(try isWell(room))
  }

  @Test func `half a request has an end in time`() throws {
    var limits = ControlLimits()
    limits.requestTime = .milliseconds(50)
    let room = try Room(limits: limits)
    for text in [
      "", "GET /sta", "GET /status HTTP/1.1\r\nHost: local",
      "PUT /patch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{",
      "PUT /patch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ] {
      let connection = try room.connect()
      // The server may have closed the connection already.
      try? connection.send(text)
      #expect(connection.readAll().isEmpty)
    }
    #expect(try isWell(room))
    #expect(room.patch.asked.isEmpty)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `a client that ends within a request is let go at once`(seed: UInt64) throws {
    var limits = ControlLimits()
    limits.requestTime = .minutes(5)
    let room = try Room(limits: limits)
    let whole = "GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let body =
      "PUT /patch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"
    var generator = SplitMix64(seed: seed)
    for _ in 0..<150 {
      let connection = try room.connect()
      let wholes = Int.random(in: 0...3, using: &generator)
      let part = Bool.random(using: &generator) ? whole : body
      let length = Int.random(in: 0..<part.utf8.count, using: &generator)
      let text = String(repeating: whole, count: wholes) + part.prefix(length)
      // In two pieces, so that the end arrives at any time during an answer.
      let cut = Int.random(in: 0...text.utf8.count, using: &generator)
      try? connection.send(String(text.prefix(cut)))
      if Bool.random(using: &generator) { usleep(UInt32.random(in: 0...2000, using: &generator)) }
      try? connection.send(String(text.dropFirst(cut)))
      connection.endSending()
      let begin = ContinuousClock.now
      _ = connection.readAll()
      #expect(.now - begin < .seconds(60), "after '\(text.suffix(40))'")
    }
    #expect(try isWell(room))
  }

  @Test func `a client that only sends is not waited for`() throws {
    var limits = ControlLimits()
    limits.answerTime = .milliseconds(100)
    let patch = FakePatch(text: "\"" + String(repeating: "x", count: 8 << 20) + "\"")
    let room = try Room(patch: patch, limits: limits)
    let lazy = try room.connect()
    try lazy.send("GET /patch HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try isWell(room))
    #expect(eventually { room.metrics?.contains("connections 1\n") == true })
  }

  @Test func `heads that are too long are refused`() throws {
    let room = try Room()
    let long = String(repeating: "a", count: 100_000)
    for request in [
      "GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(long)\r\n\r\n",
      "GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 1000) + "\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\n"
        + (0..<60).map { "X\($0): \(long.prefix(1000))\r\n" }
        .joined() + "\r\n",
    ] {
      let connection = try room.connect()
      try? connection.send(request)
      let answer = try #require(RawAnswer(connection.readAll()))
      #expect(answer.status == 431)
      #expect(answer.json?["detail"]?.string == "the head of the request is too long")
    }
    #expect(try isWell(room))
  }

  @Test func `bodies that are too long are refused before they have come`() throws {
    var limits = ControlLimits()
    limits.body = 1000
    let room = try Room(limits: limits)
    let connection = try room.connect()
    try connection.send(
      "PUT /patch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 1001\r\n\r\n")
    #expect(RawAnswer(connection.readAll())?.status == 413)
    let chunked = try room.connect()
    try chunked.send(
      "PUT /patch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<20 { try? chunked.send("64\r\n" + String(repeating: " ", count: 100) + "\r\n") }
    #expect(RawAnswer(chunked.readAll())?.status == 413)
    let json = "Content-Type: application/json"
    let fits = String(repeating: " ", count: 998) + "{}"
    #expect(try room.ask("PUT /patch", [json], body: fits).status == 200)
    #expect(room.patch.asked.count == 1)
  }

  @Test func `who asks whether to go on is told to`() throws {
    let room = try Room()
    let connection = try room.connect()
    try connection.send(
      "PUT /patch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
    #expect(connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 Continue\r\n"))
    try connection.send("{}")
    #expect(RawAnswer(connection.readAll())?.status == 200)
  }

  @Test func `requests in one go are answered one by one, in order`() throws {
    var limits = ControlLimits()
    // The time to wait for a client that sends a flood and reads nothing.
    limits.answerTime = .seconds(2)
    let room = try Room(limits: limits)
    let connection = try room.connect()
    let put =
      "PUT /patch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Content-Length: 2\r\n\r\n{}"
    let get = "GET /patch HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let last = "GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    try connection.send(get + put + get + last)
    let text = connection.readAll()
    let places = ["\"v1\"", "\"tag\": \"v2\"", "\"v2\"\r\n", "404 Not Found"].compactMap {
      text.range(of: $0)?.lowerBound
    }
    #expect(places.count == 4 && places[0] < places[1] && places[1] < places[3])
    #expect(text.components(separatedBy: "HTTP/1.1 ").count == 5)
    // The server reads no more of them than its buffers hold.
    let flood = try room.connect()
    for _ in 0..<2000 { try? flood.send(get) }
    flood.endSending()
    #expect(flood.readAll().components(separatedBy: "200 OK").count > 1)
    #expect(try isWell(room))
  }

  @Test func `a client that finds a full house is told so, and when to come again`() throws {
    var limits = ControlLimits()
    limits.connections = 8
    let room = try Room(limits: limits)
    var open = try (0..<8).map { _ in try room.connect() }
    for connection in open {
      try connection.send("GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(connection.read(until: "pendingStages").contains("200 OK"))
    }
    for _ in 0..<100 {
      let extra = try room.connect()
      try extra.send("GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let answer = try #require(RawAnswer(extra.readAll()))
      #expect(answer.status == 503)
      #expect(answer.fields["retry-after"] == "1" && answer.fields["connection"] == "close")
      #expect(answer.json?["detail"]?.string?.hasPrefix("8 clients are connected") == true)
    }
    open.removeAll()
    #expect(eventually { room.metrics != nil })
  }

  @Test func `connections that come and go at once leave nothing behind`() throws {
    let room = try Room()
    for count in 0..<500 {
      let connection = try room.connect()
      if count % 2 == 0 { try? connection.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n") }
    }
    #expect(eventually { room.metrics?.contains("connections 1\n") == true })
  }

  @Test func `an answer is finished though the server closes`() throws {
    let room = try Room()
    room.patch.slow(by: .milliseconds(200))
    let connection = try room.connect()
    try connection.send(
      "PUT /patch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 2\r\n\r\n{}")
    #expect(eventually { room.patch.changesBegun == 1 })
    room.close()
    let answer = RawAnswer(connection.readAll())
    #expect(answer?.status == 200)
    #expect(answer?.fields["connection"] == "close")
  }
}
