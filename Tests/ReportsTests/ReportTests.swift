import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import PatchSyntax
import TestSupport
import Testing

@testable import Reports

/// The same findings in each report format, compared with the expected text.
///
/// `PATCHRUN_REPRINT=1 swift test --filter ReportTests` rewrites the expected texts. Read the
/// differences before you commit them.
struct ReportTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  struct Shape: Sendable {
    var name: String
    var print: @Sendable (Report) -> String
  }

  static let shapes =
    ReportCatalog.all.map { Shape(name: $0.name, print: $0.text) }
    + [Shape(name: "github.md", print: { $0.githubSummary() })]

  /// Two patches, and a third that does not exist.
  static func report() throws -> Report {
    var report = Report(ignoredCount: 1, version: "1.2.3", rules: RuleCatalog.all)
    for name in ["broken.json", "right.json"] {
      let bytes = try Data(contentsOf: folder.appending(path: name))
      let patch = check(Array(bytes), name)
      report.entries.append(.patch(patch))
    }
    report.entries.append(
      .unreadable(UnreadablePath(path: "gone.json", message: "there is no file 'gone.json'")))
    return report
  }

  static func check(_ bytes: [UInt8], _ name: String, overrides: [String] = []) -> CheckedPatch {
    let patch = PatchBuilder.build(
      PatchReader.read(bytes: bytes, name: name, overrides: overrides), directory: "",
      device: .assumed(HardwareAssumption()))
    return CheckedPatch(path: name, source: patch.source, diagnostics: patch.diagnostics)
  }

  @Test(arguments: shapes.indices)
  func `a report has the text expected`(index: Int) throws {
    let shape = Self.shapes[index]
    // The catalogue of rules has its own tests, so only the broken rules are listed.
    var report = try Self.report()
    let broken = Set(report.findings.map(\.diagnostic.code))
    report.rules.removeAll { !broken.contains($0.code) }
    let found = shape.print(report)
    let file = Self.folder.appending(path: "report.\(shape.name)")
    if ProcessInfo.processInfo.environment["PATCHRUN_REPRINT"] != nil {
      try found.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(found == (try String(contentsOf: file, encoding: .utf8)))
  }

  /// An error in the file of a sub-graph.
  static func subgraphReport() throws -> Report {
    let directory = folder.appending(path: "Subgraphs").path
    let bytes = try Data(contentsOf: folder.appending(path: "Subgraphs/patch.json"))
    let patch = PatchBuilder.build(
      PatchReader.read(bytes: Array(bytes), name: "patch.json"), directory: directory,
      device: .assumed(HardwareAssumption()))
    var report = Report(version: "1.2.3", rules: RuleCatalog.all)
    report.entries.append(
      .patch(
        CheckedPatch(
          path: "patches/patch.json", source: patch.source, diagnostics: patch.diagnostics,
          subgraphPaths: Dictionary(
            uniqueKeysWithValues: patch.subgraphFiles.map { ($0.name, "patches/parts/part.json") }))
      ))
    return report
  }

  @Test func `what is found in a sub-graph is a finding of its file, in every shape`() throws {
    let report = try Self.subgraphReport()
    let place = "patches/parts/part.json"
    #expect(report.concise().hasPrefix("\(place):6:49: error[PR0203]"))
    #expect(report.github().contains("::error file=\(place),line=6,endLine=6,col=49,"))
    #expect(report.githubSummary().contains("part.json:6:49"))
    #expect(report.gitlab().contains("\"path\": \"\(place)\""))
    #expect(report.rdjson().contains("\"path\": \"\(place)\""))
    #expect(report.junit().contains(" at \(place):6:49"))
    let json = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any]
    let patches = try #require(json?["patches"] as? [[String: Any]])
    let diagnostics = try #require(patches[0]["diagnostics"] as? [[String: Any]])
    #expect((diagnostics[0]["location"] as? [String: Any])?["path"] as? String == place)
    let sarif = try JSONSerialization.jsonObject(with: Data(report.sarif().utf8)) as? [String: Any]
    let run = try #require((sarif?["runs"] as? [[String: Any]])?.first)
    let artifacts = try #require(run["artifacts"] as? [[String: Any]])
    #expect(artifacts.count == 2)
    let text = report.sarif()
    let physical = text.split(separator: "\"physicalLocation\"")
    // The location of the finding first, then the place that refers to the sub-graph.
    #expect(physical[1].contains(place) && physical[2].contains("patches/patch.json"))
    // An edit belongs to the file that it changes.
    let fix = try #require(text.split(separator: "\"artifactChanges\"").last)
    #expect(fix.contains(place) && !fix.contains("patches/patch.json"))
  }

  @Test func `SARIF brings the rules that were broken with their pages, and no others`() throws {
    let report = try Self.report()
    let broken = Set(report.findings.map(\.diagnostic.code.rawValue))
    let data = Data(report.sarif().utf8)
    let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let run = try #require((document["runs"] as? [[String: Any]])?.first)
    let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
    let rules = try #require(driver["rules"] as? [[String: Any]])
    #expect(rules.compactMap { $0["id"] as? String }.sorted() == broken.sorted())
    for rule in rules {
      let code = try #require(rule["id"] as? String)
      let description = (rule["fullDescription"] as? [String: String])?["text"] ?? ""
      // The limit of GitHub.
      #expect((1...1024).contains(description.count), "\(code)")
      let help = try #require(rule["help"] as? [String: String])
      #expect(help["text"]?.isEmpty == false)
      #expect(help["markdown"]?.hasPrefix("## \(code) ") == true)
    }
  }

  @Test func `a report without a patch is still one of its kind`() throws {
    let report = Report(version: "1.2.3", rules: [])
    #expect(report.gitlab() == "[]\n")
    #expect(report.github() == "0 patches checked: no errors\n")
    for text in [report.json(), report.sarif(), report.rdjson()] {
      _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
    }
  }

  @Test func `a warning is a failure only where it is denied`() {
    let diagnostic = Rule.test("PR0554", .warning).diagnostic("loud", at: 0..<1)
    let patch = CheckedPatch(
      path: "a.json", source: SourceText(name: "a.json", text: "{}"), diagnostics: [diagnostic])
    var report = Report([.patch(patch)], version: "1", rules: [])
    #expect(report.junit().contains("failures=\"0\"") && !report.junit().contains("<failure"))
    report.deniesWarnings = true
    #expect(report.junit().contains("failures=\"1\"") && report.junit().contains("<failure"))
  }

  @Test func `what was written on the command line has no place in a file`() throws {
    let text = "{ \"nodes\": { \"io\": { \"component\": \"remoteIO\" } } }"
    let patch = Self.check(
      Array(text.utf8), "a.json", overrides: ["/nodes/io/component=remotIO"])
    let report = Report([.patch(patch)], version: "1", rules: RuleCatalog.all)
    #expect(report.concise().contains("--set:1:21: error[PR0"))
    let command = try #require(report.github().split(separator: "\n").first)
    #expect(command.contains("file=a.json,title=") && !command.contains("line="))
    #expect(!report.sarif().contains("\"region\""))
    #expect(!report.rdjson().contains("\"range\""))
    #expect(report.gitlab().contains("\"begin\": 1"))
    #expect(report.json().contains("\"location\": null"))
  }

  // MARK: Fingerprints

  private static func fingerprints(_ patch: CheckedPatch) -> [String] {
    var fingerprints = Fingerprints()
    return patch.diagnostics.map { fingerprints.next($0, in: patch) }
  }

  @Test func `a fingerprint stays while the text moves, and each is another`() throws {
    let text = try String(
      contentsOf: Self.folder.appending(path: "broken.json"), encoding: .utf8)
    let before = Self.fingerprints(Self.check(Array(text.utf8), "broken.json"))
    let moved = text.replacing("\"title\"", with: "\"comment\": \"a\",\n\n  \"title\"")
      .replacing(
        "\"connections\": [", with: "\"connections\": [\n    { \"from\": \"a\", \"to\": \"io\" },")
    let after = Self.fingerprints(Self.check(Array(moved.utf8), "broken.json"))
    #expect(before.count >= 5 && Set(before).count == before.count)
    #expect(Set(after).isSuperset(of: before))
    #expect(Set(after).count == after.count)
    let elsewhere = Self.fingerprints(Self.check(Array(text.utf8), "other.json"))
    #expect(Set(elsewhere).isDisjoint(with: before))
  }

  @Test func `findings that are alike in all are counted`() {
    let diagnostic = Rule.test("PR0001").diagnostic("a", at: 0..<1)
    let patch = CheckedPatch(
      path: "a.json", source: SourceText(name: "a.json", text: "{}"),
      diagnostics: [diagnostic, diagnostic, diagnostic])
    #expect(Set(Self.fingerprints(patch)).count == 3)
  }

  // MARK: GitHub

  @Test func `GitHub gets ten annotations of a kind, the log and the summary the rest`() {
    let severities: [Severity] = [.note, .warning, .error]
    let diagnostics = (0..<75).map { index in
      Rule.test("PR0001", severities[index % 3]).diagnostic("number \(index)|", at: 0..<1)
    }
    let patch = CheckedPatch(
      path: "::error.json", source: SourceText(name: "a", text: "{}"), diagnostics: diagnostics)
    let report = Report([.patch(patch)], version: "1", rules: [])
    let lines = report.github().split(separator: "\n").map(String.init)
    for (kind, first) in [("error", 2), ("warning", 1), ("notice", 0)] {
      let annotations = lines.filter { $0.hasPrefix("::\(kind) ") }
      #expect(annotations.count == 10 && annotations[0].contains("::number \(first)|"))
    }
    #expect(lines.count { $0.hasPrefix("- ::error.json:1:1: ") } == 45)
    #expect(lines.last == "1 patch checked: 25 errors, 25 warnings")
    let rows = report.githubSummary().split(separator: "\n").filter { $0.contains("number") }
    #expect(rows.count == 75 && rows.allSatisfy { $0.count { $0 == "|" } == 5 })
  }

  @Test func `a summary keeps within what a step may write`() {
    let diagnostics = (0..<3000).map {
      Rule.test("PR0001").diagnostic(
        .init("\($0)" + String(repeating: "ü|", count: 200)), at: 0..<1)
    }
    let patch = CheckedPatch(
      path: "a.json", source: SourceText(name: "a", text: "{}"), diagnostics: diagnostics)
    let summary = Report([.patch(patch)], version: "1", rules: []).githubSummary()
    #expect(summary.utf8.count < 1 << 20)
    #expect(summary.hasSuffix(" more, in the log.\n"))
  }
}
