import FileAccess
public import PatchGraph
public import PatchSyntax

/// What surrounds the jobs of a batch, and is not written in them.
public struct BatchSite: Sendable {
  /// What paths in the manifest are relative to; empty for the working folder.
  public var manifestFolder: String
  /// Where outputs and records are.
  public var outputFolder: String
  /// What makes the sound: a part of every key.
  public var version: String
  public var kernel: String
  public var limits: PatchLimits
  /// What surrounds a patch in a folder, for one job; it may write to the folder of outputs.
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

  /// A path of the manifest, as it would be opened.
  func path(_ path: String) -> String { FilePolicy.join(manifestFolder, path) }

  /// A path that means the same in every folder.
  static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FilePolicy.join(RawFile.workingFolder, path)
  }

  func outputPath(_ path: String) -> String { FilePolicy.join(outputFolder, path) }
}
