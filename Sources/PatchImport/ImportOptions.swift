public import FileAccess

/// What is not in the file.
public struct ImportOptions: Sendable {
  /// The most bytes of a file with all that it includes.
  public static let mostBytes = 4 << 20
  /// The most stages.
  static let mostStages = 4096

  /// In hertz, for files that do not say: bandwidths in octaves and delays in frames depend on it.
  public var sampleRate = 48_000.0
  /// For files that do not say.
  public var channels = ["L", "R"]
  /// The device that lines for a device are for; `nil` for the first that is named.
  public var device: String?
  /// The folder of the file; empty for the working folder.
  public var folder = ""
  /// How files that it names are opened.
  public var files: FilePolicy

  public init(folder: String = "", files: FilePolicy? = nil) {
    self.folder = folder
    self.files = files ?? FilePolicy(patchIn: folder, isConfined: true)
  }
}
