import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import PatchSyntax
import Testing

/// Checks the statements of the pages of `patchrun explain`.
@Suite struct ExplanationTests {
  /// The base folder for paths in the examples, with the patches and their sounds.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "patches").path

  static let patches: [(code: Rule.Code, example: Rule.Page.PatchExample)] =
    RuleCatalog.all.compactMap { rule in
      if case .patch(let example) = rule.page.example { (rule.code, example) } else { nil }
    }

  private static func build(
    _ bytes: [UInt8], _ overrides: [String], _ hardware: String?
  ) throws -> BuiltPatch {
    let assumption = try hardware.map { try HardwareAssumption.parse($0) } ?? HardwareAssumption()
    return PatchBuilder.build(
      PatchReader.read(bytes: bytes, name: "example.json", overrides: overrides), directory: folder,
      hardware: assumption)
  }

  private static func rendered(_ patch: BuiltPatch) -> String {
    TextRenderer(source: patch.source).render(patch.diagnostics)
  }

  @Test(arguments: patches.map(\.code))
  func `the wrong patch of a page is answered with its code and nothing else`(
    code: Rule.Code
  ) throws {
    let rule = try #require(RuleCatalog.rule(code))
    guard case .patch(let example) = rule.page.example else { return }
    let built = try Self.build(example.wrongBytes, example.wrongOverrides, example.hardware)
    #expect(!built.diagnostics.isEmpty)
    #expect(Set(built.diagnostics.map(\.code)) == [code], "\(Self.rendered(built))")
    for diagnostic in built.diagnostics {
      #expect(diagnostic.severity == rule.severity)
      if let status = diagnostic.status {
        #expect(rule.statuses.contains(status), "\(status) is not on the page")
      } else {
        #expect(rule.statuses.isEmpty, "the diagnostic has no status")
      }
    }
  }

  @Test(arguments: patches.map(\.code))
  func `the right patch of a page has nothing wrong with it`(code: Rule.Code) throws {
    guard case .patch(let example) = try #require(RuleCatalog.rule(code)).page.example else {
      return
    }
    let built = try Self.build(
      Array(example.right.utf8), example.rightOverrides, example.hardware)
    #expect(built.diagnostics.isEmpty, "\(Self.rendered(built))")
    #expect(
      example.right.split(separator: "\n").allSatisfy { $0.count <= 100 },
      "the patch is too wide for a page")
  }

  @Test func `every rule has a code, a name and a page of its own`() {
    let codes = RuleCatalog.all.map(\.code)
    #expect(Set(codes).count == codes.count)
    #expect(Set(RuleCatalog.all.map(\.name)).count == codes.count)
    let pages = RuleCatalog.all.map { $0.page.demand + $0.page.reason }
    #expect(Set(pages).count == codes.count)
    #expect(!pages.contains(""))
  }

  @Test func `every status on a page has a page`() {
    for rule in RuleCatalog.all {
      for status in rule.statuses {
        #expect(StatusExplanation.all.contains { $0.status == status }, "\(rule.code): \(status)")
      }
    }
  }

  @Test func `statuses are called what Core Audio calls them`() {
    for page in StatusExplanation.all where page.status.rawValue != -10863 {
      #expect(page.status.name == page.name)
    }
  }

  @Test(arguments: [
    "PR0405", "pr0405", "PR405", "405", "format/mixer-rates", "Format/Mixer-Rates",
  ])
  func `a code is found by its number and by its name`(text: String) throws {
    guard case .rule(let rule) = try #require(ExplanationIndex.topic(text)) else {
      Issue.record("a status was found")
      return
    }
    #expect(rule.code == "PR0405")
  }

  @Test(arguments: [
    ("-10868", "kAudioUnitErr_FormatNotSupported"),
    ("0xFFFFD58C", "kAudioUnitErr_FormatNotSupported"),
    ("kaudiouniterr_formatnotsupported", "kAudioUnitErr_FormatNotSupported"),
    ("!cat", "kAudioSessionIncompatibleCategory"), ("'!cat'", "kAudioSessionIncompatibleCategory"),
    ("560161140", "kAudioSessionIncompatibleCategory"),
  ])
  func `a status is found by its number, its characters and its constant`(
    text: String, name: String
  ) throws {
    guard case .status(let pages) = try #require(ExplanationIndex.topic(text)) else {
      Issue.record("a rule was found")
      return
    }
    #expect(pages.map(\.name) == [name])
  }

  @Test func `the page of a status lists the codes that carry it`() throws {
    let page = try #require(StatusExplanation.all.first { $0.status.rawValue == -10868 })
    #expect(page.codes.map(\.code).contains("PR0405"))
    #expect(ExplanationText().page(.status([page])).contains("PR0405  format/mixer-rates"))
  }

  @Test func `two constants of one number are both explained`() throws {
    guard case .status(let pages) = try #require(ExplanationIndex.topic("-10863")) else { return }
    #expect(pages.count == 2)
  }

  @Test func `what is not there is answered with what may have been meant`() {
    #expect(ExplanationIndex.topic("PR9999") == nil)
    #expect(ExplanationIndex.topic("") == nil)
    #expect(ExplanationIndex.topic("0x") == nil)
    #expect(
      ExplanationIndex.help(for: "kAudioUnitErr_FormatNotSuported").first
        == "did you mean 'kAudioUnitErr_FormatNotSupported'?")
    #expect(
      ExplanationIndex.help(for: "format/mixerrates").first == "did you mean 'format/mixer-rates'?")
  }

  @Test func `a page is text, Markdown and JSON`() throws {
    let topic = try #require(ExplanationIndex.topic("PR0405"))
    let text = ExplanationText(width: 80).page(topic)
    #expect(text.hasPrefix("PR0405 format/mixer-rates (an error)\n"))
    #expect(text.contains("status: kAudioUnitErr_FormatNotSupported (-10868)\n"))
    #expect(text.contains("\nWrong\n\n    {\n"))
    #expect(ExplanationText.markdown(topic).contains("```json\n{\n"))
    for topic in [topic, try #require(ExplanationIndex.topic("-10868"))] {
      let json = Array(ExplanationText.json(topic).utf8)
      #expect(
        JSONReader.read(SourceText(name: "page.json", bytes: json), dialect: .json).diagnostics
          == [])
    }
    let all = Array(ExplanationText.json().utf8)
    #expect(
      JSONReader.read(SourceText(name: "all.json", bytes: all), dialect: .json).diagnostics == [])
  }

  @Test func `the list has a line for each code, and all pages are in one document`() {
    let lines = ExplanationText().list().split(separator: "\n")
    #expect(lines.count == RuleCatalog.all.count)
    let document = ExplanationText.markdown()
    for rule in RuleCatalog.all {
      #expect(document.contains("\n## \(rule.code) `\(rule.name)`\n"))
    }
  }
}
