import Diagnostics
import FileAccess
import Glibc

/// Writes files as a whole or not at all.
enum AtomicFile {
  /// Replaces the bytes of a regular file and keeps its permissions. A link's target is replaced,
  /// if the policy allows reading through the link.
  static func replace(
    _ path: String, with bytes: [UInt8], files: FilePolicy = .user
  ) throws(CommandFailure) {
    let number: Int32
    do throws(FileRefusal) { number = try files.place(ofFile: path).replace(with: bytes) } catch {
      throw CommandFailure(
        ExitStatus.unavailable, error.message(for: path), help: [error.help])
    }
    guard number == 0 else { throw .cannotWrite(path, number) }
  }

  /// Creates a file. Throws if it exists.
  static func create(_ path: String, with bytes: [UInt8]) throws(CommandFailure) {
    let descriptor = unsafe open(SystemPath(path).c, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let number = errno
      guard number == EEXIST else { throw .cannotWrite(path, number) }
      throw CommandFailure(
        ExitStatus.unavailable, "\(quoted(path)) is there already",
        help: ["name another file, or remove that one first"])
    }
    let number = writeAll(bytes, to: descriptor)
    close(descriptor)
    guard number == 0 else {
      _ = unsafe unlink(SystemPath(path).c)
      throw .cannotWrite(path, number)
    }
  }
}
