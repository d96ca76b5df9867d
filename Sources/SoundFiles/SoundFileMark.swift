import CSndfile
import FileAccess
import Glibc
import Synchronization

/// Recognizes the sound files that patchrun has written.
public enum SoundFileMark {
  /// Whether a file names patchrun as the program that made it, as WAV, RF64, AIFF, CAF, FLAC, Ogg,
  /// Opus and MP3 files do. Other types only have a `FileMark`, on file systems that support it.
  ///
  /// - Parameter descriptor: Open for reading; stays open.
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
      // libsndfile appends its own name.
      if unsafe String(cString: text).hasPrefix(FileMark.software) { return true }
    }
    return false
  }
}
