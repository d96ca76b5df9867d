import NIOCore
import PatchSyntax
import TestSupport
import Testing

@testable import Control

@Suite struct EventTests {
  private func listen(_ room: Room, _ fields: String = "", target: String = "/events") throws
    -> RawConnection
  {
    let connection = try room.connect()
    try connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
    return connection
  }

  @Test func `the status comes first, and then what happens`() throws {
    let room = try Room()
    let connection = try listen(room)
    let head = connection.read(until: "event: status")
    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(head.lowercased().contains("content-type: text/event-stream"))
    #expect(head.contains("retry: 2000\n\n"))
    room.patch.feed.yield(.route(direction: .sink, name: "headphones"))
    let event = connection.read(until: "headphones")
    #expect(event.contains("id: 1\nevent: route\ndata: {\"time\":\""))
  }

  @Test func `who comes back hears what was missed, and only that`() throws {
    let room = try Room()
    let first = try listen(room)
    _ = first.read(until: "event: status")
    for count in 1...5 { room.patch.feed.yield(.xrun(underruns: count, overruns: 0)) }
    _ = first.read(until: "\"underruns\":5")
    let second = try listen(room, "Last-Event-ID: 3\r\n")
    let missed = second.read(until: "\"underruns\":5")
    #expect(missed.contains("id: 4\n") && !missed.contains("id: 3\n"))
    // An identifier from an earlier run.
    let third = try listen(room, "Last-Event-ID: 3000\r\n")
    _ = third.read(until: "event: status")
    room.patch.feed.yield(.xrun(underruns: 6, overruns: 0))
    #expect(!third.read(until: "\"underruns\":6").contains("\"underruns\":5"))
  }

  @Test func `every event has its name and what belongs to it`() {
    let events: [ControlEvent] = [
      .started(tag: "a"),
      .changed(tag: "b", effects: [FakePatch.effect], by: .osc),
      .refused(FakePatch.refusal, by: .file), .xrun(underruns: 1, overruns: 2),
      .underrun(.init(cause: "machine", position: 1.23456, message: "an underrun")),
      .file(
        .init(
          kind: "gap", file: "a.wav", position: 1, duration: 0.5, frames: 24_000, isOngoing: false,
          message: "m")),
      .route(direction: .source, name: "mic"), .interruption(begins: true),
      .warning(message: "hm"), .ended(.reached), .ended(.stopped), .ended(.failed(message: "no")),
    ]
    #expect(
      events.map { "\($0.name) \($0.json.compact)" } == [
        #"started {"tag":"a"}"#,
        #"changed {"tag":"b","by":"osc","changes":[{"pointer":"/nodes/mixer/inputs/0/parameters/volume","summary":"parameter 'volume' of 'mixer', input 0: 0.8 -> 0.5","heard":"ramp, 10 ms"}]}"#,
        #"refused {"by":"file","diagnostics":[{"code":"PR0551","message":"no parameter 'wrong'"}],"text":"error[PR0551]: no parameter 'wrong'\n"}"#,
        #"xrun {"underruns":1,"overruns":2}"#,
        #"underrun {"cause":"machine","position":1.235,"message":"an underrun"}"#,
        #"file {"kind":"gap","file":"a.wav","position":1,"duration":0.5,"frames":24000,"ongoing":false,"message":"m"}"#,
        #"route {"direction":"source","name":"mic"}"#,
        #"interruption {"begins":true}"#, #"warning {"message":"hm"}"#,
        #"ended {"reason":"reached"}"#, #"ended {"reason":"stopped"}"#,
        #"ended {"reason":"failed","message":"no"}"#,
      ])
  }

  @Test func `meters come at the rate that is asked for`() throws {
    let room = try Room()
    let connection = try listen(room, target: "/events?meters=50")
    let text = connection.read(until: "momentary")
    #expect(text.contains("event: meters\ndata: {\"meters\":["))
    #expect(connection.read(until: "momentary").contains("momentary"))
    #expect(try room.ask("GET /events?meters=1000").status == 400)
  }

  @Test func `an idle stream says that it lives`() throws {
    var limits = ControlLimits()
    limits.heartbeat = .milliseconds(20)
    let room = try Room(limits: limits)
    let connection = try listen(room)
    #expect(connection.read(until: "\n: still here").contains(": still here"))
  }

  @Test func `who does not read is dropped, and holds nobody up`() throws {
    var limits = ControlLimits()
    limits.eventBacklog = 64 << 10
    let room = try Room(limits: limits)
    let lazy = try listen(room)
    _ = lazy.read(until: "event: status")
    let eager = try listen(room)
    _ = eager.read(until: "event: status")
    let words = String(repeating: "x", count: 8192)
    for _ in 0..<200 {
      room.patch.feed.yield(.warning(message: words))
      _ = eager.read(until: "}\n\n")
    }
    room.patch.feed.yield(.warning(message: "the last"))
    #expect(eager.read(until: "the last").contains("the last"))
    // The client still receives what was already sent, and then the end.
    #expect(!lazy.readAll().contains("the last"))
  }

  @Test func `the end is the last event, and closes the stream`() throws {
    let room = try Room()
    let connection = try listen(room)
    _ = connection.read(until: "event: status")
    room.patch.feed.yield(.ended(.stopped))
    room.close()
    let rest = connection.readAll()
    #expect(rest.contains("event: ended\n") && rest.hasSuffix("0\r\n\r\n"))
  }

  @Test(arguments: [false, true])
  func `who ends its side goes on hearing, until it closes or the patch ends`(
    isOnPort: Bool
  ) throws {
    var limits = ControlLimits()
    limits.heartbeat = .milliseconds(20)
    let room = try Room(port: 0, limits: limits)
    let port = try #require(room.server.port)
    let request = "GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n"
    func connect() throws -> RawConnection {
      let connection = try isOnPort ? RawConnection(port: port) : room.connect()
      try connection.send(request)
      _ = connection.read(until: "event: status")
      connection.endSending()
      return connection
    }
    var connections = try (0..<20).map { _ in try connect() }
    for _ in 0..<3 {
      room.patch.feed.yield(.xrun(underruns: 1, overruns: 0))
      for connection in connections {
        #expect(connection.read(until: "event: xrun").contains("event: xrun"))
      }
    }
    // The server closes their descriptors when they close.
    let last = connections.removeLast()
    connections = []
    #expect(eventually { room.metrics?.contains("connections 2\n") == true })
    room.patch.feed.yield(.ended(.stopped))
    room.close()
    let rest = last.readAll()
    #expect(rest.contains("event: ended\n") && rest.hasSuffix("0\r\n\r\n"))
  }

  @Test func `a request behind one for events is not answered, and holds nothing up`() throws {
    let room = try Room()
    let connection = try room.connect()
    let status = "GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n"
    try connection.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n" + status)
    connection.endSending()
    _ = connection.read(until: "event: status")
    room.patch.feed.yield(.xrun(underruns: 7, overruns: 0))
    #expect(connection.read(until: "\"underruns\":7").contains("event: xrun"))
    room.patch.feed.yield(.ended(.stopped))
    room.close()
    #expect(connection.readAll().contains("event: ended\n"))
  }

  @Test func `a stream is read in whatever pieces it comes`() {
    let text =
      "\u{3A} comment\nretry: 5\n\nid: 1\nevent: a\ndata: one\ndata: two\n\n"
      + "data:three\r\n\r\nevent: none\n\ndata: four\r\rdata"
    let whole = [
      ServerSentEvent(id: "1", name: "a", data: "one\ntwo"),
      ServerSentEvent(name: "message", data: "three"),
      ServerSentEvent(name: "message", data: "four"),
    ]
    for size in 1...text.utf8.count {
      var reader = ServerSentEventReader()
      var events: [ServerSentEvent] = []
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        events += reader.read(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(events == whole, "pieces of \(size)")
    }
    var reader = ServerSentEventReader()
    #expect(reader.read(whole[0].wire.utf8) == [whole[0]])
  }

  @Test func `times are written as RFC 3339 has them`() {
    #expect(WallClock.text(unixTime: 0) == "1970-01-01T00:00:00.000Z")
    #expect(WallClock.text(unixTime: 951_782_400.125) == "2000-02-29T00:00:00.125Z")
    #expect(WallClock.text(unixTime: 1_795_258_323.999) == "2026-11-21T10:52:03.999Z")
    #expect(WallClock.text(unixTime: 4_102_444_799) == "2099-12-31T23:59:59.000Z")
  }
}
