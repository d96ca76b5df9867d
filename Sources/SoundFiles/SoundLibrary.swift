import AudioTypes
import CSndfile
import CSoxr

/// The libraries of this room, which are loaded when they are first needed, and may not be there.
enum SoundLibrary {
  /// Why libsndfile cannot be called; `nil` where it can.
  static var fileProblem: String? {
    guard let reason = unsafe csndfile_load() else { return nil }
    return unsafe "libsndfile, which reads and writes sound files, cannot be loaded "
      + "(\(String(cString: reason)))"
  }

  /// Why libsoxr cannot be called; `nil` where it can.
  static var rateProblem: String? {
    guard let reason = unsafe csoxr_load() else { return nil }
    return unsafe "libsoxr, which converts rates, cannot be loaded (\(String(cString: reason)))"
  }

  static func checkReading(_ path: String) throws(SoundFileError) {
    guard let problem = fileProblem else { return }
    throw SoundFileError(
      .notReadable, status: .fileFailed, "'\(path)' cannot be read: \(problem)")
  }

  static func checkWriting(_ path: String) throws(SoundFileError) {
    guard let problem = fileProblem else { return }
    throw SoundFileError(
      .notWritable, status: .fileFailed, "'\(path)' cannot be written: \(problem)")
  }
}
