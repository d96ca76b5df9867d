public import FileAccess
import SoundFiles

/// A recording of a run that is whole and has its name.
public struct WrittenTake: Hashable, Sendable {
  /// Absolute, or relative to the process's working directory.
  public var path: String
  /// Which file it was when it got its name: another one may have that name by now.
  public var identity: FileIdentity
  /// In hertz.
  public var sampleRate: Double
  /// Frames that the file has.
  public var frameCount: Int

  /// `nil` for what has no name yet, and for what is no file: standard output, a pipe.
  init?(_ writer: SoundFileWriter) {
    guard writer.isNamedFile, let identity = FileIdentity(of: writer.path) else { return nil }
    path = writer.path
    self.identity = identity
    sampleRate = writer.sampleRate
    frameCount = writer.framesWritten
  }
}
