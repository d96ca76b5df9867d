import ArgumentParser
import Diagnostics
import PatchGraph

struct Validate: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Checks patches, without a sound server.",
    discussion: """
      Says everything that is wrong, with its place in the text. What the patch prefers is taken as \
      granted by the device, or what --hardware says. Of a folder every file below it that ends in \
      .json or .jsonc is checked.

      EXAMPLES:
        patchrun validate patches
        patchrun validate --deny-warnings --hardware rate=44100 mixer.json
        patchrun validate --fix mixer.json
        generate-a-patch | patchrun validate -

      EXIT STATUS:
        0 without errors, 1 with (or with warnings, where they are denied), 3 where a file cannot \
      be read
      """)

  @Argument(
    help: ArgumentHelp("Patches, folders, or '-' for standard input.", valueName: "path"),
    completion: .file(extensions: ["json", "jsonc"]))
  var paths: [String]

  @Flag(help: "Take warnings as errors.")
  var denyWarnings = false

  @Flag(
    help: """
      Write what can safely be put right into the files, and say what: misspelt names that can \
      have meant one thing, commas, quotes.
      """)
  var fix = false

  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var appearance: AppearanceOptions

  /// What was found in all.
  struct Tally: Equatable {
    var patches = 0
    var errors = 0
    var warnings = 0
    var unreadable = 0

    mutating func add(_ diagnostics: [Diagnostic]) {
      patches += 1
      errors += diagnostics.count { $0.severity == .error }
      warnings += diagnostics.count { $0.severity == .warning }
    }

    /// A file that cannot be read outweighs the findings: the answer is not complete.
    func status(denyWarnings: Bool) -> Int32 {
      if unreadable > 0 { return ExitStatus.worldRefused }
      return errors > 0 || (denyWarnings && warnings > 0)
        ? ExitStatus.wrongPatch : ExitStatus.success
    }

    var text: String {
      let findings = [
        errors > 0 ? counted(errors, "error") : nil,
        warnings > 0 ? counted(warnings, "warning") : nil,
        unreadable > 0 ? "\(counted(unreadable, "path")) unreadable" : nil,
      ].compactMap { $0 }
      return "\(patches) \(patches == 1 ? "patch" : "patches") checked: "
        + (findings.isEmpty ? "no errors" : findings.joined(separator: ", "))
    }
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
    var tally = Tally()
    for path in paths {
      do throws(CommandFailure) {
        guard path != "-", PatchFolder.isFolder(path) else {
          try check(path, &tally)
          continue
        }
        let found = try PatchFolder.patches(below: path)
        guard !found.isEmpty else {
          throw CommandFailure(
            ExitStatus.worldRefused, "no file below \(quoted(path)) ends in .json or .jsonc")
        }
        for patch in found { try check(patch, &tally) }
      } catch {
        tally.unreadable += 1
        appearance.report("error", error.message, help: error.help)
      }
    }
    if tally.patches > 1 { try output(tally.text + "\n") }
    return tally.status(denyWarnings: denyWarnings)
  }

  private func check(_ path: String, _ tally: inout Tally) throws(CommandFailure) {
    let file = try PatchFile(path)
    let device = PatchDevice.assumed(hardware.assumption)
    let patch =
      fix
      ? try fixed(file, device)
      : PatchBuilder.build(file.read(overrides), directory: file.directory, device: device)
    tally.add(patch.diagnostics)
    try output(appearance.text(of: patch, for: .output))
  }

  /// The patch after what was safe has been put right in its file.
  private func fixed(_ file: PatchFile, _ device: PatchDevice) throws(CommandFailure) -> BuiltPatch
  {
    let result = PatchFixer.fix(file.source, directory: file.directory, device: device)
    guard !result.changes.isEmpty else { return result.patch }
    let name = file.source.name
    try AtomicFile.replace(name, with: result.patch.source.bytes)
    for change in result.changes {
      try output("fixed[\(change.code)]: \(name):\(change.position): \(change.title)\n")
    }
    return result.patch
  }
}
