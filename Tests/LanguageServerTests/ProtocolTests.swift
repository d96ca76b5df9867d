import Diagnostics
import LanguageServer
import PatchGraph
import PatchSyntax
import Testing

struct ProtocolTests {
  @Test func `messages come apart wherever the bytes were cut`() {
    let bytes = Array((MessageFrames.framed("{}") + MessageFrames.framed("[\"é\"]")).utf8)
    for cut in 0...bytes.count {
      var frames = MessageFrames()
      var found: [MessageFrames.Frame] = []
      for part in [bytes[..<cut], bytes[cut...]] {
        frames.append(part)
        while let frame = frames.next() { found.append(frame) }
      }
      #expect(found == [.message(Array("{}".utf8)), .message(Array("[\"é\"]".utf8))])
    }
  }

  @Test(arguments: [
    "Content-Type: x\r\n\r\n", "Content-Length: many\r\n\r\n", "Content-Length: -4\r\n\r\n",
    "\n\r\n\r\n",
    "Content-Length: 99999999999999999999\r\n\r\n",
  ])
  func `a header that is malformed is told, and reading goes on behind it`(header: String) {
    var frames = MessageFrames()
    frames.append((header + MessageFrames.framed("{}")).utf8)
    var found: [MessageFrames.Frame] = []
    while let frame = frames.next() { found.append(frame) }
    #expect(found.last == .message(Array("{}".utf8)))
    #expect(found.count == 2)
  }

  @Test func `a header without an end does not fill the memory`() {
    var frames = MessageFrames()
    frames.append([UInt8](repeating: 0x41, count: 100_000))
    #expect(frames.next() == .malformed("the header of a message has no end"))
    #expect(frames.next() == nil)
  }

  @Test(arguments: [
    ("{", -32700), ("[]", -32600), ("{}", -32600), (#"{"id": 1}"#, -32600),
    (#"{"id": {}, "method": "x"}"#, -32600), (#"{"id": 1, "method": "x"}"#, -32601),
    (#"{"id": 1, "method": "initialize"}"#, -32600),
    (#"{"id": "a", "method": "textDocument/hover"}"#, -32602),
    (#"{"id": "a", "method": "textDocument/hover", "params": []}"#, -32602),
  ])
  func `what cannot be answered has an error with its number`(message: String, code: Int) {
    var session = Session()
    let answers = session.server.receive(Array(message.utf8)).map(Session.tree)
    #expect(answers.count == 1)
    #expect(answers.first?["error"]?["code"]?.integer == code)
  }

  @Test func `answers and notifications that nobody knows are passed over`() {
    var session = Session()
    for message in [
      #"{"id": 1, "result": null}"#, #"{"method": "$/cancelRequest", "params": {"id": 1}}"#,
      #"{"method": "textDocument/didChange", "params": {"textDocument": {"uri": "x"}}}"#,
    ] {
      #expect(session.server.receive(Array(message.utf8)).isEmpty)
    }
  }

  @Test func `nothing is answered before initialize and after shutdown, and exit says how it was`()
  {
    var server = LanguageServer(version: "1")
    func send(_ text: String) -> Int? {
      server.receive(Array(text.utf8)).first.map(Session.tree)?["error"]?["code"]?.integer
    }
    #expect(send(#"{"id": 1, "method": "shutdown"}"#) == -32002)
    #expect(send(#"{"id": 2, "method": "initialize", "params": {}}"#) == nil)
    #expect(send(#"{"id": 3, "method": "shutdown"}"#) == nil)
    #expect(send(#"{"id": 4, "method": "textDocument/hover"}"#) == -32600)
    #expect(server.exitStatus == nil)
    #expect(send(#"{"method": "exit"}"#) == nil)
    #expect(server.exitStatus == 0)
    var other = LanguageServer(version: "1")
    _ = other.receive(Array(#"{"method": "exit"}"#.utf8))
    #expect(other.exitStatus == 1)
  }

  @Test(arguments: [("utf-16", 17), ("utf-8", 19)])
  func `positions count what was agreed on`(encoding: String, character: Int) throws {
    var session = Session(encodings: [encoding])
    let findings = session.open(
      #"{"title": "😀", "x": 1, "nodes": {"o": {"component": "GenericOutput"}}}"#)
    let range = try #require(findings.first?["range"])
    #expect(range["start"]?["character"]?.integer == character - 1)
  }

  @Test func `a change of a range counts UTF-16, and what it does is found`() {
    var session = Session()
    _ = session.open(#"{"title": "😀", "nodes": {"o": {"component": "GenericOutput"}}}"#)
    let answers = session.notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": .string(Session.uri), "version": 2],
        "contentChanges": [
          [
            "range": [
              "start": ["line": 0, "character": 10], "end": ["line": 0, "character": 14],
            ], "text": "7",
          ]
        ],
      ])
    let parameters = answers.first?["params"]
    #expect(parameters?["version"]?.integer == 2)
    let range = parameters?["diagnostics"]?.elements.map { $0 }.first?["range"]
    #expect(range?["start"]?["character"]?.integer == 10)
    #expect(range?["end"]?["character"]?.integer == 11)
  }

  @Test func `half of a surrogate pair in a text is one character`() {
    var session = Session()
    let message = #"""
      {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "x", "version": 1,
      "text": "{\"title\": \"\ud800\", \"x\": 1, \"nodes\": {}}"}}}
      """#
    #expect(session.server.receive(Array(message.utf8)).isEmpty)
    let findings = session.server.findings().map(Session.tree)
    let ranges = findings.first?["params"]?["diagnostics"]?.elements.map { $0["range"] }
    #expect(ranges?.first??["start"]?["character"]?.integer == 15)
  }

  @Test func `a patch that is closed has no findings any more`() {
    var session = Session()
    #expect(!session.open("{").isEmpty)
    let answers = session.notify(
      "textDocument/didClose", ["textDocument": ["uri": .string(Session.uri)]])
    #expect(answers.first?["params"]?["diagnostics"]?.elements.map { $0 }.count == 0)
  }
}
