import AudioTypes
import Diagnostics
import PatchSyntax
import Testing

/// The diagnostics as `code line:column message`, one per line.
func findings(_ diagnostics: [Diagnostic], _ source: SourceText) -> [String] {
  diagnostics.map { diagnostic in
    let position = source.position(of: diagnostic.range.lowerBound)
    return "\(diagnostic.code) \(position) \(diagnostic.message)"
  }
}

struct JSONReaderTests {
  private func read(_ text: String, _ dialect: JSONReader.Dialect = .json) -> JSONReader.Result {
    JSONReader.read(SourceText(name: "x.json", text: text), dialect: dialect)
  }

  private func codes(_ text: String, _ dialect: JSONReader.Dialect = .json) -> [String] {
    read(text, dialect).diagnostics.map { diagnostic in
      #expect(!diagnostic.help.isEmpty, "\(diagnostic.code) helps")
      return diagnostic.code.rawValue
    }
  }

  // MARK: Values

  @Test func `values keep what they are and where they stand`() throws {
    let text = #"{"a": [1, -2.5e1, true, false, null, "x\ny"], "b": {}}"#
    let result = read(text)
    let root = try #require(result.tree?.root)
    let source = try #require(result.tree?.source)
    #expect(result.diagnostics.isEmpty)
    #expect(source[root.range] == text)
    let a = try #require(root["a"])
    let elements = Array(a.elements)
    #expect(
      elements.map { source[$0.range] } == [
        "1", "-2.5e1", "true", "false", "null", #""x\ny""#,
      ])
    #expect(elements[0].integer == 1)
    #expect(elements[1].number == -25)
    #expect(elements[1].numberText == "-2.5e1")
    #expect(elements[2].bool == true && elements[3].bool == false)
    #expect(elements[4].kind == .null)
    #expect(elements[5].string == "x\ny")
    #expect(root["b"]?.kind == .object)
    #expect(root["c"] == nil)
    let keys = root.members.map(\.key)
    #expect(keys.map(\.string) == ["a", "b"])
    #expect(source[keys[1].range] == "\"b\"")
  }

  @Test func `escapes are resolved`() {
    let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83C\uDFB8é""#
    #expect(read(text).tree?.root.string == "\"\\/\u{8}\u{C}\n\r\tAé🎸é")
  }

  @Test(arguments: [
    ("1e400", Double.infinity), ("-1e400", -Double.infinity), ("1e-400", 0), ("0.1", 0.1),
    ("123456789012345678901234567890", 0x1.8EE90FF6C373Ep+96),
  ])
  func `a number is the nearest double`(text: String, value: Double) {
    #expect(read(text).diagnostics.isEmpty)
    #expect(read(text).tree?.root.number == value)
  }

  @Test func `whole numbers are whole however they are written`() {
    for text in ["2", "2.0", "2e0", "20e-1"] { #expect(read(text).tree?.root.integer == 2) }
    for text in ["2.5", "1e400", "9007199254740992", "\"2\""] {
      #expect(read(text).tree?.root.integer == nil)
    }
  }

  // MARK: Mistakes

  @Test(arguments: [
    ("", ["PR0001"]), (" \n", ["PR0001"]), ("\u{FEFF}", ["PR0003", "PR0001"]),
    ("\u{FEFF}{}", ["PR0003"]),
    ("[1] // x", ["PR0004"]), ("/* x */ [1] // y", ["PR0004"]), ("[1] /* x", ["PR0004"]),
    ("# x\n[1]", ["PR0004"]),
    ("[1,]", ["PR0005"]), ("{\"a\": 1,\n}", ["PR0005"]),
    ("[1 2]", ["PR0006"]), ("[1; 2]", ["PR0006"]), ("{\"a\": 1 \"b\": 2}", ["PR0006"]),
    ("[,]", ["PR0007"]), ("[1,,,2]", ["PR0007"]), ("{,\"a\": 1}", ["PR0007"]),
    ("[1,,]", ["PR0007"]), ("{\"a\":1,,}", ["PR0007"]),
    ("{\"a\" 1}", ["PR0008"]), ("{\"a\" = 1}", ["PR0008"]), ("{\"a\":: 1}", ["PR0008"]),
    ("{\"a\" => 1}", ["PR0008"]),
    ("{\"a\":}", ["PR0009"]), ("{\"a\"}", ["PR0009"]), ("{\"a\":,\"b\":1}", ["PR0009"]),
    ("{a: 1}", ["PR0010"]), ("{1: 1}", ["PR0010"]), ("{: 1}", ["PR0010"]), ("{[1]}", ["PR0010"]),
    ("{'a': 'b'}", ["PR0011", "PR0011"]), ("[“a”]", ["PR0011"]), ("['a]", ["PR0011"]),
    ("[\"a]", ["PR0012"]), ("[\"a,\n\"b\"]", ["PR0012"]), ("{\"a: 1,\n\"b\": 2}", ["PR0012"]),
    ("{\"a\": \"b}", ["PR0012"]), ("{\"a\": \"b\n}", ["PR0012"]), ("\"", ["PR0012"]),
    ("[\"a\tb\"]", ["PR0013"]), ("[\"\u{1}\"]", ["PR0013"]),
    ("[\"\\x\", \"\\u12\"]", ["PR0014", "PR0014"]),
    ("[\"\\ud800\", \"\\udc00x\"]", ["PR0015", "PR0015"]),
    ("[01]", ["PR0016"]), ("[+1]", ["PR0016"]), ("[.5]", ["PR0016"]), ("[5.]", ["PR0016"]),
    ("[0x1F]", ["PR0016"]), ("[NaN, Infinity, -Infinity]", ["PR0016", "PR0016", "PR0016"]),
    ("[1e]", ["PR0016"]), ("[1_000]", ["PR0016"]), ("[-]", ["PR0016"]), ("[1.2.3]", ["PR0016"]),
    ("[True]", ["PR0017"]), ("[nul]", ["PR0017"]), ("{\"a\": hello world}", ["PR0017"]),
    ("[1", ["PR0018"]), ("{", ["PR0018"]), ("{\"a\": [1, {", ["PR0018"]), ("[1,", ["PR0018"]),
    ("{\"a\": [1, 2}", ["PR0018"]), ("[{\"a\": 1]", ["PR0018"]), ("{\"a\":", ["PR0018"]),
    ("[1}", ["PR0019"]), ("{\"a\": 1]", ["PR0019"]), ("}", ["PR0019"]), ("[]]", ["PR0019"]),
    ("[] []", ["PR0020"]), ("{} x", ["PR0020"]), ("1 2", ["PR0020"]),
    ("[*]", ["PR0021"]), ("[\"a\": 1]", ["PR0021"]), ("[1 ? 2]", ["PR0021"]),
    ("[\u{A0}1]", ["PR0025"]), ("[\u{C}]", ["PR0025"]),
    ("{\"a\": \"say \"hi\"\",\n\"b\": 1}", ["PR0006"]),
  ])
  func `one mistake is one diagnostic`(text: String, expected: [String]) {
    #expect(codes(text) == expected, "\(text)")
  }

  @Test func `jsonc takes comments and trailing commas, and nothing else`() {
    let text = "// a\n{ /* b */ \"a\": [1, 2,], // c\n \"b\": {\"c\": 1,}, } /* d */"
    #expect(codes(text, .jsonc) == [])
    #expect(codes("[,]", .jsonc) == ["PR0007"])
    #expect(codes("[1,,]", .jsonc) == ["PR0007"])
    #expect(codes("# no\n{}", .jsonc) == ["PR0004"])
    #expect(codes("{'a': 01}", .jsonc) == ["PR0011", "PR0016"])
    #expect(JSONReader.Dialect(fileName: "a.JSONC") == .jsonc)
    #expect(JSONReader.Dialect(fileName: "a.json") == .json)
    #expect(JSONReader.Dialect(fileName: "-") == .json)
  }

  @Test func `all mistakes of a text are found in one run`() {
    let text = """
      {
        // what it is
        title: 'A patch',
        "rate": 044100
        "gain": .5,
        "list": [1, 2,, 3,],
        "on": True,
      }
      """
    let result = read(text)
    #expect(
      findings(result.diagnostics, SourceText(name: "", text: text)) == [
        "PR0004 2:3 a comment stands in a .json document",
        "PR0010 3:3 the key 'title' stands without quotes",
        "PR0011 3:10 strings stand in straight double quotes",
        "PR0016 4:11 '044100' is not a number in JSON",
        "PR0016 5:11 '.5' is not a number in JSON",
        "PR0007 6:17 a comma stands without a value before it",
        "PR0005 6:20 a comma stands before a closing bracket",
        "PR0017 7:9 'True' is not a value in JSON",
        "PR0005 7:13 a comma stands before a closing bracket",
      ])
  }

  @Test func `a bracket that is not closed is shown where it was opened`() {
    let text = "{\n  \"nodes\": {\n    \"io\": { \"component\": \"remoteIO\" }\n"
    let result = read(text)
    let source = SourceText(name: "x.json", text: text)
    #expect(
      TextRenderer(source: source).render(result.diagnostics) == """
        error[PR0018]: '{' is not closed
         --> x.json:3:38
          |
        1 | {
          | - this is open too
        2 |   "nodes": {
          |            - opened here
        3 |     "io": { "component": "remoteIO" }
          |                                      ^ expected '}', found the end
          |
          = help: add '}' where it ends


        """)
  }

  @Test func `a bracket forgotten further up is found by the indentation`() {
    let text = """
      {
        "nodes": {
          "io": { "component": "remoteIO",
          "eq": { "component": "iPodEQ" }
        },
        "connections": []
      }

      """
    let result = read(text)
    let source = SourceText(name: "x.json", text: text)
    #expect(
      TextRenderer(source: source).render(result.diagnostics) == """
        error[PR0018]: a bracket is not closed
         --> x.json:7:2
          |
        3 |     "io": { "component": "remoteIO",
          |           - this one, by the indentation
        4 |     "eq": { "component": "iPodEQ" }
        5 |   },
          |   - here it is closed, further left
        6 |   "connections": []
        7 | }
          |  ^ expected '}', found the end
          |
          = help: close the bracket that the indentation points to, or add '}' at the end


        """)
  }

  @Test func `a number's help is the number that was meant`() {
    func help(_ text: String) -> String? { read(text).diagnostics.first?.help.first }
    #expect(help("[007]") == "write 7")
    #expect(help("[-.5]") == "write -0.5")
    #expect(help("[+1.5]") == "write 1.5")
    #expect(help("[0x10]") == "write 16")
    #expect(help("[1.]") == "write 1")
    #expect(help("[2.e3]") == "write 2e3")
    #expect(help("[1_000.5]") == "write 1000.5")
    #expect(help("[NaN]") == "numbers look like 12, -0.5 and 1.5e-3")
    #expect(help("[1.2.3]") == "numbers look like 12, -0.5 and 1.5e-3")
  }

  @Test func `edits that fix a text make it JSON`() {
    for text in [
      "\u{FEFF}{a: 'b', \"c\": +1,}", "[01, .5, 1., 0xFF // x\n, \"\t\", /* y */ True]",
      "{\"a\" 1 \"b\" = 2; \"c\": hello}", "[\"\\x\"\u{A0}, 1]",
    ] {
      let result = read(text)
      #expect(result.hasErrors)
      var bytes = Array(text.utf8)
      let edits = result.diagnostics.flatMap(\.fixes).flatMap(\.edits)
      for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
        bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
      }
      let fixed = String(decoding: bytes, as: UTF8.self)
      #expect(codes(fixed) == [], "\(fixed)")
    }
  }

  @Test func `bytes that are not UTF-8 are refused, once in each string`() {
    func codes(_ bytes: [UInt8]) -> [String] {
      JSONReader.read(SourceText(name: "x", bytes: bytes), dialect: .json).diagnostics
        .map(\.code.rawValue)
    }
    #expect(codes([0x22, 0xFF, 0x41, 0xC3, 0x28, 0x22]) == ["PR0002"])
    #expect(codes([0x22, 0xED, 0xA0, 0x80, 0x22]) == ["PR0002"])
    #expect(codes([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22]) == ["PR0002"])
    #expect(codes([0x22, 0xC0, 0x80, 0x22]) == ["PR0002"])
    #expect(codes([0x5B, 0xFF, 0x5D]).count == 1)
    #expect(codes([0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00]) == ["PR0002"])
    #expect(codes([0x00, 0x5B, 0x00, 0x5D]) == ["PR0002"])
  }

  @Test func `nesting has a limit and needs no stack`() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(codes(nested(JSONReader.maximumDepth)) == [])
    #expect(codes(nested(JSONReader.maximumDepth + 1)) == ["PR0022"])
    #expect(codes(String(repeating: "{\"a\":[", count: 1_000_000)) == ["PR0022"])
  }

  @Test func `a text that is no patch at all is not reported for ever`() {
    let text = String(repeating: "'x' ", count: 10_000)
    let diagnostics = read("[" + text).diagnostics
    #expect(diagnostics.count == 50)
    #expect(diagnostics.last?.help.last == "reading stopped here: there may be more mistakes")
  }

  // MARK: Pointers

  @Test func `every value knows its pointer`() throws {
    let root = try #require(read(#"{"a": [0, {"b/c": {"": [1, 2]}}], "d~e": 3}"#).tree?.root)
    var pointers: [String] = []
    func walk(_ value: JSONValue) {
      pointers.append(value.pointer.description)
      #expect(root[value.pointer]?.range == value.range)
      for element in value.elements { walk(element) }
      for (key, inside) in value.members {
        #expect(key.pointer == inside.pointer)
        walk(inside)
      }
    }
    walk(root)
    #expect(
      pointers == [
        "", "/a", "/a/0", "/a/1", "/a/1/b~1c", "/a/1/b~1c/", "/a/1/b~1c//0", "/a/1/b~1c//1",
        "/d~0e",
      ])
    for absent in ["/b", "/a/2", "/a/-", "/a/01", "/a/0/x", "/a/x"] {
      #expect(root[try #require(JSONPointer(parsing: absent))] == nil)
    }
  }

  @Test func `pointers are read and written as RFC 6901 has them`() {
    #expect(JSONPointer(parsing: "")?.tokens == [])
    #expect(JSONPointer(parsing: "/")?.tokens == [""])
    #expect(JSONPointer(parsing: "/a~1b/~0~01/c%d")?.tokens == ["a/b", "~~1", "c%d"])
    #expect(JSONPointer(["a/b", "~1", ""]).description == "/a~1b/~01/")
    #expect(JSONPointer().appending("x").appending("0").description == "/x/0")
    for text in ["a", "/~", "/~2", "/a~"] { #expect(JSONPointer(parsing: text) == nil) }
  }

  // MARK: Robustness

  @Test func `random damage never stops the reader`() {
    // A fixed seed gives the same texts in every run.
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func random(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state >> 33) % bound
    }
    let seed = Array(PatchReaderTests.whole.utf8)
    let pieces: [[UInt8]] =
      [
        "\"", "'", "{", "}", "[", "]", ",", ":", "\\", "\\u", "\n", "//", "/*", "*/", "-", "1e999",
        "nul", "\u{FEFF}", "\u{A0}", "“", "=", ";", "#", "0x",
      ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0x00], [0xED, 0xA0]]
    for round in 0..<400 {
      var bytes = seed
      for _ in 0...random(6) {
        let at = random(bytes.count)
        switch random(4) {
        case 0: bytes.remove(at: at)
        case 1: bytes.insert(contentsOf: pieces[random(pieces.count)], at: at)
        case 2: bytes[at] = UInt8(random(256))
        default: bytes.removeSubrange(at..<min(at + random(20), bytes.count))
        }
      }
      let name = round.isMultiple(of: 2) ? "x.json" : "x.jsonc"
      let result = PatchReader.read(bytes: bytes, name: name)
      let renderer = TextRenderer(source: result.source)
      for diagnostic in result.diagnostics.prefix(8) {
        for range in [diagnostic.range] + diagnostic.notes.map(\.range) {
          #expect(range.upperBound <= bytes.count)
        }
        #expect(!renderer.render(diagnostic).isEmpty)
      }
      // A text without a document must have an error.
      #expect(result.document != nil || result.hasErrors)
    }
  }

  @Test func `every beginning of a patch is read`() {
    let seed = Array(PatchReaderTests.whole.utf8)
    for length in stride(from: 0, to: seed.count, by: 7) {
      let source = SourceText(name: "x.json", bytes: Array(seed[..<length]))
      #expect(JSONReader.read(source, dialect: .json).hasErrors)
    }
  }

  @Test func `rules have codes of their own`() {
    let all = SyntaxRules.all + PatchRules.all
    #expect(Set(all.map(\.code)).count == all.count)
    #expect(Set(all.map(\.name)).count == all.count)
    #expect(all.map(\.code) == all.map(\.code).sorted())
  }
}

struct TextRangeTests {
  @Test(arguments: [
    (#""abcdef""#, 2, 4, "cd"), (#""a\nb\"c""#, 1, 2, #"\n"#), (#""a\nb\"c""#, 2, 4, #"b\""#),
    (#""\u0061b""#, 1, 2, "b"), (#""é\u00e9x""#, 4, 5, "x"), (#""é\u00e9x""#, 2, 4, #"\u00e9"#),
    (#""\ud83d\ude00x""#, 4, 5, "x"), (#""\ud83d\ude00x""#, 0, 4, #"\ud83d\ude00"#),
    (#""x\\y""#, 1, 2, #"\\"#), (#""x\\y""#, 3, 3, ""), (#""ab""#, 2, 2, ""),
  ])
  func `a part of a text is found where it is written`(
    json: String, from: Int, to: Int, written: String
  ) throws {
    let tree = try #require(
      JSONReader.read(SourceText(name: "t.json", bytes: Array(json.utf8)), dialect: .json).tree)
    let range = tree.root.range(ofText: from..<to)
    #expect(String(decoding: Array(json.utf8)[range], as: UTF8.self) == written)
  }
}
