import Diagnostics
import LanguageServer
import PatchGraph
import PatchSyntax

/// An editor connected to a language server in this process.
struct Session {
  var server = LanguageServer(version: "1")
  static let uri = "file:///nowhere/patch.json"
  private var number = 0

  /// - Parameters:
  ///   - encodings: The position encodings that the editor offers.
  ///   - knowsTrees: Whether it accepts an outline as a tree.
  ///   - isRich: Whether it shows Markdown and supports snippets.
  init(encodings: [String] = [], knowsTrees: Bool = true, isRich: Bool = false) {
    _ = request(
      "initialize",
      [
        "capabilities": [
          "general": ["positionEncodings": .strings(encodings)],
          "textDocument": [
            "publishDiagnostics": ["relatedInformation": true],
            "documentSymbol": ["hierarchicalDocumentSymbolSupport": .boolean(knowsTrees)],
            "hover": ["contentFormat": isRich ? ["markdown", "plaintext"] : ["plaintext"]],
            "completion": ["completionItem": ["snippetSupport": .boolean(isRich)]],
          ],
        ]
      ])
    _ = notify("initialized", [:])
  }

  static func tree(_ text: JSONText) -> JSONValue {
    // All messages of a server are JSON.
    JSONReader.read(SourceText(name: "answer", text: text.document), dialect: .json).tree!.root
  }

  mutating func request(_ method: String, _ parameters: JSONText) -> JSONValue {
    number += 1
    let message: JSONText = [
      "jsonrpc": "2.0", "id": .number(number), "method": .string(method), "params": parameters,
    ]
    return Self.tree(server.receive(Array(message.document.utf8))[0])
  }

  /// Sends a notification and returns the diagnostics that follow.
  mutating func notify(_ method: String, _ parameters: JSONText) -> [JSONValue] {
    let message: JSONText = [
      "jsonrpc": "2.0", "method": .string(method), "params": parameters,
    ]
    return (server.receive(Array(message.document.utf8)) + server.findings()).map(Self.tree)
  }

  /// Opens a text and returns its diagnostics.
  mutating func open(_ text: String, uri: String = Session.uri) -> [JSONValue] {
    let answers = notify(
      "textDocument/didOpen",
      [
        "textDocument": [
          "uri": .string(uri), "languageId": "json", "version": 1, "text": .string(text),
        ]
      ])
    return answers.first?["params"]?["diagnostics"]?.elements.map { $0 } ?? []
  }

  /// Sends a request for the position of `|`, which is removed from the text.
  mutating func ask(
    _ method: String, _ marked: String, _ more: JSONText = [:]
  ) -> JSONValue {
    let parts = marked.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
    _ = open(parts.joined())
    let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
    let parameters: JSONText = [
      "textDocument": ["uri": .string(Self.uri)],
      "position": [
        "line": .number(lines.count - 1), "character": .number(lines[lines.count - 1].utf16.count),
      ],
    ]
    return request("textDocument/\(method)", parameters.adding(more))
  }

  /// The labels of the completion at `|`.
  mutating func labels(_ marked: String) -> [String] {
    ask("completion", marked)["result"]?["items"]?.elements.compactMap { $0["label"]?.string } ?? []
  }

  /// The text of the hover at `|`.
  mutating func hover(_ marked: String) -> String {
    ask("hover", marked)["result"]?["contents"]?["value"]?.string ?? ""
  }
}
