public import FileAccess

/// What an import needs and the file does not contain.
public struct ImportOptions: Sendable {
  /// The most bytes of a file, including all files that it includes.
  public static let mostBytes = 4 << 20
  /// The most stages of a chain.
  static let mostStages = 4096

  /// In hertz, for files without a sample rate: bandwidths in octaves and delays in frames depend
  /// on it.
  public var sampleRate = 48_000.0
  /// The names of the channels, for files without them.
  public var channels = ["L", "R"]
  /// The device whose lines are imported; `nil` for the first that the file names.
  public var device: String?
  /// The folder of the file; empty for the working folder.
  public var folder = ""
  /// The rules for opening the files that it names.
  public var files: FilePolicy

  public init(folder: String = "", files: FilePolicy? = nil) {
    self.folder = folder
    self.files = files ?? FilePolicy(patchIn: folder, isConfined: true)
  }
}
