import Diagnostics
import FileAccess
import PatchRendering
import SoundChecks
import SoundFiles
import SoundMeasures

/// `test --new`: measures patches and writes a first test file beside each.
struct NewTests {
  let command: TestCommand

  func write() throws(CommandFailure) -> Int32 {
    for path in command.paths {
      guard let name = Self.baseName(path) else {
        throw CommandFailure(
          ExitStatus.wrongUsage, "\(quoted(path)) is no patch",
          help: ["name a patch, a .json file: its test file gets .test.json at its end"])
      }
      try write(path, name)
    }
    return ExitStatus.success
  }

  /// The folder, the name and the ending of a patch's path: `patches`, `mix`, `.json`.
  private static func baseName(_ path: String) -> (folder: String, name: String, ending: String)? {
    for ending in [".jsonc", ".json"]
    where path.hasSuffix(ending) && !path.hasSuffix(".test" + ending) {
      let file = path.split(separator: "/").last.map(String.init) ?? path
      return (FilePolicy.folder(of: path), String(file.dropLast(ending.count)), ending)
    }
    return nil
  }

  private func write(
    _ path: String, _ place: (folder: String, name: String, ending: String)
  ) throws(CommandFailure) {
    let file = try command.policy.patchFile(path)
    let reading = file.read()
    let surroundings = command.policy.surroundings(of: file, command.native.nativeCode)
    let test = FilePolicy.join(place.folder, place.name + ".test.json")
    guard !FolderListing.exists(test) else {
      throw CommandFailure(
        ExitStatus.unavailable, "\(quoted(test)) is there already",
        help: ["'patchrun test \(test) --bless' takes what is heard now as right"])
    }
    let input = try SoundFileReader.opened(asInput: command.input)
    let first: FirstTests
    do throws(PatchRender.Failure) {
      first = try FirstTests(
        of: reading, in: surroundings, path: place.name + place.ending,
        golden: place.name + ".golden.flac",
        input: input.map { (relative(command.input ?? "", to: place.folder), $0) },
        duration: command.duration?.value)
    } catch {
      throw failure(error)
    }
    if let golden = first.golden {
      try command.write(golden.sound, to: FilePolicy.join(place.folder, golden.path))
    }
    try AtomicFile.create(test, with: Array(first.text.utf8))
    if !command.quiet {
      StandardStream.error.put(
        "\(printable(test)): what the patch sounds like now; read it, and take out what does not matter\n"
      )
    }
  }

  /// A path relative to a folder; unchanged if it is not below the folder.
  private func relative(_ path: String, to folder: String) -> String {
    guard !folder.isEmpty else { return path }
    if path.hasPrefix("/") { return path }
    let prefix = folder + "/"
    if path.hasPrefix(prefix) { return String(path.dropFirst(prefix.count)) }
    let steps = folder.split(separator: "/").filter { $0 != "." }
    return folder.hasPrefix("/")
      ? PatchPaths.currentFolder + "/" + path
      : steps.map { _ in "../" }.joined() + path
  }

  private func failure(_ failure: PatchRender.Failure) -> CommandFailure {
    switch failure {
    case .wrong(let patch):
      command.appearance.report(patch)
      return .reported(ExitStatus.wrongPatch)
    case .refused(let violation, let patch): return command.appearance.report(violation, of: patch)
    case .endless:
      return CommandFailure(ExitStatus.wrongUsage, "the patch has no end of its own")
    case .noPlace(_, let text), .restart(let text), .failed(let text):
      return CommandFailure(ExitStatus.failedRunning, text)
    }
  }
}

/// `test --bless`: takes the present sound as right.
struct Blessing {
  let command: TestCommand

  func bless(_ batch: TestCommand.Batch, _ signals: Signals) throws(CommandFailure) -> Int32 {
    var options = TestChecker.Options()
    options.keepsSound = true
    var hasRefused = false
    for (number, file) in batch.files.enumerated() {
      let name = batch.names[number]
      if !file.diagnostics.isEmpty {
        try command.output(command.appearance.findings(file.diagnostics, in: file.source))
        hasRefused = true
        continue
      }
      let tests = batch.tests.filter { $0.file == number }.map(\.test)
      var checked: [CheckedTest] = []
      for test in tests {
        if let signal = signals.interruptedBy { return ExitStatus.interrupted(by: signal) }
        checked.append(TestChecker.check(test, of: file, options))
      }
      let problems = checked.compactMap(\.problem)
      if !problems.isEmpty {
        try command.output(command.appearance.findings(problems, in: file.source))
        hasRefused = true
      }
      let blessings = Blessings(checked, of: file, maximumMovement: command.mostMargin)
      for golden in blessings.goldens { try command.write(golden.sound, to: golden.path) }
      if let text = blessings.text {
        try AtomicFile.replace(
          batch.paths[number], with: text, files: command.policy.forNamed(batch.paths[number]))
      }
      for line in blessings.changes {
        try command.output("\(printable(name)): \(printable(line))\n")
      }
      for line in blessings.refusals {
        hasRefused = true
        command.appearance.report("warning", "\(name): \(line)")
      }
      if blessings.changes.isEmpty, blessings.refusals.isEmpty, problems.isEmpty, !command.quiet {
        try command.output("\(printable(name)): everything is as expected already\n")
      }
    }
    return hasRefused ? ExitStatus.wrongPatch : ExitStatus.success
  }
}

extension TestCommand {
  func write(_ sound: Sound, to path: String) throws(CommandFailure) {
    do throws(SoundFileError) {
      try Golden.write(sound, to: path, files: policy.forNamed(path))
    } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
    }
  }
}
