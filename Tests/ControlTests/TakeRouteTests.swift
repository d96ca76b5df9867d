import Foundation
import NIOCore
import PatchSyntax
import Testing

@testable import Control

/// The files of recordings, and questions of an editor.
@Suite struct TakeRouteTests {
  private static let whole = String(decoding: FakeTake.bytes, as: UTF8.self)

  @Test func `the recordings of the run are listed`() throws {
    let takes = try #require(Room().ask("GET /takes").json?["takes"])
    #expect(takes.elements.map { $0["number"]?.integer } == [1, 2])
    #expect(takes.elements.map { $0["name"]?.string } == ["ä one.wav", "gone.flac"])
    #expect(takes.elements.first { _ in true }?["duration"]?.number == 2.5)
  }

  @Test func `the file of a recording is sent, whole, under its name`() throws {
    let answer = try Room().ask("GET /takes?number=1")
    #expect(answer.status == 200 && answer.body == Self.whole)
    #expect(answer.fields["content-length"] == "1000000")
    #expect(answer.fields["content-type"] == "audio/wav")
    #expect(
      answer.fields["content-disposition"] == "attachment; filename*=UTF-8''%C3%A4%20one.wav")
    #expect(answer.fields["x-content-type-options"] == "nosniff")
  }

  @Test(arguments: [
    ("bytes=0-9", 0..<10), ("bytes=999990-", 999_990..<1_000_000),
    ("bytes=-5", 999_995..<1_000_000),
    ("bytes=300000-700000", 300_000..<700_001), ("bytes=5-2000000", 5..<1_000_000),
  ])
  func `a part of it is sent where one is asked for`(field: String, range: Range<Int>) throws {
    let answer = try Room().ask("GET /takes?number=1", ["Range: \(field)"])
    #expect(answer.status == 206)
    #expect(answer.body == String(decoding: FakeTake.bytes[range], as: UTF8.self))
    #expect(
      answer.fields["content-range"]
        == "bytes \(range.lowerBound)-\(range.upperBound - 1)/1000000")
  }

  @Test func `a range that is none has all, and one behind the end is refused`() throws {
    let room = try Room()
    for field in ["bytes=9-3", "bytes=0-1,4-5", "lines=1-2", "bytes=-", "bytes=a-b"] {
      #expect(try room.ask("HEAD /takes?number=1", ["Range: \(field)"]).status == 200, "\(field)")
    }
    for field in ["bytes=1000000-", "bytes=-0"] {
      let answer = try room.ask("GET /takes?number=1", ["Range: \(field)"])
      #expect(answer.status == 416 && answer.fields["content-range"] == "bytes */1000000")
    }
    // The first part belongs to another file.
    let answer = try room.ask("GET /takes?number=1", ["Range: bytes=0-9", "If-Range: \"old\""])
    #expect(answer.status == 200 && answer.body.utf8.count == 1_000_000)
  }

  @Test func `nothing but a recording of the run is sent`() throws {
    let room = try Room()
    #expect(try room.ask("GET /takes?number=2").status == 410)
    for name in ["0", "3", "-1", "1.5", "../etc/passwd", "%2Fetc%2Fpasswd", ""] {
      #expect(try room.ask("GET /takes?number=\(name)").status == 404, "\(name)")
    }
    #expect(try room.ask("GET /takes?file=/etc/passwd").status == 400)
    #expect(try room.ask("GET /takes?number=1", ["Origin: http://evil.example"]).status == 403)
  }

  @Test func `a client that reads nothing of a file is dropped`() throws {
    var limits = ControlLimits()
    limits.answerTime = .milliseconds(300)
    limits.filePiece = 4096
    let room = try Room(limits: limits)
    let connection = try room.connect()
    try connection.send("GET /takes?number=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    while room.metrics?.contains("patchrun_control_unread_total 1") != true {
      try #require(room.metrics != nil)
      Thread.sleep(forTimeInterval: 0.02)
    }
    #expect(connection.readAll().utf8.count < 1_000_000)
  }

  @Test func `what an editor asks is handed on, each question with its answer`() throws {
    let room = try Room()
    let body = #"""
      { "text": "{ }", "requests": [
        { "method": "textDocument/hover", "params": { "position": { "line": 0, "character": 1 } } },
        { "method": "textDocument/nothing" }
      ] }
      """#
    let answer = try room.ask("POST /language", ["Content-Type: application/json"], body: body)
    let answers = try #require(answer.json?["answers"]?.elements)
    let list = Array(answers)
    #expect(list.count == 2)
    #expect(list[0]["result"]?["contents"]?.string == "{ }")
    #expect(list[0]["result"]?["asked"]?["position"]?["character"]?.integer == 1)
    #expect(list[1]["error"]?["code"]?.integer == -32601)
  }
}
