import ArgumentParser
import AudioTypes
import Diagnostics
import FileAccess
import Jobs
import PatchGraph
import PatchSyntax
import Reports
import SoundChecks

struct Validate: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Checks patches, without a sound server.",
    discussion: """
      It reports every mistake with its position in the text. The device is assumed to grant what \
      the patch prefers, or what --hardware says. In a folder every .json and .jsonc file is \
      checked, also in its subfolders; of a pattern every such file that it matches. A code is \
      written as PR0551, or shortened to a prefix: PR05.

      EXAMPLES:
        patchrun validate mix.json
        patchrun validate --deny-warnings --hardware rate=44100 mix.json
        patchrun validate --fix mix.json
        patchrun validate '**/*.json' --ignore PR0408
        patchrun validate --output-format sarif mix.json > patchrun.sarif
        patchrun new eq | patchrun validate -

      EXIT STATUS:
        0  there are no errors
        1  there are errors, or warnings with --deny-warnings
        2  wrong usage
        3  a file cannot be read or written

      ENVIRONMENT:
        GITHUB_STEP_SUMMARY  a file that also gets the findings, with
                             --output-format github
      """)

  @Argument(
    help: ArgumentHelp(
      "Patches, folders, patterns such as 'patches/**/*.json', or '-' for standard input.",
      valueName: "path"),
    completion: .file(extensions: ["json", "jsonc"]))
  var paths: [String]

  @Option(
    help: ArgumentHelp(
      "The shape of the findings: \(OutputFormat.allValueStrings.joined(separator: ", ")).",
      valueName: "format"))
  var outputFormat = OutputFormat.text

  @Flag(
    help: "Report notes, too: conversions, and how loud the sound becomes.")
  var notes = false

  @Flag(help: "Take warnings as errors.")
  var denyWarnings = false

  @Flag(
    help: """
      Correct what is safe to correct in the files, and report it: misspelt names with only one \
      possible meaning, commas, quotes.
      """)
  var fix = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Report only these codes, and mistakes in the JSON itself; repeatable.",
      valueName: "codes"),
    completion: .custom(CompletionValues.codes))
  var select: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Do not report these codes; repeatable. If --select matches, too, the longer prefix "
        + "decides.",
      valueName: "codes"),
    completion: .custom(CompletionValues.codes))
  var ignore: [String] = []

  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var appearance: AppearanceOptions

  /// The result of checking one path.
  private struct Outcome: Sendable {
    /// `nil` for a JSON file in a folder that is not a patch.
    var entry: Report.Entry?
    var ignoredCount = 0
    var changes: [String] = []
    var failure: CommandFailure?
  }

  func validate() throws {
    guard fix else { return }
    if paths.contains("-") {
      throw ValidationError("'--fix' writes into files: standard input has none")
    }
    if !overrides.overrides.isEmpty {
      throw ValidationError("'--fix' and '--set' cannot be given together")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let selection = try codes()
    let found = PatchPaths.items(paths) { policy.forNamed($0) }
    PatchPaths.note(leftOut: found, appearance)
    let items = found.filter { if case .leftOut = $0 { false } else { true } }
    var report = Report(
      deniesWarnings: denyWarnings, version: Program.version, rules: RuleCatalog.all)
    var tally = Tally()
    /// The finding that the last line refers to.
    var noted: Diagnostic?
    let folder = PatchPaths.currentFolder
    var own = OwnFindings(items, .assumed(hardware.assumption), policy)
    // In batches, so that text is printed while checking goes on.
    for start in stride(from: 0, to: items.count, by: 256) {
      let part = Array(items[start..<min(start + 256, items.count)])
      let outcomes = parallelMap(part.count) {
        check(part[$0], selection, folder, isOnly: items.count == 1)
      }
      for (item, outcome) in zip(part, outcomes) {
        guard var entry = outcome.entry else {
          PatchFolder.noteOtherJSON(item.path, appearance)
          continue
        }
        if case .patch(let patch) = entry { entry = .patch(own.withoutDuplicates(patch)) }
        tally.add(entry)
        tally.ignored += outcome.ignoredCount
        if let failure = outcome.failure {
          appearance.report("error", failure.message, help: failure.help)
        }
        let changes = outcome.changes.joined()
        if outputFormat == .text { try output(changes) } else { StandardStream.error.put(changes) }
        if outputFormat != .text {
          report.entries.append(entry)
        } else if case .patch(let patch) = entry {
          try output(appearance.text(patch.diagnostics, in: patch.source, for: .output))
          noted = ([noted].compactMap(\.self) + patch.diagnostics).mainFinding
        }
      }
    }
    report.ignoredCount = tally.ignored
    if let format = outputFormat.report {
      try output(format.text(report))
    } else if tally.patches > 1 || tally.ignored > 0 {
      try output(tally.text + "\n")
    }
    if outputFormat == .text { appearance.hint(at: noted) }
    if outputFormat == .github { GitHubSummary.write(report, appearance) }
    return tally.status(denyWarnings: denyWarnings)
  }

  private func codes() throws(CommandFailure) -> CodeSelection {
    do throws(CodeSelection.UnknownCode) {
      return try CodeSelection(selected: select, ignored: ignore, rules: RuleCatalog.all)
    } catch {
      throw CommandFailure(ExitStatus.wrongUsage, error.message, help: error.help)
    }
  }

  private func check(
    _ item: PatchPaths.Item, _ selection: CodeSelection, _ folder: String, isOnly: Bool
  ) -> Outcome {
    do throws(CommandFailure) {
      switch item {
      case .failure(let path, let failure): return unreadable(path, failure, folder)
      case .leftOut: return unreadable(item.path, .reported(ExitStatus.unavailable), folder)
      case .file(let path, let files):
        let file = try PatchFile(path, files: files, limits: policy.limits)
        if let preset = Self.preset(file) { return check(preset, path, selection, folder) }
        if TestDocument.isTests(file.source) {
          return try check(tests: file, path, files, selection, folder)
        }
        let device = PatchDevice.assumed(hardware.assumption)
        let fixing = fix ? try fixed(file, files, device, selection) : nil
        let patch =
          fixing?.patch
          ?? PatchBuilder.build(
            file.read(overrides), in: policy.surroundings(of: file, foundBy: files),
            device: device, notes: notes)
        if patch.hasErrors, files.folder != nil, PatchFolder.isOtherJSON(file.source) {
          return Outcome()
        }
        if isOnly { LastingValues.keep(patch) }
        let kept = patch.diagnostics.filter(selection.keeps)
        // The text of a patch without findings is not needed any more.
        let source =
          kept.isEmpty ? SourceText(name: patch.source.name, bytes: []) : patch.source
        return Outcome(
          entry: .patch(
            CheckedPatch(
              path: PatchPaths.reported(path, in: folder), source: source, diagnostics: kept,
              subgraphPaths: Dictionary(
                patch.subgraphFiles.map {
                  ($0.name, PatchPaths.reported($0.name, in: folder))
                }, uniquingKeysWith: { first, _ in first }))),
          ignoredCount: patch.diagnostics.findingCount - kept.findingCount,
          changes: Self.lines(fixing?.changes ?? [], path))
      }
    } catch {
      return unreadable(item.path, error, folder)
    }
  }

  /// The preset in a file that holds one in place of a patch. Files above 64 KiB, larger than any
  /// preset, are not parsed for it.
  static func preset(_ file: PatchFile) -> SavedPreset? {
    file.source.bytes.count <= 65_536 ? SavedPreset(file.source) : nil
  }

  private func check(
    _ preset: SavedPreset, _ path: String, _ selection: CodeSelection, _ folder: String
  ) -> Outcome {
    let kept = preset.diagnostics.filter(selection.keeps)
    return Outcome(
      entry: .patch(
        CheckedPatch(
          path: PatchPaths.reported(path, in: folder), source: preset.source, diagnostics: kept)),
      ignoredCount: preset.diagnostics.findingCount - kept.findingCount)
  }

  /// Checks a test file. Nothing is rendered.
  private func check(
    tests file: PatchFile, _ path: String, _ files: FilePolicy, _ selection: CodeSelection,
    _ folder: String
  ) throws(CommandFailure) -> Outcome {
    var tests = TestFile(
      file.source, directory: file.directory, access: policy.reaching(files).accessOfTests)
    var found = TestChecker.findings(in: tests)
    var changes: [PatchFixer.Change] = []
    if fix {
      (tests, found, changes) = TestFixer.fix(tests, where: selection.keeps)
      if !changes.isEmpty {
        try AtomicFile.replace(file.source.name, with: tests.source.bytes, files: files)
      }
    }
    let kept = found.filter(selection.keeps)
    return Outcome(
      entry: .patch(
        CheckedPatch(
          path: PatchPaths.reported(path, in: folder), source: tests.source, diagnostics: kept)),
      ignoredCount: found.findingCount - kept.findingCount, changes: Self.lines(changes, path))
  }

  private static func lines(_ changes: [PatchFixer.Change], _ path: String) -> [String] {
    changes.map { "fixed[\($0.code)]: \(path):\($0.position): \($0.title)\n" }
  }

  /// Applies the safe fixes and writes the file.
  private func fixed(
    _ file: PatchFile, _ files: FilePolicy, _ device: PatchDevice, _ selection: CodeSelection
  ) throws(CommandFailure) -> PatchFixer.Result {
    let result = PatchFixer.fix(
      file.source, in: policy.surroundings(of: file, foundBy: files), device: device,
      limits: policy.limits, where: selection.keeps)
    if !result.changes.isEmpty {
      try AtomicFile.replace(
        file.source.name, with: result.patch.ownSource.bytes, files: files)
    }
    return result
  }

  private func unreadable(_ path: String, _ failure: CommandFailure, _ folder: String) -> Outcome {
    Outcome(
      entry: .unreadable(
        UnreadablePath(
          path: PatchPaths.reported(path, in: folder), message: failure.message)),
      failure: failure)
  }
}

/// The findings of files that are checked by themselves. They are not repeated for the patches that
/// use these files as sub-graphs.
private struct OwnFindings {
  private struct Finding: Hashable {
    var code: Rule.Code
    var message: Diagnostic.Message
    var range: SourceRange
  }

  private let items: [PatchPaths.Item]
  private let device: PatchDevice
  private let policy: PolicyOptions
  /// The items by the identity of their files; `nil` until first used.
  private var checked: [FileIdentity: PatchPaths.Item]?
  private var findings: [FileIdentity: Set<Finding>] = [:]

  init(_ items: [PatchPaths.Item], _ device: PatchDevice, _ policy: PolicyOptions) {
    self.policy = policy
    self.items = items
    self.device = device
  }

  /// Removes the findings in sub-graphs that the check of the sub-graph's own file also reports.
  mutating func withoutDuplicates(_ patch: CheckedPatch) -> CheckedPatch {
    guard !patch.subgraphPaths.isEmpty, items.count > 1 else { return patch }
    var patch = patch
    patch.diagnostics = patch.diagnostics.filter { diagnostic in
      let (text, range) = patch.source.origin(of: diagnostic.range)
      guard patch.subgraphPaths[text.name] != nil,
        let found = findings(in: text.name)
      else { return true }
      return !found.contains(
        Finding(code: diagnostic.code, message: diagnostic.message, range: range))
    }
    return patch
  }

  private mutating func findings(in path: String) -> Set<Finding>? {
    guard let identity = FileIdentity(of: path) else { return nil }
    if let known = findings[identity] { return known }
    let files = checked ?? Self.identities(items)
    checked = files
    guard case .file(let path, let policy)? = files[identity],
      let file = try? PatchFile(path, files: policy, limits: self.policy.limits)
    else { return nil }
    let own: (source: SourceText, diagnostics: [Diagnostic])
    if let preset = Validate.preset(file) {
      own = (preset.source, preset.diagnostics)
    } else {
      let built = PatchBuilder.build(
        file.read(), in: self.policy.surroundings(of: file, foundBy: policy), device: device)
      own = (built.source, built.diagnostics)
    }
    let found = Set(
      own.diagnostics.map {
        Finding(code: $0.code, message: $0.message, range: own.source.origin(of: $0.range).range)
      })
    findings[identity] = found
    return found
  }

  private static func identities(
    _ items: [PatchPaths.Item]
  ) -> [FileIdentity: PatchPaths.Item] {
    var found: [FileIdentity: PatchPaths.Item] = [:]
    for item in items {
      if case .file(let path, _) = item, let identity = FileIdentity(of: path) {
        found[identity] = item
      }
    }
    return found
  }
}

extension Tally {
  /// An unreadable file outweighs findings, because the check is incomplete.
  fileprivate func status(denyWarnings: Bool) -> Int32 {
    if unreadable > 0 { return ExitStatus.unavailable }
    return errors > 0 || (denyWarnings && warnings > 0)
      ? ExitStatus.wrongPatch : ExitStatus.success
  }
}
