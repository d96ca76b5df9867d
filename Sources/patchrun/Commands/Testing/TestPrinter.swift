import AudioTypes
import Diagnostics
import PatchSyntax
import Reports
import SoundChecks

/// Prints the results of tests, during the run and at its end.
struct TestPrinter {
  let command: TestCommand
  let batch: TestCommand.Batch
  private var lastFile = -1

  init(command: TestCommand, batch: TestCommand.Batch) {
    self.command = command
    self.batch = batch
  }

  private var isText: Bool { command.outputFormat == .text }

  /// Prints the result of a test that has ended.
  mutating func printResult(_ test: CheckedTest, _ file: Int, _ number: Int) {
    if command.outputFormat == .jsonl {
      let line: JSONText = [
        "file": .string(batch.names[file]), "test": .string(test.name),
        "passed": .boolean(test.hasPassed),
        "seconds": .number((test.seconds * 1e6).rounded() / 1e6),
        "problem": test.problem.map { .string($0.message.text) } ?? .null,
        "expectations": .array(
          test.expectations.map {
            [
              "expectation": .string($0.title), "status": .string($0.status.rawValue),
              "measured": .strings($0.measured), "worst": $0.place.map(JSONText.string) ?? .null,
              "code": $0.diagnostic.map { .string($0.code.rawValue) } ?? .null,
              "message": $0.diagnostic.map { .string($0.message.text) } ?? .null,
            ]
          }),
      ]
      try? command.output(line.compact + "\n")
    } else if isText, !command.quiet {
      if file != lastFile {
        try? command.output(printable(batch.names[file]) + "\n")
        lastFile = file
      }
      let isColored = command.appearance.color.colors(.output)
      let mark = test.hasPassed ? "ok  " : "FAIL"
      let paint = test.hasPassed ? "\u{1B}[32m" : "\u{1B}[1;31m"
      let shown = isColored ? "\(paint)\(mark)\u{1B}[0m" : mark
      let passed = test.expectations.count { $0.status == .passed }
      let all = test.expectations.count
      let of =
        passed == all ? counted(all, "expectation") : "\(passed) of \(counted(all, "expectation"))"
      try? command.output(
        "  \(shown) \(printable(test.name)): \(of), \(fixed(test.seconds, 2)) s\n")
    }
  }

  /// Prints the report when all tests have ended.
  func finish(_ report: Report, seconds: Double) throws(CommandFailure) {
    if let format = command.outputFormat.report {
      try command.output(format.text(report))
      if command.outputFormat == .github { GitHubSummary.write(report, command.appearance) }
    } else if isText {
      for case .patch(let patch) in report.entries where !patch.diagnostics.isEmpty {
        let text = command.appearance.findings(patch.diagnostics, in: patch.source)
        try command.output("\n" + text)
      }
      try command.output(summary(report, seconds) + "\n")
    }
    if isText, let main = report.diagnostics.mainFinding { command.appearance.hint(at: main) }
  }

  /// For example `12 tests, 40 expectations: 2 failed, 1 could not be measured (0.42 s)`.
  private func summary(_ report: Report, _ seconds: Double) -> String {
    let cases = report.cases
    let failed = cases.count { $0.status == .failed }
    let missing = cases.count { $0.status == .notMeasured }
    let parts = [
      failed > 0 ? "\(failed) failed" : nil,
      missing > 0 ? "\(missing) could not be measured" : nil,
    ].compactMap(\.self)
    let result =
      cases.isEmpty
      ? "nothing was tested" : parts.isEmpty ? "all as expected" : parts.joined(separator: ", ")
    return "\(counted(batch.tests.count, "test")), \(counted(cases.count, "expectation")): "
      + "\(result) (\(fixed(seconds, 2)) s)"
  }
}

extension Report {
  fileprivate var cases: [CheckedCase] {
    entries.flatMap { entry -> [CheckedCase] in
      if case .patch(let patch) = entry { patch.cases } else { [] }
    }
  }

  fileprivate var diagnostics: [Diagnostic] {
    entries.flatMap { entry -> [Diagnostic] in
      if case .patch(let patch) = entry { patch.diagnostics } else { [] }
    }
  }
}
