import FileAccess
public import PatchGraph
public import PatchSyntax

/// The surroundings that all jobs of a batch share.
public struct BatchContext: Sendable {
  /// The folder that paths in the manifest are relative to; empty for the working directory.
  public var manifestFolder: String
  /// The folder of outputs and records.
  public var outputFolder: String
  /// The version and the kernel class, which are part of every key.
  public var version: String
  public var kernel: String
  public var limits: PatchLimits
  /// Returns the surroundings of a patch in a folder, for one job. The job may write to the output
  /// folder.
  public var surroundings: @Sendable (_ directory: String) -> PatchSurroundings
  public var assumption: HardwareAssumption

  public init(
    manifestFolder: String, outputFolder: String, version: String, kernel: String,
    limits: PatchLimits = .standard, assumption: HardwareAssumption = HardwareAssumption(),
    surroundings: (@Sendable (String) -> PatchSurroundings)? = nil
  ) {
    self.manifestFolder = manifestFolder
    self.outputFolder = outputFolder
    self.version = version
    self.kernel = kernel
    self.limits = limits
    self.assumption = assumption
    self.surroundings =
      surroundings ?? { directory in
        PatchSurroundings(
          directory: directory,
          files: FilePolicy(patchIn: directory, allowed: [outputFolder]), limits: limits)
      }
  }

  /// A path of the manifest, relative to the working directory.
  func path(_ path: String) -> String { FilePolicy.join(manifestFolder, path) }

  /// The absolute path.
  static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FilePolicy.join(RawFile.workingFolder, path)
  }

  func outputPath(_ path: String) -> String { FilePolicy.join(outputFolder, path) }
}
