import Foundation
import NIOCore
import PatchSyntax
import TestSupport
import Testing

@testable import Control

/// Which clients may connect, and the resources that they may use.
@Suite struct DoorTests {
  private static let status = "GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n"
  private static let patch = "GET /patch HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private func limits(_ change: (inout ControlLimits) -> Void) -> ControlLimits {
    var limits = ControlLimits()
    change(&limits)
    return limits
  }

  private func metric(_ name: String, of room: Room) -> Int? {
    room.metrics?.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      .flatMap { Int($0.dropFirst(name.count + 1)) }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can be somebody else"))
  func `other users take no place at the port, and are told so`() throws {
    let room = try Room(port: 0, limits: limits { $0.connections = 4 })
    let port = try #require(room.server.port)
    let silent = try (0..<80).map { _ in try RawConnection(port: port, user: 65_534) }
    let name = "patchrun_control_refused_total{reason=\"stranger\"}"
    #expect(eventually { metric(name, of: room) == 80 })
    #expect(metric("patchrun_control_connections", of: room) == 1)
    // The user's own connections are answered at both sockets.
    let own = try RawConnection(port: port)
    try own.send(
      "GET /status HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
    #expect(RawAnswer(own.readAll())?.status == 200)
    #expect(try room.ask("GET /status").status == 200)
    let stranger = try RawConnection(port: port, user: 65_534)
    try stranger.send("GET /status HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    let answer = try #require(RawAnswer(stranger.readAll()))
    #expect(answer.status == 403)
    #expect(answer.json?["detail"]?.string == "only the user who runs the patch is answered here")
    // The server does not wait for silent connections of other users.
    #expect(
      silent.allSatisfy { connection in
        let text = connection.readAll()
        return text.isEmpty || text.hasPrefix("HTTP/1.1 403 ")
      })
    #expect(metric(name, of: room) == 81)
  }

  @Test func `a port that is full leaves the socket its places, and the other way round`() throws {
    let room = try Room(port: 0, limits: limits { $0.connections = 4 })
    let port = try #require(room.server.port)
    func ask() throws -> Int? {
      let connection = try RawConnection(port: port)
      try connection.send("GET /status HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
      return RawAnswer(connection.read(until: "\r\n\r\n"))?.status
    }
    var open = try (0..<4).map { _ in try RawConnection(port: port) }
    #expect(eventually { metric("patchrun_control_connections", of: room) == 5 })
    #expect(try ask() == 503)
    #expect(try room.ask("GET /status").status == 200)
    open = []
    // A place becomes free shortly after its connection is closed.
    #expect(
      eventually {
        guard let connection = try? room.connect(), (try? connection.send(Self.status)) != nil,
          connection.read(until: "pendingStages").contains("200 OK")
        else { return false }
        open.append(connection)
        return open.count == 4
      })
    #expect(eventually { (try? ask()) == 200 })
    #expect(try room.ask("GET /status").status == 503)
  }

  @Test func `the client waits for a place, and says what has become of a connection`() throws {
    let room = try Room(limits: limits { $0.connections = 1 })
    let place = try room.connect()
    try place.send(Self.status)
    #expect(place.read(until: "pendingStages").contains("200 OK"))
    let descriptor = place.descriptor
    Thread.detachNewThread {
      usleep(200_000)
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
    #expect(try room.client.send(ControlClient.Request(.get, "/status")).status == 200)
    // A server that closes connections without an answer and keeps listening.
    let folder = Room.newFolder()
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let socket = try ControlSocket.listen("rude", isExact: true, in: folder)
    let acceptor = Thread {
      while true {
        let client = accept(socket.descriptor, nil, nil)
        guard client >= 0 else { break }
        close(client)
      }
    }
    acceptor.start()
    let client = ControlClient(socketPath: socket.path)
    let error = #expect(throws: ControlError.self) {
      try client.send(ControlClient.Request(.get, "/status"))
    }
    #expect(
      error?.message.hasPrefix("the patch plays on, but has closed the connection before") == true,
      "\(error?.message ?? "")")
    #expect(error?.isLost == true)
    shutdown(socket.descriptor, Int32(SHUT_RDWR))
    #expect(eventually { acceptor.isFinished })
    close(socket.descriptor)
  }

  @Test func `of requests in advance none is worked on before the answer to the last is read`()
    throws
  {
    let patch = FakePatch(text: "\"" + String(repeating: "x", count: 8 << 20) + "\"")
    let room = try Room(patch: patch, limits: limits { $0.answerTime = .milliseconds(500) })
    let lazy = try room.connect()
    try lazy.send(String(repeating: Self.patch, count: 200))
    #expect(eventually { metric("patchrun_control_unread_total", of: room) == 1 })
    #expect(patch.documentsGiven == 1)
    // Small requests are answered until the system's buffers are full.
    let small = try Room(patch: FakePatch(text: "\"" + String(repeating: "x", count: 9000) + "\""))
    let reader = try small.connect()
    try reader.send(String(repeating: Self.patch, count: 2000))
    var given = 0
    for _ in 0..<100 {
      usleep(5000)
      given = small.patch.documentsGiven
    }
    #expect(given < 200)
    // No request is lost.
    reader.endSending()
    #expect(reader.readAll().components(separatedBy: "200 OK").count == 2001)
  }

  @Test func `waiting for a client is one time, of which a tenth comes back`() {
    let begin = NIODeadline.uptimeNanoseconds(0)
    func time(_ seconds: Int64) -> NIODeadline { begin + .seconds(seconds) }
    var waitBudget = WaitBudget(.seconds(30), at: begin)
    #expect(waitBudget.begin(at: time(100)) == .seconds(30))
    #expect(waitBudget.begin(at: time(110)) == .seconds(30))
    waitBudget.end(at: time(120))
    #expect(waitBudget.begin(at: time(120)) == .seconds(10))
    waitBudget.end(at: time(125))
    #expect(waitBudget.begin(at: time(175)) == .seconds(10))
    waitBudget.end(at: time(184))
    #expect(waitBudget.begin(at: time(184)) == .seconds(1))
    waitBudget.end(at: time(185))
    waitBudget.end(at: time(190))
    #expect(waitBudget.begin(at: time(1185)) == .seconds(30))
  }

  @Test func `a client that takes each answer late is closed all the same`() throws {
    let patch = FakePatch(text: "\"" + String(repeating: "x", count: 1 << 20) + "\"")
    let room = try Room(patch: patch, limits: limits { $0.answerTime = .milliseconds(300) })
    let slow = try room.connect()
    try slow.send(String(repeating: Self.patch, count: 300))
    var bytes = 0
    // Each answer is taken within its time limit; all 300 would take 25 s.
    while true {
      let some = slow.read()
      if some.isEmpty { break }
      bytes += some.count
      usleep(5000)
    }
    #expect(bytes > 1 << 20 && bytes < 300 << 20)
    #expect(metric("patchrun_control_unread_total", of: room) == 1)
  }

  @Test func `answers and bodies of all clients together have a limit`() throws {
    let patch = FakePatch(text: "\"" + String(repeating: "x", count: 4 << 20) + "\"")
    let room = try Room(
      patch: patch,
      limits: limits {
        $0.answerBytes = 6 << 20
        $0.requestBytes = 1 << 20
      })
    let first = try room.connect()
    try first.send(Self.patch)
    var read = first.read(until: "\r\n\r\n").utf8.count
    #expect(try room.ask("GET /patch").status == 503)
    // Small answers still pass.
    #expect(try room.ask("GET /status").status == 200)
    while read < 4 << 20 {
      let some = first.read().count
      if some == 0 { break }
      read += some
    }
    #expect(read > 4 << 20)
    #expect(eventually { (try? room.ask("GET /patch").status) == 200 })
    let put =
      "PUT /patch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(900 << 10)\r\n\r\n"
    let half = try room.connect()
    try half.send(put + String(repeating: " ", count: 800 << 10))
    // Its body has arrived once another client is refused because of it.
    #expect(
      eventually {
        (try? room.ask(
          "PUT /patch", ["Content-Type: application/json"],
          body: String(repeating: " ", count: 300 << 10)))?.status == 503
      })
    try half.send(String(repeating: " ", count: (100 << 10) - 2) + "{}")
    #expect(half.read(until: "\r\n\r\n").contains("200 OK"))
    #expect(
      try room.ask(
        "PUT /patch", ["Content-Type: application/json"],
        body: String(repeating: " ", count: 300 << 10) + "{}"
      ).status == 200)
  }

  @Test func `a budget gives what it has, and anything to the first`() {
    let budget = ByteBudget(limit: 100)
    #expect(budget.reserve(1000))
    #expect(!budget.reserve(1))
    budget.release(1000)
    #expect(budget.reserve(60) && budget.reserve(40))
    #expect(!budget.reserve(1))
    budget.release(40)
    #expect(budget.reserve(30) && !budget.reserve(11) && budget.reserve(10))
  }

  @Test func `events that are kept have a limit, and so has one of them`() {
    var own = ControlLimits()
    own.keptEvents = 1000
    own.keptEventBytes = 20_000
    own.eventBytes = 5000
    let hub = EventHub(own)
    let long = String(repeating: "x", count: 4000)
    for _ in 0..<50 { hub.publish(.warning(message: long)) }
    let effect = ControlEffect(pointer: "/a", summary: long, heard: "")
    hub.publish(.changed(tag: "t", effects: [effect, effect], by: .http))
    hub.publish(.refused(ControlRefusal(report: "", text: long + long), by: .osc))
    final class Heard: @unchecked Sendable { var events: [ServerSentEvent] = [] }
    let heard = Heard()
    hub.leave(hub.listen(after: 0) { heard.events.append($0) })
    #expect(heard.events.map(\.data.utf8.count).reduce(0, +) <= 20_000)
    #expect(heard.events.count > 3 && heard.events.last?.id == "52")
    #expect(heard.events.allSatisfy { $0.data.utf8.count <= 5000 })
    let last = heard.events.suffix(2).map { JSONReading.value(of: $0.data) }
    #expect(last[0]?["isShortened"]?.bool == true && last[0]?["changeCount"]?.integer == 2)
    #expect(last[0]?["tag"]?.string == "t")
    #expect(last[1]?["isShortened"]?.bool == true && last[1]?["by"]?.string == "osc")
  }

  @Test func `what a limit of the output does is in the status and the metrics`() async {
    var status = await FakePatch().status()
    #expect(status.json.compact.contains("\"outputLimit\":null"))
    #expect(!Metrics.text(status, [], ControlCounts(), version: "1").contains("output_limit"))
    status.outputLimit = ControlLimit(level: -6.0206, seconds: 1.25, reduction: 3)
    status.silencedSamples = 7
    let limit = JSONReading.value(of: status.json.compact)?["outputLimit"]
    #expect(limit?["level"]?.number == -6.02 && limit?["seconds"]?.number == 1.25)
    #expect(limit?["reduction"]?.number == 3)
    let metrics = Metrics.text(status, [], ControlCounts(), version: "1")
    for line in [
      "patchrun_output_limit_decibels -6.02\n", "patchrun_limited_seconds_total 1.25\n",
      "patchrun_silenced_samples_total 7\n",
    ] { #expect(metrics.contains(line), "\(line)") }
  }

  // MARK: Owners of connections

  @Test func `the kernel says whose a connection is, and its tables the same`() throws {
    let room = try Room(port: 0)
    let port = try #require(room.server.port)
    let connection = try RawConnection(port: port)
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(connection.descriptor, $0, &size)
      }
    }
    let own = Int(UInt16(bigEndian: address.sin_port))
    let peer = PeerOwner.Endpoint(address: "127.0.0.1", port: own)
    let local = PeerOwner.Endpoint(address: "127.0.0.1", port: port)
    #expect(PeerOwner.userInTables(of: peer, to: local) == geteuid())
    #expect(PeerOwner.user(of: peer, to: local) == geteuid())
    let answer = SocketDiagnosis.user(of: peer, to: local)
    #expect(answer == .user(geteuid()) || answer == .unknown)
    let other = PeerOwner.Endpoint(address: "127.0.0.1", port: 1)
    #expect(PeerOwner.user(of: other, to: local) == nil)
    #expect(
      SocketDiagnosis.user(
        of: PeerOwner.Endpoint(address: "::1", port: own), to: local) == .unknown)
  }

  @Test func `what the kernel does not say is not taken for an answer`() {
    func message(_ kind: UInt16, _ body: [UInt8]) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 16) + body
      bytes[4] = UInt8(truncatingIfNeeded: kind)
      bytes[5] = UInt8(truncatingIfNeeded: kind >> 8)
      return bytes
    }
    var row = [UInt8](repeating: 0, count: 72)
    row[64] = 0xE8
    row[65] = 0x03
    row[68] = 7
    #expect(SocketDiagnosis.read(message(20, row)[...]) == .user(1000))
    row[68] = 0
    #expect(SocketDiagnosis.read(message(20, row)[...]) == .nobody)
    #expect(SocketDiagnosis.read(message(20, Array(row.prefix(60)))[...]) == .unknown)
    #expect(SocketDiagnosis.read(message(2, [0xFE, 0xFF, 0xFF, 0xFF])[...]) == .nobody)
    #expect(SocketDiagnosis.read(message(2, [0xFF, 0xFF, 0xFF, 0xFF])[...]) == .unknown)
    #expect(SocketDiagnosis.read([]) == .unknown)
    let request = SocketDiagnosis.request(
      family: 2, [127, 0, 0, 1], 0x1234, [127, 0, 0, 1], 0x5678)
    #expect(request.count == 72)
    #expect(Array(request[24..<28]) == [0x12, 0x34, 0x56, 0x78])
  }

  // MARK: OSC

  private func volume(_ value: Float) -> [UInt8] {
    OSCPacket.message(
      OSCMessage(
        address: "/nodes/mixer/inputs/0/parameters/volume", arguments: [.float32(value)])
    ).bytes
  }

  @Test func `a flood of messages is read a little at a time, and changes have rests`() throws {
    let room = try Room(
      osc: ControlServer.OSCOptions(port: 0),
      limits: limits {
        $0.oscDatagrams = 4
        $0.oscWindow = .milliseconds(20)
        $0.oscPause = .milliseconds(25)
      })
    let port = try #require(room.server.oscPort)
    let begin = Date()
    for step in 0..<60 { RawConnection.send(volume(Float(step)), toPort: port) }
    #expect(
      eventually {
        room.patch.asked.last.map { "\($0.change)" }?.contains("value: Optional(\"59\")") == true
      }
    )
    let time = Date().timeIntervalSince(begin)
    // These limits hold however late the machine is.
    #expect(room.patch.asked.count <= Int(time / 0.025) + 1)
    #expect(metric("patchrun_osc_pauses_total", of: room).map { $0 >= 14 } == true)
    #expect(try room.ask("GET /status").status == 200)
  }

  @Test func `more messages than may wait are dropped and counted`() throws {
    let room = try Room(
      osc: ControlServer.OSCOptions(port: 0), limits: limits { $0.oscMessages = 10 })
    let port = try #require(room.server.oscPort)
    let message = OSCMessage(address: "/nodes/eq", arguments: [.int32(1)])
    let later = OSCTimeTag(unixTime: WallClock.unixTime + 3600)
    let bundle = OSCPacket.bundle(later, (0..<8).map { _ in .message(message) })
    RawConnection.send(bundle.bytes, toPort: port)
    RawConnection.send(bundle.bytes, toPort: port)
    let dropped = "patchrun_osc_datagrams_total{result=\"dropped\"}"
    #expect(eventually { metric(dropped, of: room) == 9 })
    RawConnection.send(volume(1), toPort: port)
    #expect(eventually { room.patch.asked.count == 1 })
  }

  @Test func `of a fader that is moved fast the last value is looked for, once`() {
    func message(_ address: String, _ argument: OSCArgument) -> OSCMessage {
      OSCMessage(address: address, arguments: [argument])
    }
    let messages = [
      message("/a", .float32(1)), message("/b", .float32(1)), message("/a", .string("x")),
      message("/a", .float32(2)), message("/c", .int32(1)), message("/b", .float32(3)),
    ]
    let last = OSCChange.last(of: messages)
    #expect(last.map(\.message) == [messages[2], messages[3], messages[4], messages[5]])
    #expect(last.map(\.count) == [1, 2, 1, 2])
  }

  @Test func `one wrong message among many keeps none of the others from being heard`() throws {
    let room = try Room(osc: ControlServer.OSCOptions(port: 0))
    let port = try #require(room.server.oscPort)
    room.patch.slow(by: .milliseconds(300))
    RawConnection.send(volume(0), toPort: port)
    #expect(eventually { room.patch.changesBegun == 1 })
    for number in 0..<64 {
      let text = number == 40 ? "wrong" : "preset \(number)"
      let message = OSCMessage(
        address: "/nodes/eq/properties/p\(number)", arguments: [.string(text)])
      RawConnection.send(OSCPacket.message(message).bytes, toPort: port)
    }
    room.patch.slow(by: .milliseconds(0))
    func isHeard(_ number: Int) -> Bool {
      room.patch.asked.contains { asked in
        let text = "\(asked.change)"
        return text.contains("\"preset \(number)\\\"") && !text.contains("wrong")
      }
    }
    #expect(eventually { isHeard(63) && isHeard(39) && isHeard(41) && isHeard(0) })
    // The server halves the group of messages instead of trying each one.
    #expect(room.patch.changesBegun < 30)
  }
}
