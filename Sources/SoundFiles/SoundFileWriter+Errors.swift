import AudioTypes
import FileAccess
import Glibc

/// The errors of files that cannot be written.
extension SoundFileWriter {
  static func writeFailed(_ path: String, _ number: Int32) -> SoundFileError {
    var error = writeFailed(path, systemText(number))
    error.isOfRoom = isOfRoom(number)
    return error
  }

  private static func isOfRoom(_ number: Int32) -> Bool { number == ENOSPC || number == EDQUOT }

  static func writeFailed(_ path: String, _ reason: String) -> SoundFileError {
    SoundFileError(
      .writeFailed, status: .fileFailed,
      path == "-"
        ? "standard output cannot be written: \(reason)" : "writing '\(path)' failed: \(reason)",
      reason: reason)
  }

  static func reason(_ failure: PendingFile.Failure) -> String {
    switch failure {
    case .system(let number): systemText(number)
    case .notRegular: "it is not a regular file"
    case .notOwn: "patchrun has not written the file that is there"
    }
  }

  static func notWritable(
    _ path: String, _ failure: PendingFile.Failure
  ) -> SoundFileError {
    if case .notOwn = failure {
      return SoundFileError(
        .notOwn, status: .filePermission,
        "'\(path)' is there, and patchrun has not written it",
        help: "move it away, or have it replaced: --overwrite")
    }
    if case .system(EISDIR) = failure {
      return SoundFileError(
        .notWritable, status: .filePermission,
        "'\(path)' is a folder; a file cannot take its place")
    }
    var isOfRoom = false
    if case .system(let number) = failure { isOfRoom = Self.isOfRoom(number) }
    return SoundFileError(
      .notWritable, status: .filePermission, "'\(path)' cannot be written: \(reason(failure))",
      isOfRoom: isOfRoom)
  }
}
