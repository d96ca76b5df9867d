import Diagnostics
import FileAccess
import Glibc

/// Writes texts and bytes to files.
enum FileOutput {
  /// Replaces an existing file.
  static func write(_ text: String, to path: String) throws(CommandFailure) {
    try write(Array(text.utf8), to: path)
  }

  /// Replaces an existing file.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    let descriptor = unsafe open(
      SystemPath(path).c, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .cannotWrite(path, errno) }
    let number = writeAll(bytes, to: descriptor)
    guard number == 0 else {
      close(descriptor)
      throw .cannotWrite(path, number)
    }
    guard close(descriptor) == 0 else { throw .cannotWrite(path, errno) }
  }

  /// Creates a folder and the folders above it, if necessary.
  static func makeFolder(_ folder: String) throws(CommandFailure) {
    var path = folder.hasPrefix("/") ? "" : "."
    for part in folder.split(separator: "/") {
      path += "/" + part
      guard unsafe mkdir(SystemPath(path).c, 0o777) != 0, errno != EEXIST else { continue }
      throw .cannotWrite(folder, errno)
    }
  }
}

extension CommandFailure {
  /// - Parameter number: The error number of the system.
  static func cannotWrite(_ path: String, _ number: Int32) -> CommandFailure {
    CommandFailure(
      ExitStatus.unavailable, "\(quoted(path)) cannot be written: \(systemMessage(number))")
  }
}
