import Diagnostics
import Testing

struct SourceTextTests {
  @Test func `lines end at LF, CRLF and CR, and count from 1`() {
    let source = SourceText(name: "x", text: "a\nb\r\nc\rd\n")
    #expect(source.lineCount == 5)
    #expect((1...5).map { source[source.range(ofLine: $0)] } == ["a", "b", "c", "d", ""])
    #expect(source.position(of: 0) == SourcePosition(line: 1, column: 1))
    #expect(source.position(of: 1) == SourcePosition(line: 1, column: 2))
    #expect(source.position(of: 2) == SourcePosition(line: 2, column: 1))
    #expect(source.position(of: 4) == SourcePosition(line: 2, column: 3))
    #expect(source.position(of: 5) == SourcePosition(line: 3, column: 1))
    #expect(source.position(of: 9) == SourcePosition(line: 5, column: 1))
    #expect(source.position(of: 99) == SourcePosition(line: 5, column: 1))
  }

  @Test func `an empty text has one empty line`() {
    let source = SourceText(name: "x", text: "")
    #expect(source.lineCount == 1)
    #expect(source.position(of: 0) == SourcePosition(line: 1, column: 1))
    #expect(source.range(ofLine: 1) == 0..<0)
  }

  @Test func `columns count Unicode scalars`() {
    let source = SourceText(name: "x", text: "é🎸x")
    #expect(source.position(of: 2).column == 2)
    #expect(source.position(of: 6).column == 3)
  }

  @Test func `positions on a long line agree with counting from its start`() {
    let line = String(repeating: "aé吉🎸", count: 3_000)
    let source = SourceText(name: "x", text: "first\n" + line + "\nlast")
    var column = 1
    var offset = 6
    for scalar in line.unicodeScalars {
      #expect(source.position(of: offset) == SourcePosition(line: 2, column: column))
      offset += String(scalar).utf8.count
      column += 1
    }
    #expect(source.position(of: offset + 1) == SourcePosition(line: 3, column: 1))
  }

  @Test func `a spliced text knows where its parts were written`() {
    let document = SourceText(name: "x.json", text: "0123456789")
    let first = SourceText(name: "--set", text: "/a=XYZ")
    let second = SourceText(name: "--set", text: "/b=UV")
    let once = document.replacing(2..<4, with: 3..<6, of: first)
    #expect(once[0..<99] == "01XYZ456789")
    let twice = once.replacing(7..<9, prefix: ",", with: 3..<5, of: second)
    #expect(twice[0..<99] == "01XYZ45,UV89")

    func origin(_ range: SourceRange) -> String {
      let (text, range) = twice.origin(of: range)
      return "\(text[0..<3]) \(range)"
    }
    #expect(origin(0..<2) == "012 0..<2")
    #expect(origin(2..<5) == "/a= 3..<6")
    #expect(origin(3..<4) == "/a= 4..<5")
    #expect(origin(5..<7) == "012 4..<6")
    #expect(origin(8..<10) == "/b= 3..<5")
    #expect(origin(10..<12) == "012 8..<10")
    #expect(origin(12..<12) == "012 10..<10")
    #expect(origin(0..<12) == "012 0..<10")
    #expect(origin(3..<12) == "/a= 4..<6")
    #expect(origin(6..<9) == "012 5..<6")
  }

  @Test func `replacing a part of a replacement keeps every place`() {
    let document = SourceText(name: "x.json", text: "abc")
    let first = SourceText(name: "one", text: "/=12345")
    let second = SourceText(name: "two", text: "/=Z")
    let text = document.replacing(1..<2, with: 2..<7, of: first)
      .replacing(3..<4, with: 2..<3, of: second)
    #expect(text[0..<99] == "a12Z45c")
    #expect(text.origin(of: 2..<3).range == 3..<4)
    #expect(text.origin(of: 3..<4).text.name == "two")
    #expect(text.origin(of: 4..<6).range == 5..<7)
    #expect(text.origin(of: 6..<7).text.name == "x.json")
  }
}
