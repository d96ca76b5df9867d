import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import TestSupport
import Testing

@testable import Reports

struct CodeSelectionTests {
  private func kept(_ selected: [String], _ ignored: [String]) throws -> [String] {
    let selection = try CodeSelection(
      selected: selected, ignored: ignored, rules: RuleCatalog.all)
    return ["PR0005", "PR0401", "PR0404", "PR0551"].filter {
      selection.keeps(Rule.test(.init(rawValue: $0)).diagnostic("", at: 0..<0))
    }
  }

  @Test func `codes and what they begin with are selected and ignored, the longer first`() throws {
    #expect(try kept([], []) == ["PR0005", "PR0401", "PR0404", "PR0551"])
    #expect(try kept([], ["PR04"]) == ["PR0005", "PR0551"])
    #expect(try kept(["PR04"], []) == ["PR0005", "PR0401", "PR0404"])
    #expect(try kept(["pr04, PR0551"], ["PR0401"]) == ["PR0005", "PR0404", "PR0551"])
    #expect(try kept(["PR0401"], ["PR04"]) == ["PR0005", "PR0401"])
    #expect(try kept(["PR0401"], ["PR0401"]) == ["PR0005"])
  }

  @Test func `what keeps JSON from being read is reported unless it is ignored itself`() throws {
    #expect(try kept(["PR0551"], []) == ["PR0005", "PR0551"])
    #expect(try kept(["PR0551"], ["PR00"]) == ["PR0551"])
  }

  @Test(arguments: ["PR9", "0401", "", "PR0401,", "PR04011", "*", "PR0402\n"])
  func `a code that there is not is refused`(code: String) {
    #expect(throws: CodeSelection.UnknownCode.self) { try kept([code], []) }
    #expect(throws: CodeSelection.UnknownCode.self) { try kept([], [code]) }
  }

  @Test func `a near code is named`() {
    let error = #expect(throws: CodeSelection.UnknownCode.self) { try kept(["PRO551"], []) }
    #expect(error?.message == "no code is, or begins with, 'PRO551'")
    #expect(error?.help.first?.contains("'PR0551'") == true)
  }
}

/// The catalogue of rules in the reports.
struct RuleCatalogTests {
  @Test func `each rule is in it once, in order`() {
    let codes = RuleCatalog.all.map(\.code)
    #expect(codes == codes.sorted() && Set(codes).count == codes.count && codes.count > 100)
    for rule in RuleCatalog.all {
      #expect(rule.code.rawValue.wholeMatch(of: /PR\d{4}/) != nil)
      #expect(rule.name.contains("/") && !rule.summary.hasSuffix("."))
    }
  }

  @Test func `what is found has a code that is in it, as bad as it says`() throws {
    let rules = Dictionary(uniqueKeysWithValues: RuleCatalog.all.map { ($0.code.rawValue, $0) })
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "PatchGraphTests/Fixtures")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    var count = 0
    for file in files where file.hasSuffix(".expected") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for match in text.matches(of: /(?m)^(error|warning|note)\[(\w+)\]/) {
        let rule = rules[String(match.2)]
        #expect(rule?.severity.rawValue == String(match.1), "\(match.0) in \(file)")
        count += 1
      }
    }
    #expect(count > 100)
  }
}
