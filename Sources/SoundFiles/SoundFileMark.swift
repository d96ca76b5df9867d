import CSndfile
import FileAccess
import Glibc
import Synchronization

/// Tells sound files that patchrun has written from others.
public enum SoundFileMark {
  /// Whether a file names patchrun as the program that it was made by: WAV, RF64, AIFF, CAF, FLAC, Ogg,
  /// Opus and MP3 files do. The others are told by `FileMark` alone, on file systems that keep it.
  ///
  /// - Parameter descriptor: To be read; stays open.
  public static func isSet(_ descriptor: Int32) -> Bool {
    guard SoundLibrary.fileProblem == nil else { return false }
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return false }
    let bytes = FileBytes(copy)
    var info = SF_INFO()
    var opened: OpaquePointer?
    openingLock.withLock { _ in unsafe opened = bytes.open(SFM_READ, &info) }
    guard let file = unsafe opened else { return false }
    defer { unsafe sf_close(file) }
    for name in [SF_STR_SOFTWARE, SF_STR_COMMENT] {
      guard let text = unsafe sf_get_string(file, Int32(name)) else { continue }
      // libsndfile puts its own name behind it.
      if unsafe String(cString: text).hasPrefix(FileMark.software) { return true }
    }
    return false
  }
}
