import AudioTypes
import Diagnostics
import Foundation
import PatchSyntax
import TestSupport
import Testing

/// JSON Patch: the examples of RFC 6902, appendix A, and the preservation of the text.
@Suite struct JSONPatchTests {
  private func tree(_ text: String, _ name: String = "doc.jsonc") throws -> JSONTree {
    try #require(JSONReader.readStrictly(SourceText(name: name, text: text)).tree)
  }

  private func change(
    _ document: String, _ patch: String, strictness: JSONPatch.Strictness = .lenient
  ) throws -> DocumentChange {
    let reading = JSONPatch.read(try tree(patch, "patch.json").root, strictness: strictness)
    guard let patch = reading.patch else { return .refused(reading.diagnostics) }
    #expect(reading.diagnostics.isEmpty)
    return patch.apply(to: try tree(document))
  }

  private func text(_ change: DocumentChange) throws -> String {
    let text = try #require(change.text)
    return text[0..<text.bytes.count]
  }

  private func codes(_ change: DocumentChange) -> [String] {
    guard case .refused(let diagnostics) = change else { return [] }
    return diagnostics.map(\.code.rawValue)
  }

  @Test(arguments: [
    // A.1 to A.6
    (
      "{ \"foo\": \"bar\" }", "{ \"op\": \"add\", \"path\": \"/baz\", \"value\": \"qux\" }",
      "{ \"foo\": \"bar\", \"baz\": \"qux\" }"
    ),
    (
      "{ \"foo\": [ \"bar\", \"baz\" ] }",
      "{ \"op\": \"add\", \"path\": \"/foo/1\", \"value\": \"qux\" }",
      "{ \"foo\": [ \"bar\", \"qux\", \"baz\" ] }"
    ),
    (
      "{ \"baz\": \"qux\", \"foo\": \"bar\" }", "{ \"op\": \"remove\", \"path\": \"/baz\" }",
      "{ \"foo\": \"bar\" }"
    ),
    (
      "{ \"foo\": [ \"bar\", \"qux\", \"baz\" ] }", "{ \"op\": \"remove\", \"path\": \"/foo/1\" }",
      "{ \"foo\": [ \"bar\", \"baz\" ] }"
    ),
    (
      "{ \"baz\": \"qux\", \"foo\": \"bar\" }",
      "{ \"op\": \"replace\", \"path\": \"/baz\", \"value\": \"boo\" }",
      "{ \"baz\": \"boo\", \"foo\": \"bar\" }"
    ),
    (
      "{ \"foo\": { \"bar\": \"baz\", \"waldo\": \"fred\" }, \"qux\": { \"corge\": \"grault\" } }",
      "{ \"op\": \"move\", \"from\": \"/foo/waldo\", \"path\": \"/qux/thud\" }",
      "{ \"foo\": { \"bar\": \"baz\" }, \"qux\": { \"corge\": \"grault\", \"thud\": \"fred\" } }"
    ),
    // A.7
    (
      "{ \"foo\": [ \"all\", \"grass\", \"cows\", \"eat\" ] }",
      "{ \"op\": \"move\", \"from\": \"/foo/1\", \"path\": \"/foo/3\" }",
      "{ \"foo\": [ \"all\", \"cows\", \"eat\", \"grass\" ] }"
    ),
    // A.8
    (
      "{ \"baz\": \"qux\", \"foo\": [ \"a\", 2, \"c\" ] }",
      """
      { "op": "test", "path": "/baz", "value": "qux" },
      { "op": "test", "path": "/foo/1", "value": 2.0 }
      """,
      "{ \"baz\": \"qux\", \"foo\": [ \"a\", 2, \"c\" ] }"
    ),
    // A.10, A.11, A.14, A.16
    (
      "{ \"foo\": \"bar\" }",
      "{ \"op\": \"add\", \"path\": \"/child\", \"value\": { \"grandchild\": { } } }",
      "{ \"foo\": \"bar\", \"child\": { \"grandchild\": { } } }"
    ),
    (
      "{ \"foo\": \"bar\" }",
      "{ \"op\": \"add\", \"path\": \"/baz\", \"value\": \"qux\", \"xyz\": 123 }",
      "{ \"foo\": \"bar\", \"baz\": \"qux\" }"
    ),
    (
      "{ \"/\": 9, \"~1\": 10 }", "{ \"op\": \"test\", \"path\": \"/~01\", \"value\": 10 }",
      "{ \"/\": 9, \"~1\": 10 }"
    ),
    (
      "{ \"foo\": [\"bar\"] }",
      "{ \"op\": \"add\", \"path\": \"/foo/-\", \"value\": [\"abc\", \"def\"] }",
      "{ \"foo\": [\"bar\", [\"abc\", \"def\"]] }"
    ),
    // The whole document, and places side by side.
    ("[1]", "{ \"op\": \"replace\", \"path\": \"\", \"value\": {} }", "{}"),
    ("[1, 2]", "{ \"op\": \"add\", \"path\": \"/0\", \"value\": 0 }", "[0, 1, 2]"),
    ("[ 1 ]", "{ \"op\": \"remove\", \"path\": \"/0\" }", "[]"),
    ("{}", "{ \"op\": \"add\", \"path\": \"/a~1b\\\"\", \"value\": 0 }", "{ \"a/b\\\"\": 0 }"),
    (
      "{ \"a\": { \"b\": 1 } }",
      """
      { "op": "copy", "from": "/a", "path": "/a/c" }, { "op": "add", "path": "/a/b", "value": 2 }
      """,
      "{ \"a\": { \"b\": 2, \"c\": { \"b\": 1 } } }"
    ),
    ("{ \"a\": 1 }", "{ \"op\": \"move\", \"from\": \"/a\", \"path\": \"/a\" }", "{ \"a\": 1 }"),
  ])
  func `the RFC's examples come out as it says`(
    document: String, operations: String, expected: String
  ) throws {
    #expect(try text(change(document, "[\(operations)]")) == expected)
  }

  @Test(arguments: [
    // A.9, A.12, A.13, A.15
    (
      "{ \"baz\": \"qux\" }", "{ \"op\": \"test\", \"path\": \"/baz\", \"value\": \"bar\" }",
      "PR0903"
    ),
    (
      "{ \"foo\": \"bar\" }", "{ \"op\": \"add\", \"path\": \"/baz/bat\", \"value\": \"qux\" }",
      "PR0902"
    ),
    (
      "{ \"/\": 9, \"~1\": 10 }", "{ \"op\": \"test\", \"path\": \"/~01\", \"value\": \"10\" }",
      "PR0903"
    ),
    ("{}", "{ \"op\": \"remove\", \"path\": \"/a\" }", "PR0902"),
    ("{}", "{ \"op\": \"remove\", \"path\": \"\" }", "PR0902"),
    ("[1]", "{ \"op\": \"add\", \"path\": \"/2\", \"value\": 1 }", "PR0902"),
    ("[1]", "{ \"op\": \"add\", \"path\": \"/01\", \"value\": 1 }", "PR0902"),
    ("[1]", "{ \"op\": \"replace\", \"path\": \"/-\", \"value\": 1 }", "PR0902"),
    ("1", "{ \"op\": \"add\", \"path\": \"/a\", \"value\": 1 }", "PR0902"),
    (
      "{ \"a\": {} }", "{ \"op\": \"move\", \"from\": \"/a\", \"path\": \"/a/b\" }", "PR0904"
    ),
    ("{}", "{ \"op\": \"put\", \"path\": \"/a\", \"value\": 1 }", "PR0901"),
    ("{}", "{ \"op\": 1, \"path\": \"/a\", \"value\": 1 }", "PR0101"),
    ("{}", "{ \"op\": \"add\", \"path\": 3, \"value\": 1 }", "PR0101"),
    ("{}", "1", "PR0101"),
    ("{}", "{ \"op\": \"add\", \"path\": \"a\", \"value\": 1 }", "PR0113"),
    ("{}", "{ \"op\": \"add\", \"path\": \"/a\" }", "PR0103"),
    ("{}", "{ \"op\": \"copy\", \"path\": \"/a\" }", "PR0103"),
    ("{}", "{ }", "PR0103"),
    (
      "{ \"a\": 9007199254740993 }",
      "{ \"op\": \"test\", \"path\": \"/a\", \"value\": 9007199254740992 }", "PR0903"
    ),
  ])
  func `an operation that cannot be made is refused`(
    document: String, operation: String, code: String
  ) throws {
    #expect(try codes(change(document, "[\(operation)]")) == [code])
  }

  @Test func `all are made or none, and what follows from a failure is not reported`() throws {
    let found = try change(
      "{ \"a\": [1], \"back\": {} }",
      """
      [
        { "op": "replace", "path": "/a/0", "value": 2 },
        { "op": "add", "path": "/c/d", "value": {} },
        { "op": "add", "path": "/c/d/e", "value": 1 },
        { "op": "copy", "from": "/c/d/e", "path": "/f" },
        { "op": "remove", "path": "/f" },
        { "op": "remove", "path": "/a/7" },
        { "op": "test", "path": "/a/0", "value": 1 },
        { "op": "remove", "path": "/bakc" }
      ]
      """)
    guard case .refused(let diagnostics) = found else {
      Issue.record("it was made")
      return
    }
    #expect(diagnostics.map(\.pointer) == ["/1/path", "/5/path", "/7/path"])
    #expect(diagnostics.last?.label?.text == "did you mean 'back'?")
    #expect(diagnostics.last?.help == ["the document has 'a', 'back'"])
    #expect(diagnostics.last?.fixes.first?.edits.first?.replacement == "\"/back\"")
  }

  @Test func `members without a meaning are passed over, but not in a patch`() throws {
    let operation =
      "[ { \"op\": \"add\", \"path\": \"/a\", \"value\": 1, \"comment\": \"c\", \"x\": 1 } ]"
    #expect(try text(change("{}", operation)) == "{ \"a\": 1 }")
    #expect(try codes(change("{}", operation, strictness: .strict)) == ["PR0102"])
    let misspelt = "[ { \"op\": \"add\", \"path\": \"/a\", \"valu\": 1 } ]"
    #expect(try codes(change("{}", misspelt, strictness: .strict)) == ["PR0102"])
  }

  @Test func `what is not changed keeps its formatting and its comments`() throws {
    let document = """
      // A patch.
      {
        "a": 1, // one
        "b": {
          "c": [ 1, 2,
                 3 ], /* three */
          "d": 4
        },
        "e": {}
      }
      // Its end.

      """
    let patch = """
      [
        { "op": "replace", "path": "/a", "value": 10 },
        { "op": "remove", "path": "/b/c/1" },
        { "op": "add", "path": "/b/f", "value": 6 },
        { "op": "remove", "path": "/e" },
        { "op": "add", "path": "/g", "value": "new" }
      ]
      """
    #expect(
      try text(change(document, patch)) == """
        // A patch.
        {
          "a": 10, // one
          "b": {
            "c": [ 1,
                   3 ], /* three */
            "d": 4,
            "f": 6
          },
          "g": "new"
        }
        // Its end.

        """)
  }

  @Test func `every value leads to where it is written`() throws {
    let document = SourceText(
      name: "doc.json", text: "{\n  \"a\": { \"x\": 1 },\n  \"b\": [ 2 ]\n}")
    let first = try change(
      document, "[ { \"op\": \"add\", \"path\": \"/b/0\", \"value\": { \"y\": 3 } } ]", "one")
    let second = try change(
      first, "[ { \"op\": \"move\", \"from\": \"/b/0/y\", \"path\": \"/a/é\" } ]", "two")
    let root = try #require(JSONReader.readStrictly(second).tree).root
    func origin(_ pointer: String, key: Bool = false) throws -> String {
      let pointer = try #require(JSONPointer(parsing: pointer))
      var value = try #require(root[pointer])
      if key {
        let parent = try #require(root[JSONPointer(Array(pointer.tokens.dropLast()))])
        value = try #require(parent.members.first { $0.key.string == pointer.tokens.last }?.key)
      }
      let (text, range) = second.origin(of: value.range)
      return "\(text.name): \(text[range])"
    }
    #expect(try origin("/a/x") == "doc.json: 1")
    #expect(try origin("/a/x", key: true) == "doc.json: \"x\"")
    #expect(try origin("/b/1") == "doc.json: 2")
    #expect(try origin("/a/é") == "one: 3")
    #expect(try origin("/a/é", key: true) == "two: é")
    #expect(try origin("/b/0") == "one: { \"y\": 3 }")
  }

  private func change(
    _ document: SourceText, _ patch: String, _ name: String
  ) throws -> SourceText {
    let tree = try #require(JSONReader.readStrictly(document).tree)
    let patch = try #require(
      JSONPatch.read(try self.tree(patch, name).root, strictness: .lenient).patch)
    return try #require(patch.apply(to: tree).text)
  }

  @Test func `a few copies cannot ask for all the memory, nor for all the depth`() throws {
    let copies = (0..<60).map {
      "{ \"op\": \"copy\", \"from\": \"\", \"path\": \"/\($0 % 2)\" }"
    }
    let long = "{ \"a\": \"\(String(repeating: "x", count: 2000))\" }"
    #expect(try codes(change(long, "[\(copies.joined(separator: ","))]")).first == "PR0905")
    // Each copy nests the document within itself.
    let path = String(repeating: "/a", count: 500)
    let nested =
      String(repeating: "{\"a\":", count: 500) + "{}" + String(repeating: "}", count: 500)
    let deeper =
      "[ { \"op\": \"copy\", \"from\": \"\", \"path\": \"\(path)/b\" }, { \"op\": \"copy\", \"from\": \"\", \"path\": \"\(path)/c\" } ]"
    #expect(try codes(change(nested, deeper)) == ["PR0905"])
  }

  // MARK: An oracle

  /// Random documents and patches: compares acceptance and results with PyPI's jsonpatch.
  @Test(.enabled(if: JSONPatchOracle.isThere, "python3 with the package jsonpatch is not there"))
  func `documents by chance change as PyPI's jsonpatch changes them`() throws {
    var chance = Chance(random: SplitMix64(seed: 6902))
    var cases: [(document: String, patch: String)] = []
    for _ in 0..<3000 {
      let document = chance.value(depth: 3, isContainer: true)
      let count = Int.random(in: 1...3, using: &chance.random)
      cases.append(
        (document, "[\((0..<count).map { _ in chance.operation() }.joined(separator: ","))]"))
    }
    let expected = try JSONPatchOracle.results(cases)
    #expect(expected.count == cases.count)
    var made = 0
    for (pair, expected) in zip(cases, expected) {
      let change = try change(pair.document, pair.patch)
      let found = change.text.map { $0[0..<$0.bytes.count] }
      guard let expected else {
        #expect(found == nil, "\(pair)")
        continue
      }
      made += 1
      guard let found else {
        Issue.record("it is refused: \(pair): \(change)")
        continue
      }
      let difference = PatchDifference(from: try tree(expected), to: try tree(found))
      #expect(difference.isEmpty, "\(pair): \(found) is not \(expected)")
    }
    #expect(made > 200)
  }
}

/// Random small documents that share many keys.
private struct Chance {
  var random: SplitMix64

  private let keys = ["a", "b/c", "e~f"]

  mutating func value(depth: Int, isContainer: Bool = false) -> String {
    let count = Int.random(in: 1...3, using: &random)
    switch Int.random(in: isContainer ? 4...7 : 0...7, using: &random) {
    case _ where depth == 0, 0: return ["1", "2.5", "-3"].randomElement(using: &random) ?? "1"
    case 1: return "null"
    case 2: return ["true", "false"].randomElement(using: &random) ?? "true"
    case 3:
      return ["\"x\"", "\"\\u00e9\"", "\"\"", "{}", "[]"].randomElement(using: &random) ?? "1"
    case 4:
      return "[\((0..<count).map { _ in value(depth: depth - 1) }.joined(separator: ", "))]"
    default:
      let names = keys.shuffled(using: &random).prefix(count)
      return "{ \(names.map { "\"\($0)\": \(value(depth: depth - 1))" }.joined(separator: ", ")) }"
    }
  }

  private mutating func pointer() -> String {
    let tokens = (0..<Int.random(in: 1...2, using: &random)).map { _ in
      (keys + keys + ["0", "1", "-", "é"]).randomElement(using: &random) ?? "a"
    }
    return JSONPointer(tokens).description
  }

  mutating func operation() -> String {
    let op =
      ["add", "add", "remove", "replace", "move", "copy", "test"]
      .randomElement(using: &random) ?? "add"
    var members = ["\"op\": \"\(op)\"", "\"path\": \"\(pointer())\""]
    if ["add", "replace", "test"].contains(op) {
      members.append("\"value\": \(value(depth: 2))")
    } else if op != "remove" {
      members.append("\"from\": \"\(pointer())\"")
    }
    return "{ \(members.joined(separator: ", ")) }"
  }
}

/// PyPI's jsonpatch, run by python3.
private enum JSONPatchOracle {
  static let isThere = (try? run("import jsonpatch", input: "").status) == 0

  /// The resulting document for each pair, or `nil` if the patch is refused.
  static func results(_ cases: [(document: String, patch: String)]) throws -> [String?] {
    let script = """
      import json, sys, jsonpatch
      for line in sys.stdin:
          document, patch = json.loads(line)
          try:
              print(json.dumps(jsonpatch.apply_patch(document, patch)))
          except Exception:
              print("refused")
      """
    let input = cases.map { "[\($0.document), \($0.patch)]\n" }.joined()
    let (status, output) = try run(script, input: input)
    #expect(status == 0)
    return output.split(separator: "\n").map { $0 == "refused" ? nil : String($0) }
  }

  private static func run(_ script: String, input: String) throws -> (status: Int32, String) {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "input")
    try Data(input.utf8).write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script]
    process.standardInput = try FileHandle(forReadingFrom: file)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
