import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import TestSupport
import Testing

@testable import patchrun

/// `patchrun explain`, and the messages that refer to it.
struct ExplainTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  @Test(arguments: [["PR0405"], ["405"], ["format/mixer-rates"]])
  func `a code has a page`(topic: [String]) throws {
    let outcome = try place.start(["explain"] + topic).wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix("PR0405 format/mixer-rates (an error)\n"))
  }

  @Test(arguments: [
    ["-10868"], ["kAudioUnitErr_FormatNotSupported"], ["--color", "never", "-10868"],
    ["-10868", "--color", "never"], ["--", "-10868"],
  ])
  func `a status has a page, though it begins like an option`(arguments: [String]) throws {
    let outcome = try place.start(["explain"] + arguments).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("kAudioUnitErr_FormatNotSupported (-10868)\n"))
    #expect(outcome.output.contains("\n    PR0405  format/mixer-rates"))
  }

  @Test func `without a topic there is a line for each code`() throws {
    let outcome = try place.run("explain")
    #expect(outcome.status == 0)
    #expect(outcome.output.split(separator: "\n").count == RuleCatalog.all.count)
    #expect(outcome.output.hasPrefix("PR0001  json/empty"))
  }

  @Test func `everything is one page of Markdown, or one JSON document`() throws {
    let markdown = try place.run("explain", "--markdown")
    #expect(markdown.status == 0)
    #expect(markdown.output.contains("\n## PR0405 `format/mixer-rates`\n"))
    let json = try place.run("explain", "--json")
    let pages = try #require(
      JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [[String: Any]]])
    #expect(pages["codes"]?.count == RuleCatalog.all.count)
    #expect(pages["statuses"]?.contains { $0["number"] as? Int == -10868 } == true)
  }

  @Test func `a code that is not there is answered with what may have been meant`() throws {
    let outcome = try place.run("explain", "format/mixer-rate")
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(
      outcome.errors.hasPrefix(
        """
        error: there is no code and no status 'format/mixer-rate'
          = help: did you mean 'format/mixer-rates'
        """))
  }

  @Test func `help says how a topic is written`() throws {
    let outcome = try place.run("explain", "--help")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("patchrun explain -10868"))
  }

  @Test func `the page that is pointed to is that of the first error`() {
    let warning = Rule.test("PR0311", .warning).diagnostic("small", at: 0..<1)
    let error = Rule.test("PR0405").diagnostic("wrong", at: 5..<6)
    #expect([warning, error].mainFinding == error)
    #expect([warning].mainFinding == warning)
    #expect([Diagnostic]().mainFinding == nil)
    #expect(findingHint(error) == "`patchrun explain PR0405` says more")
  }
}
