import Diagnostics
import LanguageServer
import PatchGraph
import PatchSyntax
import Testing

private let text = """
  {
    "streamFormats": { "stereo": { "sample": "float32", "channels": 2, "sampleRate": 44100 } },
    "callbacks": { "sound": { "kind": "tone" } },
    "nodes": {
      "mixer": {
        "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 },
        "inputs": { "0": { "streamFormat": "stereo" } }, "outputs": { "0": { "sampleRate": 44100 } }
      },
      "io": { "component": "remoteIO" }
    },
    "connections": [ { "from": "sound", "to": "mixer" }, { "from": "mixer", "to": "io" } ],
    "taps": { "tape": { "kind": "record", "at": "mixer", "path": "a.wav" } },
    "timeline": [ { "at": 2, "stop": true } ]
  }
  """

/// The texts that the ranges cover.
private func covered(_ answer: JSONValue, by member: String? = nil) -> [String] {
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  return answer["result"]?.elements.compactMap { place -> String? in
    let range = member.map { place[$0] } ?? place["range"]
    guard let start = range?["start"], let end = range?["end"],
      let line = start["line"]?.integer, line == end["line"]?.integer,
      let first = start["character"]?.integer, let last = end["character"]?.integer
    else { return nil }
    return String(decoding: Array(lines[line].utf16)[first..<last], as: UTF16.self)
  } ?? []
}

struct NavigationTests {
  @Test(arguments: [true, false])
  func `a name is found wherever it stands`(withDefinition: Bool) {
    var session = Session()
    let answer = session.ask(
      "references", text.replacing(#""to": "mixer""#, with: #""to": "mi|xer""#),
      ["context": ["includeDeclaration": .boolean(withDefinition)]])
    #expect(covered(answer) == Array(repeating: "mixer", count: withDefinition ? 4 : 3))
  }

  @Test func `formats and callbacks are found as well, and what is no name is not`() {
    var session = Session()
    let formats = session.ask(
      "references",
      text.replacing(#""streamFormat": "stereo""#, with: #""streamFormat": "|stereo""#))
    #expect(covered(formats) == ["stereo", "stereo"])
    let callbacks = session.ask(
      "references", text.replacing(#""from": "sound""#, with: #""from": "sound|""#))
    #expect(covered(callbacks) == ["sound", "sound"])
    let nothing = session.ask("references", text.replacing("float32", with: "flo|at32"))
    #expect(nothing["result"]?.kind == .null)
  }

  @Test func `the same name is highlighted, where it is defined as written`() {
    var session = Session()
    let answer = session.ask(
      "documentHighlight", text.replacing(#""from": "mixer""#, with: #""from": "|mixer""#))
    #expect(covered(answer).count == 4)
    #expect(answer["result"]?.elements.compactMap { $0["kind"]?.integer } == [3, 2, 2, 2])
  }

  @Test func `the outline has the sections and what stands in them`() throws {
    var session = Session()
    _ = session.open(text)
    let answer = session.request(
      "textDocument/documentSymbol", ["textDocument": ["uri": .string(Session.uri)]])
    let sections = try #require(answer["result"]).elements.map { $0 }
    #expect(
      sections.compactMap { $0["name"]?.string } == [
        "streamFormats", "callbacks", "nodes", "connections", "taps", "timeline",
      ])
    func children(_ value: JSONValue) -> [String] {
      value["children"]?.elements.map {
        "\($0["name"]?.string ?? ""): \($0["detail"]?.string ?? "")"
      } ?? []
    }
    #expect(
      sections.map(children) == [
        ["stereo: float32"], ["sound: tone"], ["mixer: MultichannelMixer", "io: remoteIO"],
        ["sound \u{2192} mixer: ", "mixer \u{2192} io: "], ["tape: record, mixer"], ["2: stop"],
      ])
    let mixer = try #require(sections[2]["children"]?.elements.map { $0 }.first)
    #expect(children(mixer) == ["input 0: stereo", "output 0: "])
    // The selection range must be inside the range, or an editor refuses the outline.
    #expect(mixer["selectionRange"]?["start"]?["character"]?.integer == 4)
    #expect(mixer["range"]?["start"]?["character"]?.integer == 4)
  }

  @Test func `an editor that knows no trees gets a list, of a text that is broken too`() {
    var session = Session(knowsTrees: false)
    _ = session.open(text.replacing(#""timeline": ["#, with: #""timeline" ["#))
    let answer = session.request(
      "textDocument/documentSymbol", ["textDocument": ["uri": .string(Session.uri)]])
    let symbols = answer["result"]?.elements.map { $0 } ?? []
    #expect(symbols.contains { $0["containerName"]?.string == "nodes" })
    #expect(symbols.allSatisfy { $0["location"]?["uri"]?.string == Session.uri })
  }
}

struct EditTests {
  /// The text after the edits of an answer, whose columns count UTF-16.
  private func applied(_ edits: [JSONValue], to text: String) -> String {
    var units = Array(text.utf16)
    var starts = [0]
    for (index, unit) in units.enumerated() where unit == 10 { starts.append(index + 1) }
    func offset(_ position: JSONValue?) -> Int {
      starts[position?["line"]?.integer ?? 0] + (position?["character"]?.integer ?? 0)
    }
    let ranges = edits.map {
      (offset($0["range"]?["start"])..<offset($0["range"]?["end"]), $0["newText"]?.string ?? "")
    }
    for (range, replacement) in ranges.reversed() {
      units.replaceSubrange(range, with: Array(replacement.utf16))
    }
    return String(decoding: units, as: UTF16.self)
  }

  private func formatted(_ text: String) -> (edits: Int, text: String)? {
    var session = Session()
    _ = session.open(text)
    let answer = session.request(
      "textDocument/formatting",
      [
        "textDocument": ["uri": .string(Session.uri)],
        "options": ["tabSize": 2, "insertSpaces": true],
      ])
    guard let result = answer["result"], result.kind == .array else { return nil }
    let edits = result.elements.map { $0 }
    return (edits.count, applied(edits, to: text))
  }

  @Test(arguments: [
    "{\"nodes\":{\"o\":{\"component\":\"GenericOutput\"}}}",
    "{\r\n\t\"title\": \"😀 two  blanks\",\r\n\r\n\r\n  \"nodes\": { \"o\": {\"component\": \"GenericOutput\"} }\r\n}",
    "{ \"nodes\": { \"o\": { \"component\": \"GenericOutput\", }, }, }",
    text,
  ])
  func `formatting is that of fmt, blank by blank`(text: String) throws {
    let source = SourceText(name: "patch.json", text: text)
    let wanted = try #require(PatchFormatter.format(source).text)
    let found = try #require(formatted(text))
    #expect(found.text == String(decoding: wanted, as: UTF8.self))
  }

  @Test func `what is formatted has no edits, and what is no JSON stays`() {
    let canonical = PatchFormatter.format(SourceText(name: "patch.json", text: text)).text ?? []
    #expect(formatted(String(decoding: canonical, as: UTF8.self))?.edits == 0)
    #expect(formatted("{ \"nodes\": ") == nil)
  }

  @Test func `all that is safe is put right at once, where it is asked for`() throws {
    var session = Session()
    // A recording needs a folder that exists.
    let right = text.replacing("\"kind\": \"record\"", with: "\"kind\": \"none\"")
    let wrong = right.replacing("MultichannelMixer", with: "MultichannelMixr")
      .replacing("\"kind\": \"tone\"", with: "\"kind\": \"ton\"")
    _ = session.open(wrong)
    func actions(_ context: JSONText) -> [JSONValue] {
      session.request(
        "textDocument/codeAction",
        [
          "textDocument": ["uri": .string(Session.uri)],
          "range": ["start": ["line": 0, "character": 0], "end": ["line": 0, "character": 0]],
          "context": context,
        ])["result"]?.elements.map { $0 } ?? []
    }
    let all = try #require(actions(["diagnostics": [], "only": ["source.fixAll"]]).first)
    #expect(all["kind"]?.string == "source.fixAll.patchrun")
    #expect(all["title"]?.string == "put right all that is safe: 2 edits")
    let edits = all["edit"]?["changes"]?[Session.uri]?.elements.map { $0 } ?? []
    #expect(applied(edits, to: wrong) == right)
    #expect(actions(["diagnostics": []]).count == 1)
    #expect(actions(["diagnostics": [], "only": ["quickfix"]]).isEmpty)
    #expect(actions(["diagnostics": [], "triggerKind": 2]).isEmpty)
  }
}

struct RobustnessTests {
  @Test func `a request that a later message cancels is not worked on`() {
    var session = Session()
    _ = session.open(text)
    let answers = session.server.receive(
      [
        #"{"id": 7, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": "\#(Session.uri)"}}}"#,
        #"{"id": 8, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": "\#(Session.uri)"}}}"#,
        #"{"method": "$/cancelRequest", "params": {"id": 7}}"#,
      ].map { Array($0.utf8) }
    ).map(Session.tree)
    #expect(answers.count == 2)
    #expect(answers[0]["id"]?.integer == 7)
    #expect(answers[0]["error"]?["code"]?.integer == -32800)
    #expect(answers[1]["result"] != nil)
  }

  @Test func `a cancellation that comes too late changes nothing`() {
    var session = Session()
    _ = session.open(text)
    let answers = session.server.receive(
      [
        #"{"method": "$/cancelRequest", "params": {"id": 7}}"#,
        #"{"id": 7, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": "\#(Session.uri)"}}}"#,
      ].map { Array($0.utf8) }
    ).map(Session.tree)
    #expect(answers.count == 1)
    #expect(answers[0]["result"] != nil)
  }

  @Test func `changes of ranges in lines that end in CRLF, one after the other, lead to the text`()
  {
    var session = Session()
    let lines = [
      "{", #"  "title": "😀","#, #"  "nodes": { "o": { "component": "GenericOutput" } }"#, "}",
    ]
    _ = session.open(lines.joined(separator: "\r\n"))
    func change(_ line: Int, _ start: Int, _ end: Int, _ text: String) -> JSONText {
      [
        "range": [
          "start": ["line": .number(line), "character": .number(start)],
          "end": ["line": .number(line), "character": .number(end)],
        ], "text": .string(text),
      ]
    }
    // The positions of the second change refer to the text after the first.
    let answers = session.notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": .string(Session.uri), "version": 2],
        "contentChanges": [
          change(1, 14, 14, "\u{1F3B8}"), change(1, 12, 14, ""), change(2, 34, 47, "GenericOutptu"),
        ],
      ])
    let findings = answers.first?["params"]?["diagnostics"]?.elements.map { $0 } ?? []
    let unknown = findings.first { $0["code"]?.string == "PR0201" }
    let place = unknown?["range"]
    #expect(place?["start"]?["line"]?.integer == 2)
    #expect(place?["start"]?["character"]?.integer == 33)
  }

  @Test func `what is asked of a place that the text does not have is answered`() {
    var session = Session()
    _ = session.open(text)
    for method in ["completion", "hover", "definition", "references", "documentHighlight"] {
      for (line, character) in [(0, 1 << 40), (1 << 40, 0), (3, 1000)] {
        let answer = session.request(
          "textDocument/\(method)",
          [
            "textDocument": ["uri": .string(Session.uri)],
            "position": ["line": .number(line), "character": .number(character)],
          ])
        #expect(answer["error"] == nil)
      }
      let answer = session.request(
        "textDocument/\(method)",
        [
          "textDocument": ["uri": .string(Session.uri)],
          "position": ["line": -1, "character": 0],
        ])
      #expect(answer["error"]?["code"]?.integer == -32602)
    }
  }
}
