import Diagnostics
import Foundation
import LanguageServer
import PatchSyntax
import Testing

/// Features for editors that can show Markdown and snippets.
struct RichEditorTests {
  private static let patch = """
    {
      "constants": { "tune": 440 }, "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": {
        "tone": { "kind": "tone", "frequency": "$tune" },
        "hiss": { "kind": "noise", "seed": 7 }
      },
      "nodes": {
        "mixer": { "component": "MultichannelMixer", "inputCount": 2 },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "hiss", "to": "mixer:0" },
        { "from": "tone", "to": "mixer:1" },
        { "from": "mixer", "to": "io" }
      ]
    }
    """

  private func request(_ session: inout Session, _ method: String, lines: ClosedRange<Int>? = nil)
    -> [JSONValue]
  {
    var parameters: JSONText = ["textDocument": ["uri": .string(Session.uri)]]
    if let lines {
      parameters = parameters.adding([
        "range": [
          "start": ["line": .number(lines.lowerBound), "character": 0],
          "end": ["line": .number(lines.upperBound), "character": 0],
        ]
      ])
    }
    return session.request("textDocument/\(method)", parameters)["result"]?.elements.map(\.self)
      ?? []
  }

  // MARK: Hovers

  @Test func `a hover is Markdown where the editor shows it, and plain text elsewhere`() {
    let marked = Self.patch.replacing("\"remote", with: "\"rem|ote")
    var rich = Session(isRich: true)
    let answer = rich.ask("hover", marked)["result"]?["contents"]
    #expect(answer?["kind"]?.string == "markdown")
    #expect(answer?["value"]?.string?.hasPrefix("**remoteIO**: ") == true)
    #expect(answer?["value"]?.string?.contains("\n\n`kAudioUnitSubType_RemoteIO`") == true)
    var plain = Session()
    let other = plain.ask("hover", marked)["result"]?["contents"]
    #expect(other?["kind"]?.string == "plaintext")
    #expect(other?["value"]?.string?.hasPrefix("remoteIO: ") == true)
  }

  @Test func `signs of Markdown in a text are shown as they are`() {
    var session = Session(isRich: true)
    let text = session.hover(
      #"{ "constants": { "a_b": "``x`" }, "nodes": { "n": { "component": "3DMixer", "inputs": { "0": { "parameters": { "gain": "$a|_b" } } } } } }"#
    )
    #expect(text.hasPrefix("a\\_b: ``` \"``x`\" ```"), "\(text)")
  }

  // MARK: Snippets

  /// The text after the edit of an item, with the default texts of its tab stops.
  private func inserted(_ item: JSONValue, into text: String) -> String {
    var body = item["textEdit"]?["newText"]?.string ?? ""
    body = body.replacing(/\$\{\d+:([^}]*)\}/) { String($0.output.1) }
    body = body.replacing(/\$\d+/, with: "").replacing("\\$", with: "$")
    return text.replacing("|", with: body)
  }

  @Test(arguments: ["nodes", "callbacks", "taps", "streamFormats"])
  func `a snippet makes a member that can be read and lacks nothing`(section: String) {
    let nodes = #""nodes": { "io": { "component": "remoteIO" } }"#
    let text = section == "nodes" ? #"{ "nodes": { | } }"# : "{ \(nodes), \"\(section)\": { | } }"
    var session = Session(isRich: true)
    let items =
      session.ask("completion", text)["result"]?["items"]?.elements
      .filter { $0["kind"]?.integer == 15 } ?? []
    #expect(!items.isEmpty)
    for item in items {
      let findings = session.open(inserted(item, into: text))
      let codes = findings.compactMap { $0["code"]?.string }
      // PR00…: not JSON. PR0102: an unknown key. PR0103: a missing key.
      let bad = codes.filter { $0.hasPrefix("PR00") || ["PR0102", "PR0103"].contains($0) }
      let messages = findings.compactMap { $0["message"]?.string }
      #expect(bad.isEmpty, "\(item["label"]?.string ?? ""): \(messages)")
    }
  }

  @Test func `every unit, callback and tap has a snippet`() {
    var session = Session(isRich: true)
    for (section, label) in [
      ("nodes", "NBandEQ"), ("nodes", "subgraph"), ("callbacks", "echo"), ("taps", "loudness"),
    ] {
      #expect(session.labels(#"{ "\#(section)": { | } }"#).contains(label), "\(label)")
    }
    #expect(session.labels(#"{ "connections": [ | ] }"#) == ["connection"])
    #expect(session.labels(#"{ "timeline": [ | ] }"#) == ["ramp", "trigger"])
    var plain = Session()
    #expect(plain.labels(#"{ "nodes": { | } }"#) == ["comment"])
  }

  @Test func `a new key is written with the brackets or quotes of its value`() {
    var session = Session(isRich: true)
    let items =
      session.ask("completion", "{ | }")["result"]?["items"]?.elements.map(\.self) ?? []
    func text(_ label: String) -> String? {
      items.first { $0["label"]?.string == label }?["textEdit"]?["newText"]?.string
    }
    #expect(text("nodes") == #""nodes": { $0 }"#)
    #expect(text("connections") == #""connections": [ $0 ]"#)
    #expect(text("title") == #""title": "$0""#)
    #expect(text("$schema") == #""\$schema": "$0""#)
    // The value may be an object or a name, so no brackets are inserted.
    #expect(text("streamFormat") == #""streamFormat": "#)
  }

  // MARK: Hints, folds and links

  @Test func `each connection shows the format that it settles on`() {
    var session = Session()
    #expect(session.open(Self.patch).allSatisfy { $0["severity"]?.integer != 1 })
    let hints = request(&session, "inlayHint", lines: 0...30)
    #expect(hints.count == 3)
    guard hints.count == 3 else { return }
    #expect(hints[1]["position"]?["line"]?.integer == 12)
    #expect(hints[1]["position"]?["character"]?.integer == 39)
    #expect(hints.allSatisfy { $0["label"]?.string?.contains("2 ch") == true })
    #expect(request(&session, "inlayHint", lines: 13...14).count == 1)
    // A patch with errors has no settled formats.
    _ = session.open(Self.patch.replacing("remoteIO", with: "remoteIO2"))
    #expect(request(&session, "inlayHint", lines: 0...30).isEmpty)
  }

  @Test func `what has several lines folds up to its closing bracket`() {
    var session = Session()
    _ = session.open(Self.patch)
    let folds = request(&session, "foldingRange").map {
      [$0["startLine"]?.integer, $0["endLine"]?.integer]
    }
    #expect(folds.contains([0, 14]) && folds.contains([2, 4]) && folds.contains([10, 13]))
    #expect(folds.count == 4)
  }

  @Test func `files are links, from where the patch is`() {
    var session = Session()
    _ = session.open(
      #"{ "$schema": "../schema/patch.schema.json", "callbacks": { "a": { "kind": "file", "path": "audio/a b.wav" }, "n": { "kind": "tone", "path": "x" } }, "nodes": { "p": { "subgraph": "/parts/p.json" } }, "taps": { "t": { "kind": "record", "path": "take.wav" } } }"#
    )
    let targets = request(&session, "documentLink").map { $0["target"]?.string }
    #expect(
      targets == [
        "file:///schema/patch.schema.json", "file:///parts/p.json",
        "file:///nowhere/audio/a%20b.wav", "file:///nowhere/take.wav",
      ])
  }

  @Test func `elements that have a name are proposed, explained and hinted by it`() {
    let named = Self.patch.replacing(
      "\"inputCount\": 2",
      with:
        "\"inputCount\": 2, \"inputs\": { \"1\": { \"properties\": { \"elementName\": \"Voice\" } } }"
    )
    var session = Session()
    let labels = session.labels(named.replacing("\"mixer:1\"", with: "\"mixer:|"))
    #expect(labels.contains("mixer:Voice") && labels.contains("mixer:1"))
    let hover = session.hover(named.replacing("\"mixer:1\"", with: "\"mi|xer:Voice\""))
    #expect(hover.contains("input 1"))
    #expect(session.open(named.replacing("\"mixer:1\"", with: "\"mixer:Voice\"")).isEmpty)
    let hints = request(&session, "inlayHint", lines: 0...20)
    #expect(hints.count == 3)
  }

  @Test func `a test file links to its patch and its golden sounds`() {
    var session = Session()
    _ = session.open(
      #"{ "patch": "mix.json", "tests": { "a": { "expect": [ { "golden": { "path": "a.flac" } } ] } } }"#
    )
    let targets = request(&session, "documentLink").map { $0["target"]?.string }
    #expect(targets == ["file:///nowhere/mix.json", "file:///nowhere/a.flac"])
  }

  @Test func `ten thousand connections are folded, linked and hinted at once`() {
    let count = 10_000
    let nodes = (0..<count).map { #""n\#($0)": { "component": "NBandEQ" }"# }
    let connections = (1..<count).map { #"{ "from": "n\#($0 - 1)", "to": "n\#($0)" }"# }
    let text =
      "{ \"nodes\": {\n\(nodes.joined(separator: ",\n")) },\n\"connections\": [\n"
      + "\(connections.joined(separator: ",\n"))\n] }"
    var session = Session()
    _ = session.open(text)
    let clock = ContinuousClock()
    let time = clock.measure {
      _ = request(&session, "foldingRange")
      _ = request(&session, "documentLink")
      _ = request(&session, "inlayHint", lines: 0...20_100)
    }
    // An algorithm with quadratic cost takes minutes.
    #expect(time < .seconds(60))
  }
}
