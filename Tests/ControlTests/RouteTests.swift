import PatchSyntax
import Testing

@testable import Control

@Suite struct RouteTests {
  @Test func `the document is read as it was written, with its tag`() throws {
    let room = try Room()
    let answer = try room.ask("GET /patch")
    #expect(answer.status == 200)
    #expect(answer.body == FakePatch.document)
    #expect(answer.fields["etag"] == "\"v1\"")
    #expect(answer.fields["content-type"] == "application/json")
    #expect(answer.fields["x-content-type-options"] == "nosniff")
    #expect(answer.fields["access-control-allow-origin"] == nil)
  }

  @Test func `a document that is known already is not sent again`() throws {
    let room = try Room()
    for tags in ["\"v1\"", "W/\"v1\"", "\"x\", \"v1\"", "*"] {
      let answer = try room.ask("GET /patch", ["If-None-Match: \(tags)"])
      #expect(answer.status == 304, "\(tags)")
      #expect(answer.fields["etag"] == "\"v1\"" && answer.body.isEmpty)
    }
    #expect(try room.ask("GET /patch", ["If-None-Match: \"v2\""]).status == 200)
  }

  @Test func `a value is read by its pointer`() throws {
    let room = try Room()
    let pointer = "/patch?pointer=/nodes/mixer/inputs/0/parameters"
    #expect(try room.ask("GET \(pointer)/volume").body == "0.5\n")
    #expect(try room.ask("GET \(pointer)").body == "{ \"volume\": 0.5 }\n")
    #expect(
      try room.ask("GET /patch?pointer=/nodes/mixer").body == """
        {
          "component": "MultichannelMixer",
          "inputs": { "0": { "parameters": { "volume": 0.5 } }, "1": {} }
        }

        """)
    #expect(try room.ask("GET /patch?pointer=%2Fcallbacks%2Ftone%2Fkind").body == "\"tone\"\n")
    let missing = try room.ask("GET /patch?pointer=/nodes/mixr/inputs")
    #expect(missing.status == 404)
    #expect(missing.json?["help"]?.elements.compactMap(\.string) == ["/nodes has: mixer, eq"])
    #expect(try room.ask("GET /patch?pointer=nodes").status == 400)
    #expect(try room.ask("GET /patch?pointr=/nodes").status == 400)
    #expect(try room.ask("GET /patch?pointer=/a%ZZ").status == 400)
  }

  @Test func `a document with comments is read and changed as any other`() throws {
    let text = "{ /* loud */ \"nodes\": { \"a\": { \"parameters\": { \"volume\": 1, }, }, }, }"
    let room = try Room(patch: FakePatch(text: text))
    let answer = try room.ask("GET /patch")
    #expect(answer.body == text && answer.fields["content-type"] == "application/jsonc")
    let target = "/patch?pointer=/nodes/a/parameters/volume"
    #expect(try room.ask("GET \(target)").body == "1\n")
    #expect(
      try room.ask("PUT \(target)", ["Content-Type: application/json"], body: "2").status == 200)
    #expect(
      try room.ask("PUT /patch", ["Content-Type: application/jsonc"], body: text).status == 200)
  }

  @Test func `a head has no body, and the length of one`() throws {
    let room = try Room()
    let answer = try room.ask("HEAD /patch")
    #expect(answer.status == 200 && answer.body.isEmpty)
    #expect(answer.fields["content-length"] == "\(FakePatch.document.utf8.count)")
    #expect(try room.ask("HEAD /events").status == 405)
  }

  @Test func `a document takes the place of another`() throws {
    let room = try Room()
    let answer = try room.ask("PUT /patch", ["Content-Type: application/json"], body: "{}")
    #expect(answer.status == 200)
    #expect(answer.fields["etag"] == "\"v2\"")
    #expect(answer.json?["tag"]?.string == "v2")
    let change = answer.json?["changes"]?.elements.first { _ in true }
    #expect(change?["heard"]?.string == "ramp, 10 ms")
    #expect(
      room.patch.asked == [
        FakePatch.Asked(change: .replace(text: "{}"), tag: nil, origin: .http)
      ])
    #expect(try room.ask("GET /patch").body == "{}")
  }

  @Test func `both kinds of patch are passed on`() throws {
    let room = try Room()
    let operations = #"[{"op":"remove","path":"/taps"}]"#
    let types = [
      "application/json-patch+json", "Application/JSON-Patch+json ; charset=utf-8",
      "application/merge-patch+json",
    ]
    for type in types {
      #expect(
        try room.ask("PATCH /patch", ["Content-Type: \(type)"], body: operations).status == 200)
    }
    #expect(
      room.patch.asked.map(\.change) == [
        .patch(operations: operations), .patch(operations: operations), .merge(text: operations),
      ])
    let other = try room.ask(
      "PATCH /patch", ["Content-Type: application/json"], body: operations)
    #expect(other.status == 415)
    #expect(other.fields["accept-patch"]?.contains("application/json-patch+json") == true)
    #expect(try room.ask("PATCH /patch", [], body: operations).status == 415)
    #expect(room.patch.asked.count == 3)
  }

  @Test func `a change that is meant for another document is not made`() throws {
    let room = try Room()
    let json = "Content-Type: application/json"
    let answer = try room.ask("PUT /patch", [json, "If-Match: \"v0\""], body: "{}")
    #expect(answer.status == 412)
    #expect(answer.fields["etag"] == "\"v1\"")
    #expect(try room.ask("PUT /patch", [json, "If-Match: W/\"v1\""], body: "{}").status == 412)
    #expect(room.patch.asked.isEmpty)
    #expect(
      try room.ask("PUT /patch", [json, "If-Match: \"a\", \"v1\""], body: "{}").status == 200)
    #expect(try room.ask("PUT /patch", [json, "If-Match: *"], body: "{}").status == 200)
    #expect(room.patch.asked.map(\.tag) == ["v1", nil])
    room.patch.race(times: 1)
    #expect(try room.ask("PUT /patch", [json, "If-Match: \"v3\""], body: "{}").status == 412)
  }

  @Test func `a value is put at a pointer, what is missing on the way made`() throws {
    let room = try Room()
    let json = "Content-Type: application/json"
    #expect(
      try room.ask(
        "PUT /patch?pointer=/nodes/mixer/inputs/1/parameters/pan", [json], body: "-0.3"
      ).status == 200)
    let pointer = try #require(JSONPointer(parsing: "/nodes/mixer/inputs/1/parameters/pan"))
    #expect(
      room.patch.asked.last?.change == .set([SettingEdit(pointer: pointer, value: "-0.3")]))
    #expect(
      try room.ask("PUT /patch?pointer=/nodes/eq", [json], body: "loud").status == 400)
    #expect(try room.ask("DELETE /patch?pointer=/taps/rec").status == 200)
    let recording = try #require(JSONPointer(parsing: "/taps/rec"))
    #expect(
      room.patch.asked.last?.change == .set([SettingEdit(pointer: recording, value: nil)]))
    #expect(try room.ask("DELETE /patch").status == 400)
  }

  @Test func `a value finds its place though others change the document`() throws {
    let room = try Room()
    room.patch.race(times: 3)
    let target = "PUT /patch?pointer=/nodes/mixer/inputs/0/parameters/volume"
    #expect(try room.ask(target, ["Content-Type: application/json"], body: "1").status == 200)
    // The change applies to the current document, whichever it is: there is one attempt without a
    // tag, and the client need not retry.
    #expect(room.patch.asked.map(\.tag) == [nil])
    room.patch.race(times: 1000)
    #expect(try room.ask(target, ["Content-Type: application/json"], body: "1").status == 200)
    #expect(room.patch.asked.count == 2)
    let json = ["Content-Type: application/json", "If-Match: \"v1\""]
    #expect(try room.ask(target, json, body: "1").status == 412)
  }

  @Test func `a refused change says what validate says`() throws {
    let room = try Room()
    let answer = try room.ask("PUT /patch", ["Content-Type: application/json"], body: "wrong")
    #expect(answer.status == 422)
    #expect(answer.fields["content-type"] == "application/problem+json")
    let diagnostic = answer.json?["diagnostics"]?.elements.first { _ in true }
    #expect(diagnostic?["code"]?.string == "PR0551")
    #expect(answer.json?["text"]?.string == FakePatch.refusal.text)
    #expect(answer.json?["status"]?.integer == 422)
    #expect(answer.json?["title"]?.string == "Unprocessable Entity")
    let failed = try room.ask("PUT /patch", ["Content-Type: application/json"], body: "impossible")
    #expect(failed.status == 409)
    #expect(failed.json?["detail"]?.string == "there is no file 'a.wav'")
  }

  @Test func `what is not there, or cannot be done, is said with what can`() throws {
    let room = try Room()
    #expect(try room.ask("GET /nowhere").status == 404)
    let method = try room.ask("DELETE /status")
    #expect(method.status == 405)
    #expect(method.fields["allow"] == "HEAD, GET, OPTIONS")
    let options = try room.ask("OPTIONS /patch")
    #expect(options.status == 204)
    #expect(options.fields["allow"] == "HEAD, GET, PUT, PATCH, DELETE, OPTIONS")
    #expect(options.fields["accept-patch"]?.contains("merge-patch") == true)
    #expect(try room.ask("OPTIONS *").status == 204)
    let index = try room.ask("GET /")
    #expect(
      index.json?["resources"]?.elements.compactMap { $0["path"]?.string } == [
        "/", "/patch", "/status", "/meters", "/controls", "/units", "/graph.svg", "/response",
        "/events", "/metrics", "/shares", "/takes", "/validate", "/language", "/history", "/undo",
        "/redo", "/save", "/trigger", "/pause", "/start", "/stop",
      ])
  }

  @Test func `status and meters are JSON`() throws {
    let room = try Room()
    let status = try #require(try room.ask("GET /status").json)
    #expect(status["title"]?.string == "A \"fake\"")
    #expect(status["state"]?.string == "playing")
    #expect(status["duration"]?.kind == .null)
    #expect(status["grant"]?["sink"]?["latency"]?.number == 0.01)
    #expect(status["grant"]?["source"]?.kind == .null)
    let meters = try #require(try room.ask("GET /meters").json?["meters"])
    let all = Array(meters.elements)
    #expect(all[0]["node"]?.string == "mixer" && all[0]["scope"]?.string == "input")
    let levels = all[0]["levels"].map { Array($0.elements) } ?? []
    #expect(levels.first?["peak"]?.number == -12.5)
    #expect(levels.last?["peak"]?.kind == .null)
    #expect(all[1]["tap"]?.string == "loud")
    #expect(all[2]["scope"]?.string == "global" && all[2]["element"]?.integer == 3 << 16 | 1)
    #expect(all[2]["input"]?.integer == 3 && all[2]["output"]?.integer == 1)
    #expect(all[3]["element"]?.integer == 0xFFFF_FFFF && all[3]["input"] == nil)
    let metrics = try room.ask("GET /metrics").body
    for line in [
      #"patchrun_level_peak_decibels{node="matrix",scope="crosspoint",input="3",output="1",channel="0",fader="pre"} -12"#,
      #"patchrun_level_peak_decibels{node="matrix",scope="master",channel="0",fader="post"} -6"#,
    ] {
      #expect(metrics.contains(line), "\(metrics)")
    }
  }

  @Test func `a latency that was raised is said, with what was asked for and when it is less`()
    throws
  {
    let room = try Room()
    let name = "patchrun_raised_latency_"
    #expect(try room.ask("GET /status").json?["raisedLatency"]?.kind == .null)
    #expect(try room.ask("GET /metrics").body.contains("\n\(name)seconds 0\n"))
    room.patch.raise(.init(asked: 0.02, granted: 0.05, age: 12.5, timeUntilLess: 47.5))
    let raised = try #require(try room.ask("GET /status").json?["raisedLatency"])
    #expect(raised["asked"]?.number == 0.02 && raised["granted"]?.number == 0.05)
    #expect(raised["age"]?.number == 12.5 && raised["timeUntilLess"]?.number == 47.5)
    let metrics = try room.ask("GET /metrics").body
    for line in ["seconds 0.03", "age_seconds 12.5", "until_less_seconds 47.5"] {
      #expect(metrics.contains("\n\(name)\(line)\n"), "\(metrics)")
    }
    // While nothing plays.
    room.patch.raise(.init(asked: 0.02, granted: 0.05, age: 12.5, timeUntilLess: nil))
    let silent = try room.ask("GET /status").json?["raisedLatency"]
    #expect(silent?["timeUntilLess"]?.kind == .null)
    #expect(try !room.ask("GET /metrics").body.contains("until_less"))
  }

  @Test func `metrics are Prometheus' text, each with its help and type`() throws {
    let room = try Room()
    room.patch.raise(.init(asked: 0.02, granted: 0.05, age: 12.5, timeUntilLess: 47.5))
    _ = try room.ask("PUT /patch", ["Content-Type: application/json"], body: "wrong")
    let answer = try room.ask("GET /metrics")
    #expect(answer.fields["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
    var described: Set<Substring> = []
    for line in answer.body.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3)
      if line.hasPrefix("#") {
        if words[1] == "TYPE" { #expect(["counter", "gauge"].contains(words[3])) }
        described.insert(words[2])
      } else {
        let name = line.prefix { $0 != "{" && $0 != " " }
        #expect(described.contains(name), "\(line)")
        let value = line.split(separator: " ").last.map(String.init) ?? ""
        #expect(Double(value) != nil || value == "-Inf", "\(line)")
      }
    }
    for line in [
      #"title="A \"fake\"""#, #"patchrun_state{state="playing"} 1"#,
      #"patchrun_state{state="ended"} 0"#, "patchrun_rendered_seconds_total 1.5",
      #"patchrun_xruns_total{direction="output"} 1"#,
      #"patchrun_level_peak_decibels{node="mixer",scope="input",element="0",channel="1",fader="post"} -Inf"#,
      #"patchrun_reading{tap="loud",reading="momentary",unit="LUFS",index="0"} -23.1"#,
      #"patchrun_changes_total{result="refused"} 1"#, "patchrun_control_connections 1",
      "patchrun_control_requests_total 2",
    ] {
      #expect(answer.body.contains(line), "\(line)")
    }
  }

  @Test func `stop is asked for, and taken`() throws {
    let room = try Room()
    #expect(
      try room.ask("POST /stop", ["Content-Type: text/plain"], body: "x").status == 415)
    #expect(!room.patch.isStopped)
    let answer = try room.ask("POST /stop")
    #expect(answer.status == 202)
    #expect(room.patch.isStopped)
  }
}
