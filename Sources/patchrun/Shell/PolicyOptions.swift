import ArgumentParser
import Diagnostics
import FileAccess
import PatchGraph
import PatchSyntax
import RenderTaps

/// The options for what a patch may read, write and cost: see "What a patch from a stranger can
/// do".
struct PolicyOptions: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Another folder that the patch may write to, and may read if it is confined; "
        + "repeatable.",
      valueName: "folder"),
    completion: .directory)
  var allowPath: [String] = []

  @Option(
    help: ArgumentHelp(
      "The folder for relative paths of files that taps write, instead of the patch's "
        + "folder.",
      valueName: "folder"),
    completion: .directory)
  var outputDir: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Keep the patch in its own folder: it reads and writes nowhere else.")
  var confined = false

  @Option(
    name: .customLong("limit"), parsing: .singleValue,
    help: ArgumentHelp(
      """
      Raise or lower a limit of what the patch may cost; repeatable. \
      \(PatchLimits.table.map { "\($0.name): \($0.summary), \($0.standard)" }
        .joined(separator: "; ")).
      """,
      valueName: "NAME=VALUE"),
    completion: .list(PatchLimits.table.map { "\($0.name)=\($0.standard)" }))
  var limit: [String] = []

  @Option(
    help: ArgumentHelp(
      "The number of findings of each kind to show; the rest are counted.", valueName: "count"))
  var maxFindings = Findings.standardLimit

  /// The options with their defaults.
  static var standard: PolicyOptions {
    var options = PolicyOptions()
    options.allowPath = []
    options.outputDir = nil
    options.confined = false
    options.limit = []
    options.maxFindings = Findings.standardLimit
    return options
  }

  func validate() throws {
    var limits = PatchLimits.standard
    for text in limit {
      if let problem = limits.set(text) { throw ValidationError(problem) }
    }
    guard maxFindings >= 1 else {
      throw ValidationError("'--max-findings' is a whole number from 1 up")
    }
  }

  /// The limits of the patch.
  var limits: PatchLimits {
    var limits = PatchLimits.standard
    for text in limit { _ = limits.set(text) }
    limits.findings = maxFindings
    return limits
  }

  /// The policy for reading a file from the command line: unrestricted, unless `--confined`
  /// restricts it to its folder and forbids links out of it.
  func forNamed(_ path: String) -> FilePolicy {
    guard confined else { return .user }
    return FilePolicy(
      patchIn: FilePolicy.folder(of: path), allowed: allowPath, isConfined: true)
  }

  /// Reads a patch from the command line.
  func patchFile(_ path: String) throws(CommandFailure) -> PatchFile {
    try PatchFile(path, files: forNamed(path), limits: limits)
  }

  /// The surroundings of a patch from the command line.
  func surroundings(
    of file: PatchFile, _ nativeCode: NativeCode = .refused, takes: Takes = Takes(.replaceOwn)
  ) -> PatchSurroundings { surroundings(in: file.directory, nativeCode, takes: takes) }

  /// The surroundings of a patch that was found below a named folder: it may read in that folder.
  ///
  /// - Parameter files: The policy that the patch was read with.
  func surroundings(of file: PatchFile, foundBy files: FilePolicy) -> PatchSurroundings {
    reaching(files).surroundings(of: file)
  }

  /// The options for a file that was found below a folder.
  func reaching(_ files: FilePolicy) -> PolicyOptions {
    var wider = self
    if let folder = files.folder { wider.allowPath.append(folder) }
    return wider
  }

  /// The surroundings of a patch in a folder.
  func surroundings(
    in directory: String, _ nativeCode: NativeCode = .refused, takes: Takes = Takes(.replaceOwn)
  ) -> PatchSurroundings {
    PatchSurroundings(
      directory: directory, nativeCode: nativeCode,
      files: FilePolicy(
        patchIn: directory, allowed: allowPath, outputFolder: outputDir,
        isConfined: confined),
      takes: takes, limits: limits)
  }
}
