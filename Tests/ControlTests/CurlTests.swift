import Foundation
import TestSupport
import Testing

@testable import Control

/// Runs the curl commands of the manual.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
struct CurlTests {
  private func curl(_ arguments: String...) throws -> String {
    let output = "/tmp/patchrun-curl-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: output) }
    let process = try ChildProcess(
      "/usr/bin/curl", ["--silent", "--max-time", "60"] + arguments, environment: [:],
      output: output)
    #expect(process.wait() == 0)
    return try String(contentsOfFile: output, encoding: .utf8)
  }

  @Test func `curl reads, changes, streams and stops`() throws {
    let room = try Room(port: 0)
    let socket = room.server.socketPath
    #expect(try curl("--unix-socket", socket, "http://localhost/patch") == FakePatch.document)
    #expect(
      try curl(
        "--unix-socket", socket, "-X", "PUT", "--json", "0.5",
        "http://localhost/patch?pointer=/nodes/mixer/inputs/0/parameters/volume"
      ).contains("\"tag\": \"v2\""))
    #expect(
      try curl(
        "--unix-socket", socket, "-X", "PATCH", "-H", "Content-Type: application/json-patch+json",
        "-d", #"[{"op":"remove","path":"/taps"}]"#, "http://localhost/patch"
      ).contains("\"tag\": \"v3\""))
    // A body that curl announces with `Expect`, and one of the largest size.
    let file = "/tmp/patchrun-curl-body-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Data((String(repeating: " ", count: 16 << 20 - 2) + "{}").utf8.prefix(16 << 20)).write(
      to: URL(fileURLWithPath: file))
    #expect(
      try curl(
        "--unix-socket", socket, "-X", "PUT", "-H", "Content-Type: application/json",
        "--data-binary", "@\(file)", "http://localhost/patch"
      ).contains("\"tag\": \"v4\""))
    let port = try #require(room.server.port)
    #expect(try curl("http://localhost:\(port)/status").contains("\"state\": \"playing\""))
    #expect(try curl("http://127.0.0.1:\(port)/metrics").contains("patchrun_load_ratio 0.125"))
    _ = try curl("--unix-socket", socket, "-X", "POST", "http://localhost/stop")
    #expect(room.patch.isStopped)
    let events = try ChildProcess(
      "/usr/bin/curl",
      ["--silent", "--no-buffer", "--unix-socket", socket, "http://localhost/events"],
      environment: [:], output: file + ".events")
    defer { try? FileManager.default.removeItem(atPath: file + ".events") }
    #expect(
      eventually {
        (try? String(contentsOfFile: file + ".events", encoding: .utf8))?.contains("status") == true
      })
    room.patch.feed.yield(.ended(.stopped))
    room.close()
    #expect(events.wait() == 0)
    #expect(
      try String(contentsOfFile: file + ".events", encoding: .utf8).contains("event: ended"))
  }
}
