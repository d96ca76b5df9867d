public import FileAccess

/// What an import needs besides the file.
public struct ImportOptions: Sendable {
  /// The greatest size of a file in bytes, with all files that it includes.
  public static let maximumBytes = 4 << 20
  /// The greatest number of stages of a chain.
  static let maximumStages = 4096

  /// The sample rate in hertz for files that have none: bandwidths in octaves and delays in frames
  /// depend on it.
  public var sampleRate = 48_000.0
  /// The names of the channels for files that do not name them.
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
