import Diagnostics
import FileAccess
import PatchGraph
import PatchSyntax
import RenderTaps

/// What a patch may read, write and cost: see "What a patch from a stranger can do".
protocol PatchPolicy: Sendable {
  /// Other folders that the patch may write to, and may read if it is confined.
  var allowPath: [String] { get set }
  /// The folder for relative paths of files that taps write; `nil` for the patch's folder.
  var outputDir: String? { get }
  /// Whether the patch reads and writes only in its own folder.
  var confined: Bool { get }
  /// Limits that are not the standard ones: `nodes=20000`.
  var limit: [String] { get }
  /// The number of findings of each kind to show.
  var maxFindings: Int { get }
}

/// A policy without options.
struct PlainPolicy: PatchPolicy {
  var allowPath: [String] = []
  var outputDir: String?
  var confined = false
  var limit: [String] = []
  var maxFindings = Findings.standardLimit

  init() {}

  init(_ policy: some PatchPolicy) {
    allowPath = policy.allowPath
    outputDir = policy.outputDir
    confined = policy.confined
    limit = policy.limit
    maxFindings = policy.maxFindings
  }
}

extension PatchPolicy {
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
  func reaching(_ files: FilePolicy) -> Self {
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
