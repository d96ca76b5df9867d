import AudioTypes
import Diagnostics
import TestSupport
import Testing

struct DiagnosticTests {
  private let rule = Rule.test("PR0402", statuses: [.invalidConnection])

  @Test func `a rule's diagnostic carries its code, severity and status`() {
    let diagnostic = rule.diagnostic("'mixer:1' is fed twice", at: 3..<5, pointer: "/connections/1")
    #expect(diagnostic.code == "PR0402")
    #expect(diagnostic.severity == .error)
    #expect(diagnostic.status?.description == "kAUGraphErr_InvalidConnection (-10861)")
    #expect(diagnostic.message.text == "'mixer:1' is fed twice")
    #expect(diagnostic.pointer == "/connections/1")
    let lenient = Rule.test("PR0402", .warning, statuses: [.invalidConnection])
    #expect(lenient.diagnostic("x", at: 0..<0).severity == .warning)
    #expect(lenient.diagnostic("x", status: .ok, at: 0..<0).status == nil)
    #expect(lenient.diagnostic("x", status: .noConnection, at: 0..<0).status == .noConnection)
  }

  @Test func `diagnostics are put in the order of the text, and stay in order at one place`() {
    let all = [(5, "a"), (1, "b"), (5, "c"), (0, "d"), (1, "e")].map { place, text in
      Rule.test("PR0001", .warning).diagnostic(Diagnostic.Message(text), at: place..<(place + 1))
    }
    #expect(all.inDocumentOrder().map(\.message.text) == ["d", "b", "e", "a", "c"])
  }

  @Test func `only errors are errors`() {
    let warning = Rule.test("PR0001", .warning).diagnostic("w", at: 0..<0)
    let note = Rule.test("PR0001", .note).diagnostic("n", at: 0..<0)
    #expect(![warning, note].hasErrors)
    #expect([warning, Rule.test("PR0001").diagnostic("e", at: 0..<0)].hasErrors)
  }
}
