import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import TestSupport
import Testing

@testable import Reports

/// Random texts and paths that each format has to escape.
struct EscapingTests {
  static let pieces: [String] = [
    "\"", "'", "\\", "<", ">", "&", "]]>", "&amp;", "%", "%0A", "%25", ":", "::", ",", "=", "|",
    "`", "*", "[a](b)", "<!--", "##[error]", "::error::", "\n", "\r", "\r\n", "\t", "\u{0}",
    "\u{1}",
    "\u{8}", "\u{B}", "\u{1B}[31m", "\u{7F}", "\u{85}", "\u{A0}", "\u{2028}", "\u{202E}",
    "\u{FEFF}",
    "\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "\u{1FFFF}", "é", "e\u{301}", "漢字", "🎸", "👩‍🎤", "a", "b ",
    "/",
    "{0}", "${{ x }}", "$(x)", " ",
  ]

  static func text(_ random: inout SplitMix64) -> String {
    (0..<Int.random(in: 1...12, using: &random))
      .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }

  /// A report of random texts, and the text that its one fix produces.
  static func report(_ seed: UInt64) -> (report: Report, fixed: String) {
    var random = SplitMix64(seed: seed)
    let path = text(&random)
    // One kind of line end: other programs count the lines of a suggestion.
    let content = (0..<4).map { _ in text(&random).replacing(/\r\n|\r/, with: "") }
      .joined(separator: "\n")
    let scalars = Array(content.unicodeScalars)
    let cuts = (0..<4).map { _ in Int.random(in: 0...scalars.count, using: &random) }.sorted()
    func offset(_ cut: Int) -> Int { scalars[..<cut].reduce(0) { $0 + UTF8.width($1) } }
    func part(_ range: Range<Int>) -> String {
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars[range])
      return text
    }
    let first = offset(cuts[0])..<offset(cuts[1])
    let second = offset(cuts[2])..<offset(cuts[3])
    let replacements = [text(&random), text(&random)]
    // Of two insertions at one place, the first in the list comes first. Otherwise the order does
    // not matter.
    let edits = [Diagnostic.Edit(first, replacements[0]), .init(second, replacements[1])]
    let diagnostic = Rule.test("PR0551", Severity.allCases.randomElement(using: &random) ?? .error)
      .diagnostic(
        .init(text(&random)), status: .invalidParameter, at: first, pointer: "/" + text(&random),
        label: .init(text(&random)),
        notes: [.init(.init(text(&random)), at: second)], help: [text(&random)],
        fixes: [.init(text(&random), edits: first == second ? edits : edits.reversed())])
    let patch = CheckedPatch(
      path: path, source: SourceText(name: path, text: content), diagnostics: [diagnostic])
    let unreadable = UnreadablePath(path: text(&random), message: text(&random))
    let fixed =
      part(0..<cuts[0]) + replacements[0] + part(cuts[1]..<cuts[2]) + replacements[1]
      + part(cuts[3]..<scalars.count)
    return (
      Report(
        [.patch(patch), .unreadable(unreadable)], version: "1.2.3", rules: RuleCatalog.all), fixed
    )
  }

  static let seeds = (0..<200).map { UInt64($0) }

  private static func object(_ text: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  /// A value at a path of keys and indices.
  private static func value(_ root: Any, _ path: Any...) -> Any? {
    path.reduce(root as Any?) { value, step in
      switch step {
      case let key as String: (value as? [String: Any])?[key]
      case let index as Int:
        (value as? [Any]).flatMap { $0.indices.contains(index) ? $0[index] : nil }
      default: nil
      }
    }
  }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test(arguments: seeds)
  func `JSON of every kind is read as it was meant`(seed: UInt64) throws {
    let (report, fixed) = Self.report(seed)
    let patch = try #require(report.patches.first)
    let diagnostic = try #require(patch.diagnostics.first)
    let json = try Self.object(report.json())
    let found = try #require(Self.value(json, "patches", 0))
    #expect((Self.value(found, "path") as? String).map(Self.bytes) == Self.bytes(patch.path))
    let message = Self.value(found, "diagnostics", 0, "message") as? String
    #expect(message.map(Self.bytes) == Self.bytes(diagnostic.message.text))

    let gitlab = try Self.object(report.gitlab())
    let path = Self.value(gitlab, 0, "location", "path") as? String
    #expect(path.map(Self.bytes) == Self.bytes(patch.path))

    // A suggestion of reviewdog has lines, and columns in bytes.
    let suggestion = try #require(
      Self.value(try Self.object(report.rdjson()), "diagnostics", 0, "suggestions", 0))
    var lines = patch.source.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map(Array.init)
    func offset(_ end: String) throws -> Int {
      let line = try #require(Self.value(suggestion, "range", end, "line") as? Int)
      let column = try #require(Self.value(suggestion, "range", end, "column") as? Int)
      return lines[..<(line - 1)].reduce(0) { $0 + $1.count + 1 } + column - 1
    }
    let range = try offset("start")..<offset("end")
    let text = try #require(Self.value(suggestion, "text") as? String)
    var whole = patch.source.bytes
    whole.replaceSubrange(range, with: text.utf8)
    #expect(whole == Self.bytes(fixed))

    // A fix in SARIF has columns in scalars. Applied from the end, so that positions stay valid.
    let sarif = try Self.object(report.sarif())
    let uri = Self.value(
      sarif, "runs", 0, "results", 0, "locations", 0, "physicalLocation", "artifactLocation", "uri")
    let decoded = try #require((uri as? String)?.removingPercentEncoding)
    let prefix = patch.path.hasPrefix("/") ? "file://" : ""
    #expect(Self.bytes(decoded) == Self.bytes(prefix + patch.path))
    let replacements = try #require(
      Self.value(
        sarif, "runs", 0, "results", 0, "fixes", 0, "artifactChanges", 0, "replacements") as? [Any])
    lines = lines.map(\.self)
    func scalarOffset(_ region: Any, _ end: String) throws -> Int {
      let line = try #require(Self.value(region, "\(end)Line") as? Int)
      let column = try #require(Self.value(region, "\(end)Column") as? Int)
      let before = String(decoding: lines[line - 1], as: UTF8.self).unicodeScalars.prefix(
        column - 1)
      return lines[..<(line - 1)].reduce(0) { $0 + $1.count + 1 }
        + before.reduce(0) { $0 + UTF8.width($1) }
    }
    whole = patch.source.bytes
    for replacement in replacements.reversed() {
      let region = try #require(Self.value(replacement, "deletedRegion"))
      let inserted = Self.value(replacement, "insertedContent", "text") as? String ?? ""
      whole.replaceSubrange(
        try scalarOffset(region, "start")..<scalarOffset(region, "end"), with: inserted.utf8)
    }
    #expect(whole == Self.bytes(fixed))
  }

  @Test(arguments: seeds)
  func `a workflow command stays on its line and says what was meant`(seed: UInt64) throws {
    let report = Self.report(seed).report
    let patch = try #require(report.patches.first)
    let lines = report.github().utf8.split { $0 == 0x0A || $0 == 0x0D }.map { String($0) ?? "" }
    #expect(lines.count == 3)
    let command = try #require(lines.first { $0.contains(",title=PR0551") })
    // Parsed like the workflow runner does.
    let parts = command.dropFirst(2).split(separator: "::", maxSplits: 1)
    #expect(parts.count == 2)
    let head = try #require(parts.first?.split(separator: " ", maxSplits: 1).last)
    let properties = head.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
    let file = try #require(properties.first { $0[0] == "file" })
    let read = file[1].replacing("%2C", with: ",").replacing("%3A", with: ":")
      .replacing("%0A", with: "\n").replacing("%0D", with: "\r").replacing("%25", with: "%")
    #expect(Self.bytes(String(read)) == Self.bytes(patch.path))
    let rows = report.githubSummary().utf8.split { $0 == 0x0A || $0 == 0x0D }.suffix(2)
    #expect(rows.allSatisfy { $0.count { $0 == UInt8(ascii: "|") } == 5 })
  }

  @Test(.enabled(if: ReportOracle.readsXML, "xmllint is not there"))
  func `XML is well-formed, whatever is in it`() throws {
    let documents = Self.seeds.map { Self.report($0).report.junit() }
    // All documents in one, to save time: their roots in a new root.
    let whole = documents.map { $0.drop { $0 != "\n" } }.joined()
    #expect(try ReportOracle.xmlMistakes(["<all>\(whole)</all>"]) == [])
  }

  @Test(.enabled(if: ReportOracle.checksSARIF && ReportOracle.checksJUnit, "no schemas"))
  func `the public schemas take it, whatever is in it`() throws {
    let reports = Self.seeds.prefix(8).map { Self.report($0).report }
    #expect(try ReportOracle.sarifMistakes(reports.map { $0.sarif() }) == [])
    #expect(try ReportOracle.junitMistakes(reports.map { $0.junit() }) == [])
  }

  @Test func `an attribute keeps what XML can hold, and the rest is U+FFFD`() {
    #expect(
      xmlAttribute("a\"<&>\n\t\r\u{1}\u{FFFE}é🎸")
        == "a&quot;&lt;&amp;&gt;&#10;&#9;&#13;\u{FFFD}\u{FFFD}é🎸")
  }
}
