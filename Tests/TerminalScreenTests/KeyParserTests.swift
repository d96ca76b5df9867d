import TerminalScreen
import Testing

@Suite struct KeyParserTests {
  /// The keys in some bytes, with the pending ones at the end.
  private func keys(_ text: String) -> [KeyPress] {
    var parser = KeyParser()
    return parser.read(text.utf8) + parser.flush()
  }

  @Test func `characters, control characters and UTF-8 are keys`() {
    #expect(
      keys("a/?é漢") == "a/?é漢".map { KeyPress(.character($0)) })
    #expect(
      keys("\r\t\u{7F}\u{03}\u{1A}") == [
        KeyPress(.enter), KeyPress(.tab), KeyPress(.backspace),
        KeyPress(.character("c"), .control), KeyPress(.character("z"), .control),
      ])
  }

  @Test(arguments: [
    ("\u{1B}[A", KeyPress(.up)), ("\u{1B}OB", KeyPress(.down)), ("\u{1B}[C", KeyPress(.right)),
    ("\u{1B}[1;2C", KeyPress(.right, .shift)), ("\u{1B}[1;5D", KeyPress(.left, .control)),
    ("\u{1B}[1;3D", KeyPress(.left, .alt)), ("\u{1B}[d", KeyPress(.left, .shift)),
    ("\u{1B}[H", KeyPress(.home)), ("\u{1B}OF", KeyPress(.end)), ("\u{1B}[1~", KeyPress(.home)),
    ("\u{1B}[4~", KeyPress(.end)), ("\u{1B}[3~", KeyPress(.delete)),
    ("\u{1B}[5~", KeyPress(.pageUp)), ("\u{1B}[6;2~", KeyPress(.pageDown, .shift)),
    ("\u{1B}[6$", KeyPress(.pageDown, .shift)), ("\u{1B}[6^", KeyPress(.pageDown, .control)),
    ("\u{1B}[Z", KeyPress(.tab, .shift)), ("\u{1B}OP", KeyPress(.function(1))),
    ("\u{1B}[[A", KeyPress(.function(1))), ("\u{1B}[15~", KeyPress(.function(5))),
    ("\u{1B}[24~", KeyPress(.function(12))), ("\u{1B}x", KeyPress(.character("x"), .alt)),
    ("\u{1B}", KeyPress(.escape)),
  ])
  func `a sequence is one key, however it is cut`(text: String, key: KeyPress) {
    #expect(keys(text) == [key])
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      var parser = KeyParser()
      let found = parser.read(bytes[..<cut]) + parser.read(bytes[cut...])
      #expect(found + parser.flush() == [key])
      #expect(parser.timeout == nil)
    }
  }

  @Test func `UTF-8 may come in pieces, and what is none is left out`() {
    var parser = KeyParser()
    #expect(parser.read([0xE6, 0xBC]).isEmpty)
    #expect(parser.timeout != nil)
    #expect(parser.read([0xA2]) == [KeyPress(.character("漢"))])
    #expect(parser.read([0xE6, 0x41]) == [KeyPress(.character("A"))])
    #expect(parser.read([0xFF, 0xC0, 0x80, 0x42]) == [KeyPress(.character("B"))])
  }

  @Test func `a sequence that is not known is left out, and the next key is read`() {
    #expect(keys("\u{1B}[99zq") == [KeyPress(.character("q"))])
    #expect(keys("\u{1B}[?1;2cq") == [KeyPress(.character("q"))])
    #expect(keys("\u{1B}[5\u{1B}[A") == [KeyPress(.up)])
    #expect(keys("\u{1B}[" + String(repeating: "1", count: 100)).count < 40)
  }

  @Test func `what is pasted is one key, and nothing in it is a command`() {
    #expect(
      keys("\u{1B}[200~q\u{1B}[A\r-6\u{1B}[201~q").map(\.key) == [
        .paste("q\u{1B}[A\r-6"), .character("q"),
      ])
    // A paste without an end is also one key.
    var parser = KeyParser()
    #expect(parser.read("\u{1B}[200~quit".utf8).isEmpty)
    #expect(parser.flush() == [KeyPress(.paste("quit"))])
    #expect(parser.read("q".utf8) == [KeyPress(.character("q"))])
  }

  @Test func `of a paste that is very long the beginning is kept`() throws {
    let text = String(repeating: "x", count: 200_000)
    let found = keys("\u{1B}[200~\(text)\u{1B}[201~y")
    guard case .paste(let kept) = found.first?.key else {
      Issue.record("no paste")
      return
    }
    #expect(kept.count == 65_536 && kept.allSatisfy { $0 == "x" })
    #expect(found.last == KeyPress(.character("y")))
  }

  @Test func `bytes at random neither stop it nor stay`() {
    var state: UInt64 = 7
    var parser = KeyParser()
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      _ = parser.read([UInt8(truncatingIfNeeded: state >> 33)])
    }
    _ = parser.flush()
    #expect(parser.timeout == nil)
    #expect(parser.read("q".utf8) == [KeyPress(.character("q"))])
  }
}
