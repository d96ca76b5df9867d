import Foundation
import TestSupport
import Testing

/// `patchrun mcp` with the messages of an assistant's program, one per line.
@Suite struct MCPTests {
  /// The answers to the lines, by the identifier of the request.
  private func answers(
    to lines: [String], in place: Workplace, options: String = ""
  ) throws -> [Int: [String: Any]] {
    try place.write(lines.joined(separator: "\n") + "\n", to: "session")
    let outcome = try place.shell("\"$PATCHRUN\" mcp \(options) <session").wait()
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    var answers: [Int: [String: Any]] = [:]
    for line in outcome.output.split(separator: "\n") {
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let answer = try #require(json)
      answers[try #require(answer["id"] as? Int)] = answer["result"] as? [String: Any]
    }
    return answers
  }

  private func text(_ answer: [String: Any]?) -> String {
    let content = answer?["content"] as? [[String: Any]] ?? []
    return content.compactMap { $0["text"] as? String }.joined(separator: "\n")
  }

  private func call(_ number: Int, _ tool: String, _ arguments: String) -> String {
    "{\"jsonrpc\":\"2.0\",\"id\":\(number),\"method\":\"tools/call\","
      + "\"params\":{\"name\":\"\(tool)\",\"arguments\":\(arguments)}}"
  }

  private static let tone = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": { "tone": { "kind": "tone", "frequency": 1000, "amplitude": 0.5 } },
      "nodes": {
        "mixer": { "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 } },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "tone", "to": "mixer" }, { "from": "mixer", "to": "io" } ]
    }
    """

  @Test func `a patch is begun, checked, mended, rendered, measured and compared`() throws {
    let place = try Workplace()
    try place.write(Self.tone, to: "work/tone.json")
    try place.write(
      Self.tone.replacing("\"tone\", \"to\"", with: "\"ton\", \"to\""), to: "work/bad.json")
    let found = try answers(
      to: [
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        call(2, "validate", "{\"patch\": \"bad.json\"}"),
        call(3, "validate", "{\"patch\": \"tone.json\"}"),
        call(4, "render", "{\"patch\": \"tone.json\", \"output\": \"tone.wav\", \"duration\": 1}"),
        call(5, "measure", "{\"file\": \"tone.wav\"}"),
        call(6, "diff", "{\"old\": \"tone.json\", \"new\": \"bad.json\"}"),
        call(7, "units", "{\"name\": \"NBandEQ\"}"),
        call(8, "validate", "{\"patch\": \"absent.json\"}"),
      ], in: place, options: "work")
    #expect(found.count == 8)
    #expect(found[1]?["protocolVersion"] as? String == "2025-06-18")
    #expect(text(found[2]).contains("error[PR") && text(found[2]).contains("'tone'"))
    #expect(found[2]?["isError"] as? Bool == false)
    #expect(!text(found[3]).contains("error["))
    // A sine of amplitude 0.5: -6.02 dBFS.
    #expect(text(found[5]).contains("\"peak\": [-6.02"), "\(text(found[5]))")
    #expect(text(found[6]).contains("ton"))
    #expect(text(found[7]).contains("globalGain"))
    #expect(found[8]?["isError"] as? Bool == true)
    #expect(FileManager.default.fileExists(atPath: place.path("work/tone.wav")))
  }

  @Test func `nothing outside the folder is read or written, by whatever way it is named`() throws {
    let place = try Workplace()
    try place.write(Self.tone, to: "outside/tone.json")
    try place.write(
      Self.tone.replacing(
        "{ \"kind\": \"tone\", \"frequency\": 1000, \"amplitude\": 0.5 }",
        with: "{ \"kind\": \"file\", \"path\": \"../outside/secret.wav\" }"), to: "work/reads.json")
    let found = try answers(
      to: [
        call(1, "validate", "{\"patch\": \"../outside/tone.json\"}"),
        call(2, "validate", "{\"patch\": \"\(place.path("outside/tone.json"))\"}"),
        call(3, "validate", "{\"patch\": \"reads.json\"}"),
        call(
          4, "render", "{\"patch\": \"reads.json\", \"output\": \"../out.wav\", \"duration\": 1}"),
      ], in: place, options: "work")
    for number in [1, 2, 4] { #expect(found[number]?["isError"] as? Bool == true) }
    #expect(text(found[3]).contains("error[PR"), "\(text(found[3]))")
    #expect(!FileManager.default.fileExists(atPath: place.path("out.wav")))
  }

  @Test func `a call that is cancelled has no answer, and the next one is answered`() throws {
    let place = try Workplace()
    try place.write(Self.tone, to: "tone.json")
    let found = try answers(
      to: [
        call(1, "render", "{\"patch\": \"tone.json\", \"output\": \"a.wav\", \"duration\": 3600}"),
        call(2, "explain", "{\"topic\": \"PR0405\"}"),
        call(3, "explain", "{\"topic\": \"PR0406\"}"),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}",
      ], in: place)
    #expect(Set(found.keys) == [3])
    #expect(text(found[3]).contains("PR0406"))
    #expect(!FileManager.default.fileExists(atPath: place.path("a.wav")))
  }

  @Test func `a call that takes too long is ended, and said`() throws {
    let place = try Workplace()
    try place.write(Self.tone, to: "tone.json")
    let found = try answers(
      to: [
        call(1, "render", "{\"patch\": \"tone.json\", \"output\": \"a.wav\", \"duration\": 3600}")
      ], in: place, options: "--limit-time 0.2")
    #expect(found[1]?["isError"] as? Bool == true)
    #expect(text(found[1]).contains("longer than"))
  }
}
