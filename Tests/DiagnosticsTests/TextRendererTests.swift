import AudioTypes
import Diagnostics
import TestSupport
import Testing

struct TextRendererTests {
  private func source(_ text: String) -> SourceText { SourceText(name: "x.json", text: text) }

  private func render(_ diagnostic: Diagnostic, _ text: String, width: Int = 120) -> String {
    TextRenderer(source: source(text), width: width).render(diagnostic)
  }

  /// The range of the given occurrence of a part, from 0.
  private func range(of part: String, in text: String, occurrence: Int = 0) -> SourceRange {
    let text = Array(text.utf8)
    let part = Array(part.utf8)
    let starts = text.indices.filter { text[$0...].starts(with: part) }
    return starts[occurrence]..<(starts[occurrence] + part.count)
  }

  @Test func `a diagnostic is a sentence, a place, a line and a caret`() {
    let text = """
      {
        "schemaVersion": 2
      }
      """
    let diagnostic = Rule.test("PR0104").diagnostic(
      "schema version 2 is not known", at: range(of: "2", in: text),
      pointer: "/schemaVersion", label: "only 1 is", help: ["write 1"])
    #expect(
      render(diagnostic, text) == """
        error[PR0104]: schema version 2 is not known
         --> x.json:2:20  /schemaVersion
          |
        2 |   "schemaVersion": 2
          |                    ^ only 1 is
          |
          = help: write 1

        """)
  }

  @Test func `second labels are merged in the order of the lines, what lies between is elided`() {
    let text = """
      {
        "nodes": {
        },
        "connections": [
          { "from": "guitar", "to": "mixer:0" },
          { "from": "beats", "to": "mixer:1" },

          { "from": "a", "to": "b" },
          { "from": "c", "to": "d" },
          { "from": "eq", "to": "mixer:1" }
        ]
      }
      """
    let diagnostic = Rule.test("PR0402").diagnostic(
      "'mixer:1' is fed twice", status: .invalidConnection,
      at: range(of: "\"mixer:1\"", in: text, occurrence: 1),
      pointer: "/connections/4/to", label: "this input is already fed",
      notes: [
        .init("first fed here", at: range(of: "\"mixer:1\"", in: text)),
        .init("the mixer", at: range(of: "\"nodes\"", in: text)),
      ],
      help: ["remove one of the two", "or give 'eq' another input"])
    #expect(
      render(diagnostic, text) == """
        error[PR0402]: 'mixer:1' is fed twice
          --> x.json:10:27  /connections/4/to
           |
         2 |   "nodes": {
           |   ------- the mixer
        ...
         6 |     { "from": "beats", "to": "mixer:1" },
           |                              --------- first fed here
        ...
        10 |     { "from": "eq", "to": "mixer:1" }
           |                           ^^^^^^^^^ this input is already fed
           |
           = status: kAUGraphErr_InvalidConnection (-10861)
           = help: remove one of the two
           = help: or give 'eq' another input

        """)
  }

  @Test func `a single line between two labels is shown`() {
    let text = "one\ntwo\nthree\n"
    let diagnostic = Rule.test("PR0001", .warning).diagnostic(
      "said twice", at: 8..<13, notes: [.init("here first", at: 0..<3)])
    #expect(
      render(diagnostic, text) == """
        warning[PR0001]: said twice
         --> x.json:3:1
          |
        1 | one
          | --- here first
        2 | two
        3 | three
          | ^^^^^

        """)
  }

  @Test func `labels on one line hang below their carets, rightmost first`() {
    let text = #"{ "from": "beats", "to": "mixer:1" }"#
    let diagnostic = Rule.test("PR0001").diagnostic(
      "these do not fit", at: range(of: "\"mixer:1\"", in: text),
      label: "takes 2 ch",
      notes: [
        .init("puts out 1 ch", at: range(of: "\"beats\"", in: text)),
        .init("of this connection", at: range(of: "{", in: text)),
      ])
    #expect(
      render(diagnostic, text) == """
        error[PR0001]: these do not fit
         --> x.json:1:26
          |
        1 | { "from": "beats", "to": "mixer:1" }
          | -         -------        ^^^^^^^^^ takes 2 ch
          | |         |
          | |         puts out 1 ch
          | of this connection

        """)
  }

  @Test func `a label around another leaves both readable`() {
    let text = "[[1, 2]]"
    let diagnostic = Rule.test("PR0001").diagnostic(
      "nested", at: 2..<3, label: "this", notes: [.init("in this", at: 1..<7)])
    #expect(
      render(diagnostic, text) == """
        error[PR0001]: nested
         --> x.json:1:3
          |
        1 | [[1, 2]]
          |  -^----
          |  ||
          |  |this
          |  in this

        """)
  }

  @Test func `a range over several lines is marked where it begins and where it ends`() {
    let text = "{\n  \"a\": {\n    \"b\": 1,\n    \"c\": 2\n  }\n}"
    let start = range(of: "{\n    \"b\"", in: text).lowerBound
    let end = range(of: "  }", in: text).upperBound
    let diagnostic = Rule.test("PR0001").diagnostic("wrong", at: start..<end, label: "all this")
    #expect(
      render(diagnostic, text) == """
        error[PR0001]: wrong
         --> x.json:2:8
          |
        2 |   "a": {
          |        ^
        ...
        5 |   }
          |   ^ all this

        """)
  }

  @Test func `the caret stands under its text behind tabs, wide and combining characters`() {
    let text = "\t\"吉他 e\u{301} 🎸\": oops"
    let diagnostic = Rule.test("PR0001").diagnostic("wrong", at: range(of: "oops", in: text))
    // The column counts scalars: tab, quote, 2, blank, 2, blank, 1, quote, colon, blank.
    #expect(
      render(diagnostic, text) == """
        error[PR0001]: wrong
         --> x.json:1:13
          |
        1 |     "吉他 e\u{301} 🎸": oops
          |                  ^^^^

        """)
  }

  @Test func `the end of the text, of a line and an empty text have a caret`() {
    #expect(
      render(Rule.test("PR0001").diagnostic("no end", at: 3..<3), "[1,") == """
        error[PR0001]: no end
         --> x.json:1:4
          |
        1 | [1,
          |    ^

        """)
    #expect(
      render(Rule.test("PR0001").diagnostic("empty", at: 0..<0), "") == """
        error[PR0001]: empty
         --> x.json:1:1
          |
        1 |
          | ^

        """)
    #expect(
      render(Rule.test("PR0001").diagnostic("line end", at: 1..<3), "[\r\n]") == """
        error[PR0001]: line end
         --> x.json:1:2
          |
        1 | [
          |  ^

        """)
  }

  @Test func `only the surroundings of the caret are printed of a long line`() {
    let text = String(repeating: "1234567890", count: 100_000)
    let diagnostic = Rule.test("PR0001").diagnostic("wrong", at: 500_000..<500_003, label: "here")
    #expect(
      render(diagnostic, text, width: 50) == """
        error[PR0001]: wrong
         --> x.json:1:500001
          |
        1 | ...0123456789012345678901234567890123456789...
          |               ^^^ here

        """)
    let all = Rule.test("PR0001").diagnostic("wrong", at: 0..<1_000_000, label: "all")
    #expect(
      render(all, text, width: 50) == """
        error[PR0001]: wrong
         --> x.json:1:1
          |
        1 | 1234567890123456789012345678901234567890123...
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ all

        """)
    let end = Rule.test("PR0001").diagnostic("wrong", at: 1_000_000..<1_000_000, label: "end")
    #expect(
      render(end, text, width: 50) == """
        error[PR0001]: wrong
         --> x.json:1:1000001
          |
        1 | ...01234567890
          |               ^ end

        """)
  }

  @Test func `labels far apart on one long line get a view each`() {
    let text = String(repeating: "1234567890", count: 1000)
    let diagnostic = Rule.test("PR0001").diagnostic(
      "twice", at: 9_000..<9_001, label: "again",
      notes: [.init("first", at: 0..<1), .init("near", at: 10..<11)])
    #expect(
      render(diagnostic, text, width: 50) == """
        error[PR0001]: twice
         --> x.json:1:9001
          |
        1 | 1234567890123456789012345678901234567890123...
          | -         - near
          | |
          | first
        1 | ...0123456789012345678901234567890123456789...
          |               ^ again

        """)
  }

  @Test(arguments: ["\u{301}", "\u{200D}", "吉", "\t", "🎸"])
  func `no character makes a long line print whole`(character: String) {
    let text = String(repeating: character, count: 100_000)
    let diagnostic = Rule.test("PR0001").diagnostic("wrong", at: 100_000..<100_001)
    #expect(render(diagnostic, text).utf8.count < 8_000)
  }

  @Test func `what would control the terminal is made visible`() {
    let text = "\"\u{1B}[31m\u{202E}\u{7}\" oops"
    let diagnostic = Rule.test("PR0001").diagnostic(
      "'\u{1B}[2J' is wrong", at: range(of: "oops", in: text),
      pointer: "/\u{1B}", help: ["not \u{8}this"])
    let rendered = render(diagnostic, text)
    #expect(!rendered.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(!rendered.unicodeScalars.contains("\u{202E}"))
    #expect(rendered.contains("1 | \"\u{FFFD}[31m\u{FFFD}\u{FFFD}\" oops\n  |           ^^^^\n"))
    #expect(rendered.contains("'\\u{1B}[2J' is wrong"))
  }

  @Test func `bytes that are not UTF-8 are shown as such`() {
    let bytes: [UInt8] = [0x22, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80, 0x22, 0xF0, 0x9F]
    let source = SourceText(name: "x.json", bytes: bytes)
    for start in 0...bytes.count {
      for end in start...bytes.count {
        let diagnostic = Rule.test("PR0001").diagnostic("wrong", at: start..<end)
        #expect(TextRenderer(source: source).render(diagnostic).contains("\"\u{FFFD}\u{FFFD}("))
      }
    }
  }

  @Test func `colour is red for an error and blue for the gutter, on request`() {
    let diagnostic = Rule.test("PR0001").diagnostic("wrong", at: 0..<1, label: "x", help: ["do"])
    let rendered = TextRenderer(source: source("a"), color: true).render(diagnostic)
    #expect(
      rendered
        == "\u{1B}[1;31merror[PR0001]\u{1B}[0m\u{1B}[1m: wrong\u{1B}[0m\n"
        + " \u{1B}[1;34m--> \u{1B}[0mx.json:1:1\n"
        + "\u{1B}[1;34m  |\u{1B}[0m\n"
        + "\u{1B}[1;34m1 | \u{1B}[0ma\n"
        + "\u{1B}[1;34m  | \u{1B}[0m\u{1B}[1;31m^\u{1B}[0m\u{1B}[1;31m x\u{1B}[0m\n"
        + "\u{1B}[1;34m  |\u{1B}[0m\n"
        + "  \u{1B}[1;34m= \u{1B}[0m\u{1B}[1mhelp\u{1B}[0m: do\n")
    let warning = Rule.test("PR0001", .warning).diagnostic("wrong", at: 0..<1)
    #expect(
      TextRenderer(source: source("a"), color: true).render(warning).hasPrefix("\u{1B}[1;33m"))
  }

  @Test func `a summary counts errors and warnings`() {
    let renderer = TextRenderer(source: source(""))
    let error = Rule.test("PR0001").diagnostic("e", at: 0..<0)
    let warning = Rule.test("PR0001", .warning).diagnostic("w", at: 0..<0)
    let note = Rule.test("PR0001", .note).diagnostic("n", at: 0..<0)
    #expect(renderer.summary(of: [error, warning, error]) == "2 errors, 1 warning in x.json")
    #expect(renderer.summary(of: [warning, warning, note]) == "2 warnings in x.json")
    #expect(renderer.summary(of: []) == "no errors in x.json")
  }

  @Test func `a range in a spliced part is shown in the text it was written in`() {
    let document = source("{\n  \"volume\": 1\n}")
    let option = SourceText(name: "--set", text: "/volume=loud")
    let spliced = document.replacing(14..<15, with: 8..<12, of: option)
    let loud = spliced.bytes.count - 6..<spliced.bytes.count - 2
    #expect(spliced[loud] == "loud")
    let diagnostic = Rule.test("PR0001").diagnostic(
      "not a number", at: loud, label: "this",
      notes: [.init("of this", at: 4..<12)])
    #expect(
      TextRenderer(source: spliced).render(diagnostic) == """
        error[PR0001]: not a number
         --> --set:1:9
          |
        1 | /volume=loud
          |         ^^^^ this
         ::: x.json:2:3
          |
        2 |   "volume": 1
          |   -------- of this

        """)
  }
}
