public import FileAccess
import SoundFiles

/// A complete recording with its final name.
public struct WrittenTake: Hashable, Sendable {
  /// Absolute, or relative to the process's working directory.
  public var path: String
  /// Identifies the file at the time when it got its name: by now another file may have the name,
  /// or even the inode.
  public var version: FileVersion
  /// In Hz.
  public var sampleRate: Double
  /// The frames of the file.
  public var frameCount: Int

  /// Fails for a file without its final name, and for standard output or a pipe.
  init?(_ writer: SoundFileWriter) {
    guard writer.isNamedFile, let version = Self.version(of: writer.path) else { return nil }
    path = writer.path
    self.version = version
    sampleRate = writer.sampleRate
    frameCount = writer.framesWritten
  }

  private static func version(of path: String) -> FileVersion? {
    do throws(FileRefusal) {
      let file = try FilePolicy.user.open(path)
      return FileVersion(of: file.descriptor)
    } catch {
      return nil
    }
  }
}
