import AudioTypes
public import Diagnostics
import PatchSyntax
import RenderHost
import SoundExpectations
import SoundMeasures

/// Runs the tests of a file.
public enum TestChecker {
  /// The data to keep beside the verdicts.
  public struct Options: Sendable {
    /// Whether to keep the sound that an expectation measured, where it does not pass.
    public var keepsSound = false
    /// Whether to compute `CheckedTest.fingerprint`.
    public var needsFingerprint = false
    public init() {}
  }

  /// The findings in a file that need no render: in its own text, and in the places of the patch
  /// that its tests look at.
  public static func findings(in file: TestFile) -> [Diagnostic] {
    var found = Findings()
    found += file.diagnostics
    guard file.patch != nil else { return found.all }
    var reported: Set<String> = []
    for test in file.tests {
      let problems: [TestProblem]
      do throws(TestProblem) {
        problems = try TestRun(test, in: file).check(isStatic: true)
      } catch {
        problems = [error]
      }
      // Several tests may have the same problem of the patch: it is reported once.
      for problem in problems where reported.insert(problem.key).inserted {
        found.append(problem.diagnostic)
      }
    }
    return found.all.inDocumentOrder()
  }

  /// Runs one test.
  ///
  /// - Parameters:
  ///   - number: The index of the test in `file.tests`.
  ///   - isCancelled: Asked while it renders; the test ends early where it returns `true`.
  public static func check(
    _ number: Int, of file: TestFile, _ options: Options = Options(),
    isCancelled: @escaping () -> Bool = { false }
  ) -> CheckedTest {
    check(number, of: file, options, mutation: nil, isCancelled: isCancelled).test
  }

  /// Runs one test with a mutation.
  ///
  /// - Returns: The result, and a hash of the test's own render.
  static func check(
    _ number: Int, of file: TestFile, _ options: Options = Options(), mutation: Mutation?,
    isCancelled: @escaping () -> Bool
  ) -> (test: CheckedTest, fingerprint: Int) {
    let test = file.tests[number]
    var fingerprint = 0
    let begin = monotonicNanoseconds()
    var checked = CheckedTest(name: test.name)
    guard file.patch != nil else {
      // The reason is among the diagnostics of the file.
      checked.problem = file.diagnostics.first { $0.rule == ExpectationRules.file }
      checked.expectations = test.expectations.map {
        CheckedExpectation(expectation: $0, status: .notMeasured)
      }
      return (checked, fingerprint)
    }
    do throws(TestProblem) {
      let run = try TestRun(test, in: file, mutation: mutation, isCancelled: isCancelled)
      let problems = try run.check()
      try run.render()
      if options.needsFingerprint || mutation != nil { fingerprint = run.fingerprint }
      for expectation in test.expectations {
        let problem = problems.first { $0.place.isInside(expectation.json) }
        checked.expectations.append(
          problem.map {
            CheckedExpectation(
              expectation: expectation, status: .notMeasured, diagnostic: $0.diagnostic)
          } ?? Self.check(expectation, run, options))
      }
    } catch {
      checked.problem = error.diagnostic
      checked.expectations = test.expectations.map {
        CheckedExpectation(expectation: $0, status: .notMeasured)
      }
    }
    checked.seconds = Double(monotonicNanoseconds() - begin) / 1e9
    checked.fingerprint = fingerprint
    return (checked, fingerprint)
  }

  private static func check(
    _ expectation: Expectation, _ run: TestRun, _ options: Options
  ) -> CheckedExpectation {
    do throws(ExpectationProblem) {
      let quantities = try expectation.measure(run)
      var checked = CheckedExpectation(
        expectation: expectation, status: .passed, measured: quantities.map(\.text))
      let failed = quantities.filter { !$0.holds }.sorted { first, second in
        first.bound.excess(of: first.worst.value) > second.bound.excess(of: second.worst.value)
      }
      guard let worst = failed.first else { return checked }
      let finding = ExpectationFinding(
        expectation: expectation, quantity: worst, others: Array(failed.dropFirst()),
        origin: run.origin(of: expectation))
      checked.status = .failed
      checked.place = finding.placeText
      checked.diagnostic = finding.diagnostic
      checked.finding = finding
      if options.keepsSound, expectation.kind.subject == .sound {
        checked.heard = try? run.sound(for: expectation)
        if expectation.kind.name == ExpectationKind.golden.name {
          checked.golden = try? run.golden(expectation.text("path") ?? "", for: expectation)
        }
      }
      return checked
    } catch {
      let isGolden = expectation.kind.name == ExpectationKind.golden.name && error.key == "path"
      let place =
        error.key.flatMap { key in
          expectation.value[key] ?? expectation.json[key]
        } ?? (expectation.value.kind == .object ? expectation.key : expectation.value)
      let rule =
        isGolden
        ? ExpectationRules.goldenFile
        : ["at", "channel", "during"].contains(error.key)
          ? ExpectationRules.place : ExpectationRules.render
      var checked = CheckedExpectation(
        expectation: expectation, status: .notMeasured,
        diagnostic: TestProblem(rule, error.message, place, help: error.help).diagnostic)
      // `--bless` makes this sound the golden.
      if options.keepsSound, isGolden { checked.heard = try? run.sound(for: expectation) }
      return checked
    }
  }
}

extension TestProblem {
  /// A text that is equal for equal problems.
  fileprivate var key: String { "\(rule.code) \(place.range) \(message)" }
}

extension JSONValue {
  fileprivate func isInside(_ other: JSONValue) -> Bool {
    other.range.lowerBound <= range.lowerBound && range.upperBound <= other.range.upperBound
  }
}
