import AudioTypes
import Diagnostics
import PatchSyntax
import SoundChecks
import SoundExpectations
import SoundMeasures
import TestSupport
import Testing

/// Checks the pages of the expectations: each has an example test that passes and one that fails.
@Suite struct ExpectationPageTests {
  private static let pages: [(code: Rule.Code, right: String, wrong: String)] =
    ExpectationRules.all.compactMap { rule in
      if case .test(let right, let wrong) = rule.page.example {
        (rule.code, right, wrong)
      } else {
        nil
      }
    }

  @Test func `there are thirty kinds of expectation, and each has a page`() {
    #expect(ExpectationCatalog.kinds.count >= 24)
    let shown = Set(Self.pages.map(\.code))
    let unshown = ExpectationCatalog.kinds.filter { !shown.contains($0.rule.code) }.map(\.name)
    // `sameAtSlices` is tested by `the slices of a render have to make no difference`.
    #expect(unshown == ["sameAtSlices"])
  }

  @Test(arguments: pages.map(\.code))
  func
    `the right test of a page passes; the wrong one fails with its code alone, says where, and has an edit`(
      code: Rule.Code
    ) throws
  {
    let page = try #require(Self.pages.first { $0.code == code })
    let folder = try TestedFolder()
    let right = folder.tests(page.right)
    #expect(right.diagnostics.isEmpty, "\(right.rendered(right.diagnostics))")
    for test in try folder.run(right, blesses: true) {
      #expect(test.hasPassed, "\(right.rendered(test.diagnostics))")
    }
    let wrong = folder.tests(page.wrong)
    let checked = try folder.run(wrong)
    let found = wrong.diagnostics + checked.flatMap(\.diagnostics)
    #expect(Set(found.map(\.code)) == [code], "\(wrong.rendered(found))")
    #expect(Set(found).count == 1, "one mistake, one diagnostic")
    guard let kind = ExpectationCatalog.kinds.first(where: { $0.rule.code == code }) else { return }
    let place = checked.first?.expectations.first?.place
    #expect(place != nil || Self.placeless.contains(kind.name))
    guard let fix = found.first?.fixes.first else {
      #expect(Self.withoutEdit.contains(kind.name), "there is no edit")
      return
    }
    // The measured load differs from run to run.
    if kind.name != "load" { try checkEdit(fix, of: wrong, folder) }
  }

  /// Checks that the test passes after the edit.
  private func checkEdit(
    _ fix: Diagnostic.Fix, of wrong: TestFile, _ folder: TestedFolder
  ) throws {
    var bytes = wrong.source.bytes
    for edit in fix.edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
    }
    let mended = folder.tests(String(decoding: bytes, as: UTF8.self))
    #expect(mended.diagnostics.isEmpty, "\(mended.rendered(mended.diagnostics))")
    for test in try folder.run(mended) {
      #expect(test.hasPassed, "\(mended.rendered(test.diagnostics))")
    }
  }

  /// Kinds without a bound that could be changed to make the test pass.
  private static let withoutEdit: Set<String> = [
    "finite", "golden", "sameAs", "duration", "notSilent",
  ]

  /// Kinds without a worst place: they measure the whole sound, or the patch.
  private static let placeless: Set<String> = [
    "integratedLoudness", "range", "balance", "correlation", "latency", "duration", "diagnostics",
    "load",
  ]

  @Test func `the slices of a render have to make no difference`() throws {
    let kind = try #require(ExpectationCatalog.kind("sameAtSlices"))
    let folder = try TestedFolder()
    let file = folder.expecting("{ \"sameAtSlices\": [1, 64, 333, 4096] }")
    #expect(try folder.run(file).allSatisfy(\.hasPassed))
    // A render that depends on its slices.
    let expectation = try #require(file.tests.first?.expectations.first)
    let found = try expectation.measure(SlicedSound())
    #expect(found.count { !$0.holds } == 3)
    #expect(kind.rule.code == "PR1147")
  }
}

/// A patch that is a little louder with slices other than 64.
private final class SlicedSound: TestedPatch {
  private static let nothing = ExpectationProblem("there is only a sound")

  private func sound(_ level: Float) -> Sound {
    Sound(sampleRate: 48_000, channels: [[Float](repeating: level, count: 4800)])
  }

  func sound(for expectation: SoundExpectations.Expectation) -> Sound { sound(0.5) }

  func sound(for expectation: SoundExpectations.Expectation, _ variant: RenderVariant) -> Sound {
    sound(variant == .slices(64) ? 0.5 : 0.5001)
  }

  func golden(_ path: String, for expectation: SoundExpectations.Expectation)
    throws(ExpectationProblem) -> Sound
  {
    throw Self.nothing
  }

  func response(
    from: String, to: String?, level: Double
  ) throws(ExpectationProblem) -> MeasuredPath { throw Self.nothing }

  func findings() throws(ExpectationProblem) -> [Rule.Code] { throw Self.nothing }
  func load() throws(ExpectationProblem) -> Double { throw Self.nothing }
  func playingTime() throws(ExpectationProblem) -> Double? { throw Self.nothing }
}
