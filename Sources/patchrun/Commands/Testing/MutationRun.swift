import Diagnostics
import Jobs
import PatchSyntax
import SoundChecks
import SoundExpectations

/// `test --mutate`: changes patches on purpose and reports the changes that no expectation notices.
struct MutationRun {
  let command: TestCommand

  func run(_ signals: Signals) throws(CommandFailure) -> Int32 {
    let batch = try command.loadTests()
    var noticed = 0
    var all = 0
    var rows: [JSONText] = []
    var status = ExitStatus.success
    for (number, file) in batch.files.enumerated() {
      let name = batch.names[number]
      let baseline = MutationCheck.baseline(of: file)
      let failing = baseline.flatMap(\.diagnostics)
      guard failing.isEmpty, file.diagnostics.isEmpty else {
        try command.output(
          command.appearance.findings(file.diagnostics + failing, in: file.source))
        command.appearance.report(
          "error", "\(name) does not hold before anything is spoilt",
          help: ["mend it first: 'patchrun test \(name)'"])
        status = ExitStatus.wrongPatch
        continue
      }
      let mutations = MutationCheck.mutations(of: file)
      let checks = parallelMap(mutations.count, atMost: command.jobs) { index in
        MutationCheck.check(
          mutations[index], in: file, baseline: baseline,
          isCancelled: { signals.interruptedBy != nil })
      }
      if let signal = signals.interruptedBy { return ExitStatus.interrupted(by: signal) }
      let real = checks.filter { !$0.isEquivalent }
      let missed = real.filter(\.noticedBy.isEmpty)
      noticed += real.count - missed.count
      all += real.count
      let idle = idleExpectations(file, real)
      if command.outputFormat == .json || command.outputFormat == .jsonl {
        rows.append(json(name, checks, idle, file))
        continue
      }
      try command.output(
        "\(printable(name)): \(real.count - missed.count) of \(counted(real.count, "change")) noticed"
          + (checks.count > real.count ? ", \(checks.count - real.count) change nothing" : "")
          + "\n")
      for check in missed {
        try command.output("  not noticed: \(check.mutation.kind): \(check.mutation.title)\n")
      }
      for line in idle { try command.output("  notices nothing: \(line)\n") }
    }
    if command.outputFormat == .json || command.outputFormat == .jsonl {
      let document: JSONText = [
        "files": .array(rows), "noticed": .number(noticed), "mutations": .number(all),
      ]
      try command.output(
        command.outputFormat == .json ? document.document : document.compact + "\n")
    } else if all > 0 {
      try command.output(
        "\(noticed) of \(counted(all, "change")) noticed: \(fixed(100 * Double(noticed) / Double(all), 1)) %\n"
      )
    }
    return status
  }

  /// The expectations that no mutation has failed.
  private func idleExpectations(_ file: TestFile, _ checks: [MutationCheck]) -> [String] {
    let noticing = Set(checks.flatMap(\.noticedBy))
    var lines: [String] = []
    for (test, written) in file.tests.enumerated() {
      for (place, expectation) in written.expectations.enumerated()
      where !noticing.contains(.init(test: test, expectation: place)) {
        lines.append("\(written.name): \(expectation.title)")
      }
    }
    return lines
  }

  private func json(
    _ name: String, _ checks: [MutationCheck], _ idle: [String], _ file: TestFile
  ) -> JSONText {
    [
      "file": .string(name),
      "mutations": .array(
        checks.map { check in
          [
            "kind": .string(check.mutation.kind), "title": .string(check.mutation.title),
            "changesNothing": .boolean(check.isEquivalent),
            "noticedBy": .strings(
              check.noticedBy.map {
                "\(file.tests[$0.test].name): \(file.tests[$0.test].expectations[$0.expectation].title)"
              }),
          ]
        }),
      "noticeNothing": .strings(idle),
    ]
  }
}
