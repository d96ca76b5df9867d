import AudioTypes
import Diagnostics
import Foundation
import LanguageServer
import PatchGraph
import PatchSyntax
import Testing

/// A patch with `inside` in input 0 of the mixer and `more` after the connections.
private func patch(_ inside: String, connections: String = "", more: String = "") -> String {
  """
  {
    "streamFormats": { "stereo": { "sample": "float32", "channels": 2, "sampleRate": 44100 } },
    "callbacks": { "a/b": { "kind": "tone", "frequency": 440 } },
    "nodes": {
      "mixer": {
        "component": "MultichannelMixer",
        "inputCount": 2,
        "inputs": { "0": { \(inside) } }
      },
      "io": { "component": "remoteIO" }
    },
    "connections": [
      { "from": "a/b", "to": "mixer" },
      { "from": "mixer", "to": "io" }\(connections)
    ]\(more)
  }
  """
}

private let format = #""streamFormat": "stereo""#

struct FeatureTests {
  @Test func `findings are those of validate, with their codes and related places`() throws {
    var session = Session()
    let text = patch(
      #""parameters": { "volum": 1 }"#, connections: #", { "from": "mixer", "to": "io" }"#)
    let findings = session.open(text)
    let reading = PatchReader.read(SourceText(name: "/nowhere/patch.json", text: text))
    let built = PatchBuilder.build(
      reading, directory: "/nowhere", device: .assumed(HardwareAssumption()))
    #expect(findings.compactMap { $0["code"]?.string } == built.diagnostics.map(\.code.rawValue))
    for (finding, diagnostic) in zip(findings, built.diagnostics) {
      #expect(finding["message"]?.string?.hasPrefix(diagnostic.message.text) == true)
      let related = finding["relatedInformation"]?.elements.map { $0 }.count ?? 0
      #expect(related == diagnostic.notes.count)
    }
    #expect(built.diagnostics.contains { !$0.notes.isEmpty })
  }

  @Test func `what is wrong in copies is shown where it is written, and put right for all`() {
    var session = Session()
    let text = """
      { "callbacks": { "a{i}": { "count": 9, "kind": "tone", "amplitud": 1 } },
        "nodes": { "io": { "component": "remoteIO" } }, "titel": "" }
      """
    let findings = session.open(text)
    let places = findings.map { finding in
      let start = finding["range"]?["start"]
      return [start?["line"]?.integer, start?["character"]?.integer]
    }
    #expect(findings.compactMap { $0["code"]?.string }.first == "PR0211")
    #expect(places.first == [0, 55])
    let unknown = findings.firstIndex { $0["code"]?.string == "PR0102" }
    #expect(unknown.map { places[$0] } == [1, 50])
  }

  @Test func `what is wrong in a sub-graph is shown where the patch names it`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lsp \(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try """
    { "nodes": { "out": { "component": "GenericOutput" } },
      "connections": [ { "from": "no", "to": "out" } ] }
    """.write(to: folder.appending(path: "part.json"), atomically: true, encoding: .utf8)
    var session = Session()
    let findings = session.open(
      """
      { "nodes": {
          "part": { "subgraph": "part.json" }, "io": { "component": "remoteIO" } },
        "connections": [ { "from": "part", "to": "io" } ] }
      """, uri: folder.appending(path: "patch.json").absoluteString)
    let finding = try #require(findings.first { $0["code"]?.string == "PR0203" })
    #expect(finding["message"]?.string?.hasPrefix("part.json:2:30: the patch has no node") == true)
    #expect(finding["range"]?["start"]?["line"]?.integer == 1)
    #expect(finding["range"]?["start"]?["character"]?.integer == 26)
    let related = try #require(finding["relatedInformation"]?.elements.map { $0 })
    #expect(
      related[0]["location"]?["uri"]?.string == folder.appending(path: "part.json").absoluteString)
    #expect(related[0]["location"]?["range"]?["start"]?["character"]?.integer == 29)
    #expect(related[1]["message"]?.string == "in the sub-graph 'part'")
  }

  @Test func `knobs of a sub-graph are proposed, explained and found where they are declared`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "knobs-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try """
    { "callbacks": { "in": { "kind": "input" } },
      "nodes": { "out": { "component": "GenericOutput" },
        "eq": { "component": "LowShelfFilter", "properties": { "maximumFramesPerSlice": 4096 } } },
      "connections": [ { "from": "in", "to": "eq" }, { "from": "eq", "to": "out" } ],
      "knobs": { "bass": { "turns": "/nodes/eq/parameters/gain", "max": 6 } } }
    """.write(to: folder.appending(path: "part.json"), atomically: true, encoding: .utf8)
    func text(_ inside: String, _ path: String = "/nodes/part/parameters/bass") -> String {
      """
      { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "tone": { "kind": "tone" } },
        "nodes": { "part": { "subgraph": "part.json", "parameters": { \(inside) } },
          "io": { "component": "remoteIO" } },
        "connections": [ { "from": "tone", "to": "part" }, { "from": "part", "to": "io" } ],
        "timeline": [ { "at": 1, "ramp": { "path": "\(path)", "to": 1 } } ] }
      """
    }
    let uri = folder.appending(path: "patch.json").absoluteString
    var session = Session()
    let findings = session.open(text(#""bass": 3"#), uri: uri)
    #expect(findings.isEmpty)
    func place(_ line: Int, _ character: Int) -> JSONText {
      [
        "textDocument": ["uri": .string(uri)],
        "position": ["line": .number(line), "character": .number(character)],
      ]
    }
    let column = #"  "nodes": { "part": { "subgraph": "part.json", "parameters": { ""#.count
    let hover = session.request("textDocument/hover", place(2, column))
    #expect(
      hover["result"]?["contents"]?["value"]?.string?.hasPrefix(
        "a knob: turns part/eq parameters gain")
        == true)
    let definition = session.request("textDocument/definition", place(2, column))
    let location = definition["result"]?.elements.first { _ in true }
    #expect(location?["uri"]?.string == folder.appending(path: "part.json").absoluteString)
    #expect(location?["range"]?["start"]?["line"]?.integer == 4)
    let end = #"  "timeline": [ { "at": 1, "ramp": { "path": "/nodes/part/parameters/b"#.count
    let other = session.request("textDocument/definition", place(5, end))
    #expect(
      other["result"]?.elements.first { _ in true }?["range"]?["start"]?["line"]?.integer == 4)
    let completion = session.request("textDocument/completion", place(2, column))
    let labels = completion["result"]?["items"]?.elements.compactMap { $0["label"]?.string } ?? []
    #expect(labels == ["bass"])
  }

  @Test func `callbacks with a beginning are proposed for a trigger`() {
    var session = Session()
    let labels = session.labels(
      #"{ "callbacks": { "hit": { "kind": "sweep" }, "a": { "kind": "tone" } }, "timeline": [ { "at": 1, "trigger": "|" } ] }"#
    )
    #expect(labels == ["hit"])
  }

  @Test func `components, keys, and the settings of a node's unit and scope are proposed`() {
    var session = Session()
    #expect(
      session.labels(#"{ "nodes": { "a": { "component": "|" } } }"#).contains("MultichannelMixer"))
    #expect(session.labels(#"{ | }"#).contains("streamFormats"))
    #expect(
      session.labels(#"{ "nodes": { "a": { "component": "iPodEQ", "| } }"#).contains("inputs"))
    let parameters = session.labels(patch(#""parameters": { "enable": true, "|" }"#))
    #expect(parameters.contains("volume"))
    #expect(!parameters.contains("enable"))
    #expect(!parameters.contains("maximumFramesPerSlice"))
    #expect(session.labels(patch(#""properties": { "|" }"#)).contains("meteringMode"))
    #expect(session.labels(patch(#""parameters": { "enable": | }"#)).contains("true"))
    #expect(session.labels(patch(#""streamFormat": "|""#)).contains("stereo"))
  }

  @Test func `kinds, their settings and the values of these are proposed`() {
    var session = Session()
    #expect(session.labels(#"{ "callbacks": { "a": { "kind": "|"#).contains("tone"))
    #expect(session.labels(#"{ "callbacks": { "a": { "kind": "tone", "|"#).contains("frequency"))
    #expect(
      session.labels(#"{ "callbacks": { "a": { "kind": "tone", "waveform": "|"#).contains("sine"))
  }

  @Test func `addresses and pointers are proposed while the text is broken`() {
    var session = Session()
    #expect(session.labels(patch(format, connections: #", { "from": "|"#)).contains("a/b"))
    let inputs = session.labels(patch(format, connections: #", { "to": "|"#))
    #expect(inputs.contains("mixer:1"))
    #expect(!inputs.contains("a/b"))
    #expect(
      session.labels(patch(format, more: #", "timeline": [{ "at": 1, "ramp": { "path": "|"#))
        .contains("/nodes/mixer/inputs/1/parameters/volume"))
  }

  @Test func `what is proposed closes a string that is open`() {
    var session = Session()
    let item = session.ask("completion", #"{ "nodes": { "a": { "component": "iPod|"#)["result"]?[
      "items"]?
      .elements.map { $0 }.first { $0["label"]?.string == "iPodEQ" }
    #expect(item?["textEdit"]?["newText"]?.string == #"iPodEQ""#)
    #expect(item?["textEdit"]?["range"]?["start"]?["character"]?.integer == 34)
  }

  @Test func `every place of a patch, cut off there or not, is answered`() {
    var session = Session()
    let text = patch(format, more: #", "timeline": [{ "at": 1, "stop": true }]"#)
    for count in stride(from: 0, to: text.count, by: 3) {
      for rest in [String(text.dropFirst(count)), ""] {
        let marked = text.prefix(count) + "|" + rest
        #expect(session.ask("completion", marked)["error"] == nil)
        #expect(session.ask("hover", marked)["error"] == nil)
      }
    }
  }

  @Test func `a pointer on something is told what it is`() {
    var session = Session()
    #expect(
      session.hover(patch(#""parameters": { "vol|ume": 1 }, \#(format)"#)).contains(
        "kMultiChannelMixerParam_Volume"))
    #expect(
      session.hover(patch(format).replacing("remoteIO", with: "remote|IO")).contains("remoteIO:"))
    #expect(
      session.hover(patch(format).replacing("frequency", with: "fre|quency")).contains(
        "Default: 440"))
    let settled = session.hover(patch(#""streamFormat": "ste|reo""#))
    #expect(settled.contains("44100"))
    #expect(settled.contains("set on mixer input 0"))
    #expect(
      session.hover(patch(format).replacing(#""to": "io""#, with: #""to": "i|o""#)).contains(
        "from mixer output 0"))
  }

  @Test
  func `a constant is known wherever it is named, and renamed with its dollar sign left alone`()
    throws
  {
    var session = Session()
    let text = patch(
      #""parameters": { "volume": "$level" }, \#(format)"#,
      more: #", "constants": { "level": "-6 dB", "comment": "$level" }"#)
    let hover = session.hover(text.replacing(#""$level" }, "#, with: #""$le|vel" }, "#))
    #expect(hover.contains(#"level: "-6 dB""#))
    #expect(hover.contains("kMultiChannelMixerParam_Volume"))
    let marked = text.replacing(#""$level" }, "#, with: #""$l|evel" }, "#)
    #expect(session.ask("definition", marked)["result"]?.elements.map(\.self).count == 1)
    #expect(
      session.ask("references", marked, ["context": ["includeDeclaration": true]])["result"]?
        .elements.map(\.self).count == 2)
    for (name, isTaken) in [("quiet", false), ("1st", true), ("a b", true), ("level", false)] {
      let answer = session.ask("rename", marked, ["newName": .string(name)])
      #expect((answer["error"] != nil) == isTaken, "\(name)")
      guard !isTaken else { continue }
      let edits = answer["result"]?["changes"]?[Session.uri]?.elements.compactMap {
        $0["newText"]?.string
      }
      #expect(edits == [name, name])
    }
  }

  @Test func `a name leads to its definition`() throws {
    var session = Session()
    let answer = session.ask(
      "definition", patch(format).replacing(#""to": "mixer""#, with: #""to": "mi|xer""#))
    let places = try #require(answer["result"]).elements.map { $0 }
    #expect(places.count == 1)
    #expect(places.first?["range"]?["start"]?["line"]?.integer == 4)
  }

  @Test func `a node is renamed wherever it is named`() {
    var session = Session()
    let text = patch(
      format,
      more: """
        ,
          "taps": { "t": { "kind": "record", "at": "mixer:0", "path": "x.wav" } },
          "timeline": [{ "at": 1, "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0 } }]
        """)
    let answer = session.ask(
      "rename", text.replacing(#""mixer": {"#, with: #""mi|xer": {"#), ["newName": "a/b\"c"])
    let edits =
      answer["result"]?["changes"]?[Session.uri]?.elements.compactMap { $0["newText"]?.string }
      ?? []
    #expect(edits.count == 5)
    #expect(edits.filter { $0 == #"a~1b\"c"# }.count == 1)
    #expect(edits.filter { $0 == #"a/b\"c"# }.count == 4)
  }

  @Test(arguments: ["io", "", "x:1", "comment", "a/b"])
  func `a name that cannot be given is refused`(name: String) {
    var session = Session()
    let answer = session.ask(
      "rename", patch(format).replacing(#""mixer": {"#, with: #""mi|xer": {"#),
      ["newName": .string(name)])
    #expect(answer["error"]?["code"]?.integer == -32803)
  }

  @Test func `a stream format is renamed apart from nodes that are called the same`() {
    var session = Session()
    let answer = session.ask(
      "rename", patch(#""streamFormat": "ste|reo""#), ["newName": "io"])
    #expect(answer["result"]?["changes"]?[Session.uri]?.elements.map { $0 }.count == 2)
  }

  @Test func `a fix is offered with its edits`() throws {
    var session = Session()
    _ = session.open(#"{ "nodes": { "o": { "component": "GenericOutput" }, } }"#)
    let answer = session.request(
      "textDocument/codeAction",
      [
        "textDocument": ["uri": .string(Session.uri)],
        "range": ["start": ["line": 0, "character": 0], "end": ["line": 0, "character": 60]],
        "context": ["diagnostics": []],
      ])
    let action = try #require(answer["result"]?.elements.map { $0 }.first)
    #expect(action["kind"]?.string == "quickfix")
    let edits = action["edit"]?["changes"]?[Session.uri]?.elements.map { $0 }
    #expect(edits?.first?["newText"]?.string == "")
  }

  @Test func `a patch of a thousand nodes is completed`() {
    var session = Session()
    let nodes = (0..<1000).map { #""n\#($0)": { "component": "iPodEQ" }"# }.joined(separator: ",\n")
    let labels = session.labels(
      "{ \"nodes\": {\n\(nodes) }, \"connections\": [{ \"from\": \"n5|\" }] }")
    #expect(labels.count == 1000)
    #expect(labels.contains("n999"))
  }

  // MARK: Presets

  @Test func `a preset has the findings of its unit's settings`() {
    var session = Session()
    let found = session.open(
      #"{ "name": "Far", "component": "Delay", "parameters": { "delayTime": 99, "delay": 1 } }"#)
    #expect(found.compactMap { $0["code"]?.string }.count == 2)
    #expect(found.allSatisfy { $0["message"]?.string?.contains("nodes") == false })
    #expect(
      session.open(#"{ "component": "Delay", "parameters": { "delayTime": 1 } }"#).isEmpty)
    // A text with `nodes` is a patch, not a preset.
    #expect(!session.open(#"{ "nodes": {}, "component": "Delay" }"#).isEmpty)
  }

  @Test func `a preset's keys, settings and values are proposed, and said what they are`() {
    var session = Session()
    let keys = session.labels(#"{ "component": "Delay", | }"#)
    #expect(keys.contains("name") && keys.contains("parameters") && !keys.contains("component"))
    #expect(!keys.contains("inputCount") && !keys.contains("preset"))
    let settings = session.labels(
      #"{ "component": "Delay", "parameters": { "delayTime": 1, "|" } }"#)
    #expect(settings.contains("feedback") && !settings.contains("delayTime"))
    #expect(
      session.labels(#"{ "component": "NBandEQ", "bands": [ { "type": "|" } ] }"#)
        .contains("highShelf"))
    let buses = session.labels(#"{ "component": "MultichannelMixer", "inputs": { "|" } }"#)
    #expect(buses.contains("7"))
    let bus = session.labels(
      #"{ "component": "MultichannelMixer", "inputs": { "0": { "|" } } }"#)
    #expect(Set(bus).isSubset(of: ["properties", "parameters", "comment"]) && bus.count >= 2)
    #expect(
      session.labels(#"{ "component": "|", "parameters": {} }"#).contains("ParametricEQ"))
    let hover = session.hover(#"{ "component": "Delay", "parameters": { "feed|back": 1 } }"#)
    #expect(hover.contains("Default"))
    #expect(session.hover(#"{ "component": "De|lay", "parameters": {} }"#).contains("Delay: "))
    #expect(session.hover(#"{ "na|me": "x", "component": "Delay" }"#).contains("called"))
  }

  @Test func `every place of a preset, cut off there or not, is answered`() {
    let text =
      #"{ "name": "x", "component": "NBandEQ", "bands": [ { "gain": 3 } ], "inputs": { "0": {} } }"#
    var session = Session()
    for offset in 0...text.utf8.count {
      let cut = String(decoding: Array(text.utf8)[..<offset], as: UTF8.self)
      let rest = String(decoding: Array(text.utf8)[offset...], as: UTF8.self)
      for marked in [cut + "|" + rest, cut + "|"] {
        for method in ["completion", "hover", "definition", "documentSymbol"] {
          let answer = session.ask(method, marked)
          #expect(answer["error"] == nil)
        }
      }
    }
  }

  // MARK: Test files

  private static let tests = "file:///nowhere/mix.test.json"

  @Test func `a test file has the findings of its expectations`() {
    var session = Session()
    let found = session.open(
      #"{ "patch": "gone.json", "tests": { "a": { "expect": [ { "truPeak": { "atMost": 0 } } ] } } }"#,
      uri: Self.tests)
    #expect(found.compactMap { $0["code"]?.string }.sorted() == ["PR1101", "PR1102"])
  }

  @Test
  func
    `kinds of expectation, their bounds and their settings are proposed, and said what they are`()
  {
    var session = Session()
    let kinds = session.labels(
      #"{ "patch": "mix.json", "tests": { "a": { "expect": [ { "|" } ] } } }"#)
    #expect(kinds.contains("truePeak") && kinds.contains("at") && kinds.count > 30)
    let settings = session.labels(
      #"{ "patch": "m", "tests": { "a": { "expect": [ { "tone": { "cents": 1, "|" } } ] } } }"#)
    #expect(
      settings.contains("frequency") && settings.contains("atMost") && !settings.contains("cents"))
    #expect(
      session.labels(#"{ "patch": "m", "tests": { "a": { "|" } } }"#).contains("duration"))
    let feed = session.labels(
      #"{ "patch": "m", "tests": { "a": { "feed": { "mixer:0": { "kind": "tone", "|" } } } } }"#)
    #expect(feed.contains("frequency"))
    let hover = session.hover(
      #"{ "patch": "m", "tests": { "a": { "expect": [ { "true|Peak": { "atMost": 0 } } ] } } }"#)
    #expect(hover.contains("dBTP"))
  }

  @Test func `every place of a test file, cut off there or not, is answered`() {
    let text =
      #"{ "patch": "m", "tests": { "a": { "feed": { "x": {} }, "expect": [ { "peak": { "atMost": 0 } } ] } } }"#
    var session = Session()
    for offset in 0...text.utf8.count {
      let cut = String(decoding: Array(text.utf8)[..<offset], as: UTF8.self)
      _ = session.labels(cut + "|")
      _ = session.labels(cut + "|" + text.dropFirst(offset))
    }
  }
}
