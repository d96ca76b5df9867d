import ArgumentParser
import Diagnostics
import FileAccess
import Glibc
import Jobs
import PatchGraph
import RenderHost
import Reports
import SoundChecks

struct TestCommand: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Runs test files: renders patches, and checks their sound.",
    discussion: """
      A test file, NAME.test.json, names a patch and what is expected of its sound: levels, \
      loudness, tones, responses, silence, no clicks, equality with a golden file. Each test \
      renders the patch once, in memory. A failure shows the line of the expectation, the measured \
      value, where the deviation was largest, and the edit that would make it pass. In a folder \
      every test file is run, also in its subfolders; of a patch, the test file beside it.

      EXAMPLES:
        patchrun test mix.json --new
        patchrun test mix.test.json
        patchrun test . --filter mix
        patchrun test . --output-format junit > report.xml
        patchrun test mix.test.json --mutate
        patchrun test mix.test.json --bless

      EXIT STATUS:
        0  everything is as expected
        1  something is not, or a test file is wrong
        2  wrong usage
        3  a file cannot be read or written
        130  interrupted

      FILES:
        NAME.test.json  a test file; 'patchrun schema --tests' is its JSON Schema
        NAME.golden.wav  the expected sound of a test: 'golden' names it
      """)

  @Argument(
    help: ArgumentHelp(
      "Test files, patches, folders, or patterns such as 'patches/**/*.test.json'.",
      valueName: "path"),
    completion: .file(extensions: ["json", "jsonc"]))
  var paths: [String]

  @Option(
    help: ArgumentHelp(
      "Run only the tests whose names or file names contain this text; * and ? match parts.",
      valueName: "text"))
  var filter: String?

  @Option(
    help: ArgumentHelp(
      "Run one of N parts of the tests: 2/4 is the second of four. Together they are all.",
      valueName: "i/n"))
  var shard: String?

  @Option(
    help: ArgumentHelp(
      "How many tests run at once; by default the number of processors.", valueName: "count")
  )
  var jobs: Int?

  @Option(
    help: ArgumentHelp(
      "The shape of the report: \(TestOutputFormat.allValueStrings.joined(separator: ", ")).",
      valueName: "format"))
  var outputFormat = TestOutputFormat.text

  @Option(
    help: ArgumentHelp(
      "A folder for the files of failed tests: their sounds, goldens, differences, "
        + "pictures, and a page, index.html.",
      valueName: "folder"),
    completion: .directory)
  var artifacts: String?

  @Flag(help: "Measure a patch, and write a first test file beside it.")
  var new = false

  @Option(
    help: ArgumentHelp(
      "With --new: the sound file that replaces the microphone.", valueName: "path"),
    completion: .file())
  var input: String?

  @Option(
    help: ArgumentHelp(
      "With --new: how long to measure; by default until the patch ends, at most 10 s.",
      valueName: "seconds"),
    transform: Seconds.read)
  var duration: Seconds?

  @Flag(
    help: """
      Write the goldens that are missing or no longer match, and the bounds that no longer hold: as \
      wide as the measured value needs, but no wider than --most-margin.
      """)
  var bless = false

  @Option(
    help: ArgumentHelp(
      "How far --bless may move a bound at most, in its own unit.", valueName: "amount"))
  var mostMargin = 3.0

  @Flag(
    help: """
      Change the patches on purpose, in a dozen ways. List the changes that no expectation notices, \
      and the expectations that notice no change.
      """)
  var mutate = false

  @Flag(help: "Run again whenever a test file or a patch is written, until Ctrl-C.")
  var watch = false

  @Flag(name: [.customShort("q"), .long], help: "Print nothing about tests that pass.")
  var quiet = false

  @OptionGroup var kernel: KernelOptions
  @OptionGroup var native: NativeOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if let shard, ShardPart(shard) == nil {
      throw ValidationError("'--shard' is i/n, the i-th of n parts, and not \(quoted(shard))")
    }
    if let jobs, !(1...256).contains(jobs) {
      throw ValidationError("'--jobs' is 1 to 256, not \(jobs)")
    }
    guard mostMargin >= 0 else { throw ValidationError("'--most-margin' is 0 or more") }
    if !new, input != nil || duration != nil {
      throw ValidationError(
        "'--input' and '--duration' go with --new: a test file says its own \"input\" and \"duration\""
      )
    }
    let modes = [new, bless, mutate, watch].count { $0 }
    if modes > 1 {
      throw ValidationError("'--new', '--bless', '--mutate' and '--watch' exclude each other")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    try kernel.apply()
    if new { return try NewTests(command: self).write() }
    let signals = try Signals()
    if mutate { return try MutationRun(command: self).run(signals) }
    if watch { return try watchAll(signals) }
    let batch = try loadTests()
    if bless { return try Blessing(command: self).bless(batch, signals) }
    return try run(batch, signals)
  }

  // MARK: Files

  /// The test files, and the tests in them to run.
  struct Batch {
    var files: [TestFile] = []
    /// The path of each file in reports.
    var names: [String] = []
    var unreadable: [UnreadablePath] = []
    /// The tests to run: indices of a file and of a test in it.
    var tests: [(file: Int, test: Int)] = []
    /// The paths that were read, to watch them.
    var paths: [String] = []
  }

  func loadTests() throws(CommandFailure) -> Batch {
    var batch = Batch()
    let folder = PatchPaths.currentFolder
    let items = PatchPaths.items(paths) { policy.forNamed($0) }
    for item in items {
      switch item {
      case .leftOut: continue
      case .failure(let path, let failure):
        appearance.report("error", failure.message, help: failure.help)
        batch.unreadable.append(.init(path: path, message: failure.message))
      case .file(let path, let files):
        let isNamed = paths.contains(path)
        guard let path = Self.testPath(path, isNamed: isNamed) else { continue }
        do throws(CommandFailure) {
          let file = try PatchFile(path, files: files, limits: policy.limits)
          batch.files.append(
            TestFile(
              file.source, directory: file.directory,
              access: policy.accessOfTests(native.nativeCode)))
          batch.names.append(PatchPaths.reported(path, in: folder))
          batch.paths.append(path)
        } catch {
          appearance.report("error", error.message, help: error.help)
          batch.unreadable.append(
            .init(path: PatchPaths.reported(path, in: folder), message: error.message))
        }
      }
    }
    for (file, tests) in batch.files.enumerated() {
      for (number, test) in tests.tests.enumerated()
      where filter.map({ Self.matches($0, test.name) || Self.matches($0, batch.names[file]) })
        ?? true
      {
        batch.tests.append((file, number))
      }
    }
    if let part = shard.flatMap(ShardPart.init) {
      batch.tests = batch.tests.enumerated().filter { part.has($0.offset) }.map(\.element)
    }
    if batch.files.isEmpty && batch.unreadable.isEmpty {
      throw CommandFailure(
        ExitStatus.unavailable, "there is no test file",
        help: [
          "a test file is called NAME.test.json: 'patchrun test mix.json --new' writes a first one"
        ])
    }
    return batch
  }

  /// The test file of a path: the path itself, or the test file beside a patch that the user named.
  static func testPath(_ path: String, isNamed: Bool) -> String? {
    if path.hasSuffix(".test.json") || path.hasSuffix(".test.jsonc") { return path }
    guard isNamed else { return nil }
    for ending in [".json", ".jsonc"] where path.hasSuffix(ending) {
      let beside = String(path.dropLast(ending.count)) + ".test" + ending
      if FolderListing.exists(beside) { return beside }
    }
    return path
  }

  /// Whether a text contains a part; a pattern with `*` or `?` has to match the whole text.
  static func matches(_ pattern: String, _ text: String) -> Bool {
    guard FilePattern(pattern).isPattern else {
      return text.lowercased().contains(pattern.lowercased())
    }
    return FolderListing.matches(text, pattern)
  }

  // MARK: Running

  func run(_ batch: Batch, _ signals: Signals) throws(CommandFailure) -> Int32 {
    var options = TestChecker.Options()
    options.keepsSound = artifacts != nil
    let begin = Double(monotonicNanoseconds()) / 1e9
    var findings: [Int: [CheckedTest]] = [:]
    var printer = TestPrinter(command: self, batch: batch)
    let keeps = options
    let checked = parallelMap(
      batch.tests.count, atMost: jobs,
      finished: { number, test in
        printer.printResult(test, batch.tests[number].file, batch.tests[number].test)
      },
      { number in
        let (file, test) = batch.tests[number]
        return TestChecker.check(
          test, of: batch.files[file], keeps, isCancelled: { signals.interruptedBy != nil })
      })
    for (number, test) in checked.enumerated() {
      findings[batch.tests[number].file, default: []].append(test)
    }
    let report = report(batch, findings)
    try printer.finish(report, seconds: Double(monotonicNanoseconds()) / 1e9 - begin)
    if let artifacts { try write(batch, checked, to: artifacts) }
    if let signal = signals.interruptedBy { return ExitStatus.interrupted(by: signal) }
    if !batch.unreadable.isEmpty { return ExitStatus.unavailable }
    let hasFailed = report.tally.errors > 0 || checked.contains { !$0.hasPassed }
    if batch.tests.isEmpty, report.tally.errors == 0 {
      throw CommandFailure(
        ExitStatus.wrongUsage, "no test is run",
        help: [filter == nil ? "the test files have none" : "none matches \(quoted(filter ?? ""))"])
    }
    return hasFailed ? ExitStatus.wrongPatch : ExitStatus.success
  }

  /// The results by file.
  private func report(_ batch: Batch, _ checked: [Int: [CheckedTest]]) -> Report {
    var report = Report(version: Program.version, rules: RuleCatalog.all)
    report.subject = "test"
    for (number, file) in batch.files.enumerated() {
      let tests = checked[number] ?? []
      var cases: [CheckedCase] = []
      for test in tests {
        if test.expectations.isEmpty, let problem = test.problem {
          cases.append(
            CheckedCase(
              test: test.name, title: "runs", status: .notMeasured, seconds: test.seconds,
              diagnostic: problem))
        }
        for (place, expectation) in test.expectations.enumerated() {
          cases.append(
            CheckedCase(
              test: test.name, title: expectation.title,
              status: .init(rawValue: expectation.status.rawValue) ?? .notMeasured,
              measured: expectation.measured, place: expectation.place,
              seconds: place == 0 ? test.seconds : 0,
              diagnostic: expectation.diagnostic ?? test.problem))
        }
      }
      var findings = Findings(limit: policy.maxFindings)
      var seen: Set<Diagnostic> = []
      for diagnostic in (file.diagnostics + tests.flatMap(\.diagnostics)).inDocumentOrder()
      where seen.insert(diagnostic).inserted {
        findings.append(diagnostic)
      }
      report.entries.append(
        .patch(
          CheckedPatch(
            path: batch.names[number], source: file.source, diagnostics: findings.all,
            cases: cases)))
    }
    report.entries += batch.unreadable.map { .unreadable($0) }
    return report
  }

  /// Writes the artifacts of the failed tests.
  private func write(
    _ batch: Batch, _ checked: [CheckedTest], to folder: String
  ) throws(CommandFailure) {
    var artifacts = TestArtifacts(folder: folder)
    artifacts.testCount = batch.tests.count
    for (number, test) in checked.enumerated() where !test.hasPassed {
      try artifacts.add(ArtifactTest(test, in: batch.names[batch.tests[number].file]))
    }
    try artifacts.finish()
  }

  // MARK: Watching

  private func watchAll(_ signals: Signals) throws(CommandFailure) -> Int32 {
    while true {
      let batch = try loadTests()
      _ = try run(batch, signals)
      if signals.interruptedBy != nil { return ExitStatus.success }
      let watch = try FileWatch()
      for (file, path) in zip(batch.files, batch.paths) {
        try watch.add(path)
        if let patch = file.patch { try watch.add(patch.source.name) }
      }
      StandardStream.error.put("watching; Ctrl-C ends it\n")
      while !watch.takeChange() {
        if signals.interruptedBy != nil { return ExitStatus.success }
        watch.wait(orFor: signals.descriptor)
      }
    }
  }
}

/// A part of the tests: `--shard`.
struct ShardPart {
  private let part: Int
  private let count: Int

  /// Parses `2/4`.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let part = parts[0], let count = parts[1],
      (1...100_000).contains(count),
      (1...count).contains(part)
    else { return nil }
    (self.part, self.count) = (part, count)
  }

  func has(_ index: Int) -> Bool { index % count == part - 1 }
}

extension PolicyOptions {
  /// How the patches of test files are read.
  func accessOfTests(_ nativeCode: NativeCode = .refused) -> TestFile.Access {
    TestFile.Access(limits: limits) { surroundings(in: $0, nativeCode) }
  }

  var accessOfTests: TestFile.Access { accessOfTests() }
}
