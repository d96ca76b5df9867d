public import Diagnostics
public import FileAccess
public import PatchSyntax
public import RenderTaps

/// What a patch depends on besides its text: the folder that its paths start from, and the
/// permissions that its user gives it.
public struct PatchSurroundings: Hashable, Sendable {
  /// The folder that paths in the patch are relative to; empty for the working folder.
  public var directory: String
  /// Which libraries initializing the graph may load. Building the graph loads none.
  public var nativeCode: NativeCode
  /// Which files may be read and written.
  public var files: FilePolicy
  /// What taps do where the file that they write exists. One run uses one value.
  public var takes: Takes

  /// The limits for callers that read the text of the patch themselves.
  public var limits: PatchLimits

  /// - Parameter files: The rules for opening files; `nil` for the default of a patch in that
  ///   folder.
  public init(
    directory: String, nativeCode: NativeCode = .refused, files: FilePolicy? = nil,
    takes: Takes = Takes(.replaceOwn), limits: PatchLimits = .standard
  ) {
    self.limits = limits
    self.directory = directory
    self.nativeCode = nativeCode
    self.files = files ?? FilePolicy(patchIn: directory)
    self.takes = takes
  }
}

// MARK: - Patches in a folder, with the default permissions

extension PatchBuilder {
  /// Builds the graph of a patch that is in a folder; see `build(_:in:device:notes:)`.
  public static func build(
    _ reading: PatchReader.Result, directory: String, device: PatchDevice,
    nativeCode: NativeCode = .refused, notes: Bool = false
  ) -> BuiltPatch {
    build(
      reading, in: PatchSurroundings(directory: directory, nativeCode: nativeCode),
      device: device, notes: notes)
  }
}

extension PatchFixer {
  /// Fixes a patch that is in a folder; see `fix(_:in:device:where:)`.
  public static func fix(
    _ source: SourceText, directory: String, device: PatchDevice,
    where isWanted: (Diagnostic) -> Bool = { _ in true }
  ) -> Result {
    fix(source, in: PatchSurroundings(directory: directory), device: device, where: isWanted)
  }
}

extension LivePatch {
  /// Begins with a patch that is in a folder; see `init(_:from:in:hasTaps:)`.
  public convenience init?(
    _ patch: BuiltPatch, from reading: PatchReader.Result, directory: String, hasTaps: Bool = true
  ) {
    self.init(
      patch, from: reading, in: PatchSurroundings(directory: directory), hasTaps: hasTaps)
  }
}
