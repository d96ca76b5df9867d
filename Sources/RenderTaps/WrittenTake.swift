public import FileAccess
import SoundFiles

/// A recording of a run that is whole and has its name.
public struct WrittenTake: Hashable, Sendable {
  /// Absolute, or relative to the process's working directory.
  public var path: String
  /// The file as it was when it got its name: another one may have that name by now, and even the number that the
  /// system knew this one by.
  public var version: FileVersion
  /// In hertz.
  public var sampleRate: Double
  /// Frames that the file has.
  public var frameCount: Int

  /// `nil` for what has no name yet, and for what is no file: standard output, a pipe.
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
