import Diagnostics
import Foundation
import PatchSyntax
import Testing

@Suite struct PatchFormatterTests {
  private func format(_ text: String, _ name: String = "test.jsonc") throws -> String {
    let result = PatchFormatter.format(SourceText(name: name, text: text))
    return String(decoding: try #require(result.text), as: UTF8.self)
  }

  @Test func `what is short stands on one line, tables and lists of objects have lines`() throws {
    let text = #"""
      {"nodes":{"io":{"component":"remoteIO","inputs":{"1":{"properties":{"enableIO":true}}}}},
      "session" : {"category":"playback"}, "connections":[{"from":"a","to":"io"}],"taps":{},
      "title":"x"}
      """#
    #expect(
      try format(text, "test.json")
        == #"""
        {
          "nodes": {
            "io": {
              "component": "remoteIO",
              "inputs": { "1": { "properties": { "enableIO": true } } }
            }
          },
          "session": { "category": "playback" },
          "connections": [
            { "from": "a", "to": "io" }
          ],
          "taps": {},
          "title": "x"
        }

        """#)
  }

  @Test func `a line has 100 characters at the most, the comma among them`() throws {
    for (length, isBroken) in [(81, false), (82, true)] {
      let word = String(repeating: "ä", count: length)
      let text = try format(#"{"a":{"b":"\#(word)"},"c":1}"#)
      #expect(text.contains("{ \"b\"") != isBroken)
      let longest = text.split(separator: "\n").map(\.unicodeScalars.count).max()
      #expect(isBroken || longest == 100)
    }
  }

  @Test func `numbers and strings keep their spelling, and keys their order`() throws {
    let text = #"["\u00e9\/", 1.0E+2, -0, 1e400, {"b": 1, "a": 2, "b": 3}]"#
    #expect(
      try format(text) == #"""
        [
          "\u00e9\/",
          1.0E+2,
          -0,
          1e400,
          { "b": 1, "a": 2, "b": 3 }
        ]

        """#)
  }

  @Test func `long lists of numbers fill their lines`() throws {
    let numbers = (1000..<1040).map(String.init).joined(separator: ",")
    let lines = try format("[\(numbers)]").split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines[1].count <= 100 && lines[1].count > 90)
  }

  @Test func `comments keep their places`() throws {
    let text = """
      // header
      { // open
        "a" /* k */ : /* v */ 1 /* after */, // trail


        /* lead */ "b": [1, /* in */ 3,], "c": // why
         2,
        /*
            * star
         */
        "d": [ ],
        // end
      } // tail
      """
    #expect(
      try format(text) == """
        // header
        { // open
          "a": /* k */ /* v */ 1, /* after */ // trail

          /* lead */ "b": [
            1,
            /* in */ 3,
          ],
          "c": // why
            2,
          /*
           * star
           */
          "d": [],
          // end
        } // tail

        """)
  }

  @Test func `a trailing comma goes where it is forbidden, and stays where it is allowed`() throws {
    #expect(try format("{\"a\": 1,}", "a.json") == "{\n  \"a\": 1\n}\n")
    #expect(try format("{\"a\": [1,],}", "a.jsonc") == "{\n  \"a\": [1],\n}\n")
  }

  @Test(arguments: ["{", "{\"a\" 1}", "[1 2]", "", "// x\n{}", "[01]", "{\"a\": 1,, }"])
  func `a document with mistakes is left alone`(text: String) {
    let result = PatchFormatter.format(SourceText(name: "a.json", text: text))
    #expect(result.text == nil)
    #expect(result.diagnostics.hasErrors)
  }

  // MARK: Properties

  private func check(_ bytes: [UInt8], _ name: String) throws {
    let source = SourceText(name: name, bytes: bytes)
    let once = try #require(PatchFormatter.format(source).text)
    let formatted = SourceText(name: name, bytes: once)
    let twice = PatchFormatter.format(formatted)
    #expect(twice.text == once, "\(String(decoding: bytes, as: UTF8.self))")
    let dialect = JSONReader.Dialect(fileName: name)
    let before = JSONReader.read(source, dialect: dialect)
    let after = JSONReader.read(formatted, dialect: dialect)
    #expect(after.diagnostics.isEmpty)
    #expect(try isSame(#require(before.tree).root, #require(after.tree).root))
    func words(_ reading: JSONReader.Result, _ source: SourceText) -> [String] {
      reading.comments.map { source[$0].filter { !$0.isWhitespace } }
    }
    #expect(words(before, source) == words(after, formatted))
  }

  private func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
    guard left.kind == right.kind else { return false }
    switch left.kind {
    case .object:
      let (left, right) = (Array(left.members), Array(right.members))
      return left.count == right.count
        && zip(left, right).allSatisfy { isSame($0.key, $1.key) && isSame($0.value, $1.value) }
    case .array:
      let (left, right) = (Array(left.elements), Array(right.elements))
      return left.count == right.count && zip(left, right).allSatisfy(isSame)
    default: return left.tree.source[left.range] == right.tree.source[right.range]
    }
  }

  @Test(arguments: ["[]", "{}"])
  func `an empty container beyond the width of a line stays in one piece`(empty: String) {
    // A case that the fuzzer found: it was mistaken for a table of numbers.
    let depth = PatchFormatter.lineWidth
    let text =
      String(repeating: "[", count: depth) + empty + String(repeating: "]", count: depth)
    let source = SourceText(name: "deep.json", text: text)
    let formatted = PatchFormatter.format(source).text
    #expect(formatted?.isEmpty == false)
    let again = formatted.flatMap {
      PatchFormatter.format(SourceText(name: "deep.json", bytes: $0)).text
    }
    #expect(again == formatted)
    #expect(formatted.map { String(decoding: $0, as: UTF8.self).contains(empty) } == true)
  }

  @Test func `formatting random documents twice is formatting them once, and nothing is lost`()
    throws
  {
    for seed in 1...1500 {
      var generator = RandomDocument(seed: UInt64(seed))
      let hasComments = seed % 3 != 0
      try check(
        Array(generator.document(hasComments: hasComments).utf8),
        hasComments ? "random.jsonc" : "random.json")
    }
  }

  @Test(.enabled(if: !JSONTestSuite.accepted.isEmpty, "JSONTestSuite is not there"))
  func `what JSONTestSuite has to be accepted keeps its value`() throws {
    for file in JSONTestSuite.accepted {
      try check(Array(try Data(contentsOf: file)), file.lastPathComponent)
    }
  }
}

/// Documents with random values, blanks and comments, from a seed.
struct RandomDocument {
  private var state: UInt64
  private var hasComments = false

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  private mutating func random(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }

  mutating func document(hasComments: Bool) -> String {
    self.hasComments = hasComments
    return gap() + value(depth: 0) + gap()
  }

  private mutating func gap() -> String {
    let blanks = ["", " ", "\n", "\r\n", "\n\n", "\n \n\n", "\t", "\r"]
    var text = ""
    for _ in 0..<(random(3)) {
      text += blanks[random(blanks.count)]
      guard hasComments, random(4) == 0 else { continue }
      let comments = [
        "// line \(random(100))\n", "//, \(random(100))  \r\n", "/* block \(random(100)) */",
        "/* two\n      lines */", "/*\n * star\n\t* star\n */", "/**/", "/* , */",
      ]
      text += comments[random(comments.count)]
    }
    return text
  }

  private mutating func value(depth: Int) -> String {
    let scalars = [
      "1", "-0.50", "1E+3", "true", "false", "null", "\"\"", "\"ä // no comment\"", "\"\\u0041\"",
      "\"\(String(repeating: "long ", count: random(20)))\"",
    ]
    guard depth < 5, depth == 0 || random(3) > 0 else { return scalars[random(scalars.count)] }
    let isObject = random(3) > 0
    let count = random(5)
    var text = isObject ? "{" : "["
    for index in 0..<count {
      text += gap()
      if isObject { text += "\"key\(random(50))\"" + gap() + ":" + gap() }
      text += value(depth: depth + 1) + gap()
      if index < count - 1 || hasComments && random(3) == 0 { text += "," }
    }
    return text + gap() + (isObject ? "}" : "]")
  }
}
