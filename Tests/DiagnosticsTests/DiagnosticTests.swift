import Diagnostics
import Testing

struct DiagnosticTests {
  private let rule = RuleInfo(
    "PR0402", "connection/fed-twice", "an input is fed once",
    status: Diagnostic.Status("kAUGraphErr_InvalidConnection", -10861))

  @Test func `a rule's diagnostic carries its code, severity and status`() {
    let diagnostic = rule.diagnostic("'mixer:1' is fed twice", at: 3..<5, pointer: "/connections/1")
    #expect(diagnostic.code == "PR0402")
    #expect(diagnostic.severity == .error)
    #expect(diagnostic.status?.description == "kAUGraphErr_InvalidConnection (-10861)")
    #expect(diagnostic.message.text == "'mixer:1' is fed twice")
    #expect(diagnostic.pointer == "/connections/1")
    var lenient = rule
    lenient.severity = .warning
    #expect(lenient.diagnostic("x", at: 0..<0).severity == .warning)
  }

  @Test func `diagnostics are put in the order of the text, and stay in order at one place`() {
    let all = [(5, "a"), (1, "b"), (5, "c"), (0, "d"), (1, "e")].map { place, text in
      Diagnostic(.warning, "PR0001", Diagnostic.Message(text), at: place..<(place + 1))
    }
    #expect(all.inDocumentOrder().map(\.message.text) == ["d", "b", "e", "a", "c"])
  }

  @Test func `only errors are errors`() {
    let warning = Diagnostic(.warning, "PR0001", "w", at: 0..<0)
    let note = Diagnostic(.note, "PR0001", "n", at: 0..<0)
    #expect(![warning, note].hasErrors)
    #expect([warning, Diagnostic(.error, "PR0001", "e", at: 0..<0)].hasErrors)
  }
}
