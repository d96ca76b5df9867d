import Diagnostics
import Testing

@Suite struct TerminalTextTests {
  @Test func `every control character is shown, and no text is lost`() {
    for value: UInt32 in Array(0...0x1F) + Array(0x7F...0x9F) {
      guard let scalar = Unicode.Scalar(value), value != 0x0A, value != 0x09 else { continue }
      let safe = TerminalText.safe("a\(scalar)b")
      #expect(safe.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(value)")
      #expect(safe.hasPrefix("a\\") && safe.hasSuffix("b"), "\(value)")
      let json = TerminalText.safe("a\(scalar)b", escape: .json)
      let digits = String(value, radix: 16)
      #expect(json == "a\\u" + String(repeating: "0", count: 4 - digits.count) + digits + "b")
    }
    #expect(TerminalText.safe("\u{202E}\u{E0041}", escape: .json) == "\\u202e\\udb40\\udc41")
    #expect(TerminalText.safe("a\n\tb\r\nc\rd") == "a\n\tb\r\nc\\rd")
    #expect(TerminalText.safe("Größe 漢字 👩‍🎤 é") == "Größe 漢字 👩‍🎤 é")
  }

  @Test func `of what terminals are told only looks get through`() {
    for look in ["\u{1B}[0m", "\u{1B}[1;31m", "\u{1B}[0;1;2;7;97;107m"] {
      #expect(TerminalText.safe("\(look)x") == "\(look)x")
    }
    for command in [
      "\u{1B}[8m", "\u{1B}[5m", "\u{1B}[2J", "\u{1B}[m", "\u{1B}]0;x\u{7}", "\u{1B}[1;8m",
      "\u{1B}[31",
      "\u{1B}c", "\u{1B}[1;1H", "\u{1B}[38;2;0;0;0m", "\u{1B}P", "\u{1B}", "\u{9B}31m",
      "\u{1B}[+1m",
    ] {
      let safe = TerminalText.safe("\(command)x")
      #expect(safe.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(safe)")
    }
  }

  @Test func `lines are kept, and what is in one stays in it`() {
    #expect(printableLines("a\u{1B}b\nc\u{9B}") == "a\\u{1B}b\nc\\u{009B}")
    #expect(printable("a\nb") == "a\\nb")
  }
}
