import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import RenderHost
import TestSupport
import Testing

/// Applies every edit of every diagnostic and reads the patch again: the mistake must be gone, and
/// there must be no new error.
@Suite struct HelpEditTests {
  private static func build(_ text: String, _ directory: String = "") -> BuiltPatch {
    PatchBuilder.build(text, name: "p.json", directory: directory, notes: true)
  }

  /// The new error after an edit; `nil` for none.
  private static func harm(
    _ fix: Diagnostic.Fix, _ diagnostic: Diagnostic, _ patch: BuiltPatch, _ directory: String
  ) -> String? {
    guard fix.edits.allSatisfy({ $0.range.upperBound <= patch.ownLength }) else { return nil }
    let text = String(decoding: patch.ownSource.applying(fix.edits).bytes, as: UTF8.self)
    let edited = build(text, directory)
    func errors(_ patch: BuiltPatch) -> [Diagnostic] {
      patch.diagnostics.filter { $0.severity == .error }
    }
    let left = errors(edited)
    let isSyntax = diagnostic.code < "PR0100"
    let before = Set(errors(patch).map(\.code))
    // With more than 50 of a kind, the last line counts the rest.
    func count(_ diagnostics: [Diagnostic]) -> Int {
      diagnostics.filter {
        $0.code == diagnostic.code
          && ($0.message == diagnostic.message || "\($0.message)".hasPrefix("and "))
      }.reduce(0) { $0 + $1.count }
    }
    // A text that is not JSON, or a patch with several errors, may hide further errors. So new
    // errors are forbidden only if there was a single one.
    let new = left.filter { !before.contains($0.code) && (!isSyntax || $0.code < "PR0100") }
    if let first = new.first, errors(patch).count <= 1 {
      return "'\(fix.title)' brings \(first.code) \(first.message):\n\(text)"
    }
    if diagnostic.severity == .error, count(left) >= count(errors(patch)) {
      return "'\(fix.title)' leaves \(diagnostic.code) \(diagnostic.message):\n\(text)"
    }
    return nil
  }

  private static func harms(in text: String, _ directory: String = "") -> (tried: Int, [String]) {
    let patch = build(text, directory).asWritten()
    var tried = 0
    var harms: [String] = []
    for diagnostic in patch.diagnostics {
      for fix in diagnostic.fixes {
        tried += 1
        if let harm = harm(fix, diagnostic, patch, directory) { harms.append(harm) }
      }
    }
    return (tried, harms)
  }

  @Test func `the edits offered for the broken patches do no harm`() throws {
    var tried = 0
    for name in FixtureTests.names {
      let text = try String(
        contentsOf: FixtureTests.folder.appending(path: name + ".json"), encoding: .utf8)
      let (count, harms) = Self.harms(in: text, FixtureTests.folder.path)
      tried += count
      #expect(harms.isEmpty, "\(name): \(harms.joined(separator: "\n"))")
    }
    #expect(tried > 50)
  }

  @Test func `the edits offered for the wrong patches of the pages do no harm`() {
    var tried = 0
    for rule in RuleCatalog.all {
      guard case .patch(let example) = rule.page.example, example.hardware == nil,
        example.wrongOverrides.isEmpty
      else { continue }
      let (count, harms) = Self.harms(
        in: String(decoding: example.wrongBytes, as: UTF8.self), SlipTests.folder.path)
      tried += count
      #expect(harms.isEmpty, "\(rule.code): \(harms.joined(separator: "\n"))")
    }
    #expect(tried > 40)
  }

  @Test(arguments: PatchMutation.all)
  func `the edits offered for a mistake in a patch at random do no harm`(mutation: PatchMutation) {
    var made = 0
    for (index, patch) in PatchPropertyTests.right.enumerated()
    where made < 3 * PatchProperties.effort {
      guard let wrong = mutation.applied(to: patch.document, seed: UInt64(index)) else { continue }
      made += 1
      let (_, harms) = Self.harms(in: wrong.document.document, PatchProperties.folder)
      if let first = harms.first {
        Issue.record("\(first)\nof\n\(wrong.document.document)")
        return
      }
    }
  }

  /// Codes with JSON in their help but without an edit, and the reason.
  private static let withoutEdit: [Rule.Code: String] = [
    "PR0001": "an empty file: there is nothing to edit",
    "PR0034": "a sound file: there is no text to edit",
    "PR0101": "what was meant by a value of another type is not known",
    "PR0103": "what a missing key is to say is not known",
    "PR0104": "which schema was meant is not known",
    "PR0106": "which bus was meant is not known",
    "PR0108": "which unit a patch begins with is not known",
    "PR0105": "which node was meant is not known",
    "PR0110": "which of the two forms to keep is not known",
    "PR0111": "a mistake of the command line",
    "PR0113": "which place was meant is not known",
    "PR0205": "where the callback is to be heard is not known",
    "PR0207": "which callback was meant is not known",
    "PR0206": "where the connection is to end is not known",
    "PR0302": "which output unit is wanted is not known",
    "PR0305": "the first of several such connections offers it for all of them",
    "PR0307": "what is to feed the unit is not known",
    "PR0313": "which side of the unit was meant is not known",
    "PR0551": "which of several scopes was meant is not known",
    "PR0622": "which device is meant is not known",
    "PR0421": "the rate is written for the patch, or for the other end of a connection",
    "PR0608": "a conversion may be wanted",
    "PR0314": "which of the volumes to lower is a matter of taste",
    "PR0316": "what is to feed the mixer is not known",
    "PR0401": "which of the fields is wrong is not known",
    "PR0504": "what a preset of one's own is called is not known",
    "PR0403": "where to set the format is not known",
    "PR0503": "which bus was meant is not known",
  ]

  @Test func `what help shows in JSON is offered as an edit, or there is a reason why not`() throws
  {
    var missing: Set<String> = []
    func look(_ patch: BuiltPatch) {
      for diagnostic in patch.diagnostics where diagnostic.fixes.isEmpty {
        let shows = diagnostic.help.contains {
          $0.contains("\": {") || $0.contains("\": \"") || $0.contains("{ \"")
        }
        guard shows, Self.withoutEdit[diagnostic.code] == nil else { continue }
        missing.insert("\(diagnostic.code) \(diagnostic.message): \(diagnostic.help)")
      }
    }
    for name in FixtureTests.names {
      look(
        Self.build(
          try String(
            contentsOf: FixtureTests.folder.appending(path: name + ".json"), encoding: .utf8),
          FixtureTests.folder.path))
    }
    for rule in RuleCatalog.all {
      guard case .patch(let example) = rule.page.example, example.hardware == nil else { continue }
      look(Self.build(String(decoding: example.wrongBytes, as: UTF8.self), SlipTests.folder.path))
    }
    #expect(missing.isEmpty, "\(missing.sorted().joined(separator: "\n"))")
  }
}
