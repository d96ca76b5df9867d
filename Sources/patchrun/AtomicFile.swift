import Diagnostics
import Glibc

/// A file whose contents change whole, or not at all.
enum AtomicFile {
  /// Puts bytes in the place of a file's, which keeps its permissions. Of a link the file that it
  /// leads to changes.
  static func replace(_ path: String, with bytes: [UInt8]) throws(CommandFailure) {
    let target = resolved(path)
    // Its folder may be written where it may not.
    guard unsafe access(target, W_OK) == 0 else { throw .cannotWrite(path, errno) }
    var template = Array("\(target).XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    guard descriptor >= 0 else { throw .cannotWrite(path, errno) }
    let temporary = String(
      decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let number = fill(descriptor, with: bytes, asIn: target)
    close(descriptor)
    guard number == 0 else {
      _ = unsafe unlink(temporary)
      throw .cannotWrite(path, number)
    }
    guard unsafe rename(temporary, target) == 0 else {
      let number = errno
      _ = unsafe unlink(temporary)
      throw .cannotWrite(path, number)
    }
  }

  /// Makes a new file. One that is there already stays, and is reported.
  static func create(_ path: String, with bytes: [UInt8]) throws(CommandFailure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let number = errno
      guard number == EEXIST else { throw .cannotWrite(path, number) }
      throw CommandFailure(
        ExitStatus.worldRefused, "\(quoted(path)) is there already",
        help: ["name another file, or remove that one first"])
    }
    let number = StandardStream.write(bytes, to: descriptor)
    close(descriptor)
    guard number == 0 else {
      _ = unsafe unlink(path)
      throw .cannotWrite(path, number)
    }
  }

  private static func fill(_ descriptor: Int32, with bytes: [UInt8], asIn target: String) -> Int32 {
    var status = stat()
    if unsafe stat(target, &status) == 0, fchmod(descriptor, status.st_mode & 0o7777) != 0 {
      return errno
    }
    let number = StandardStream.write(bytes, to: descriptor)
    if number != 0 { return number }
    return fsync(descriptor) == 0 ? 0 : errno
  }

  /// Where a path leads once links are followed.
  private static func resolved(_ path: String) -> String {
    guard let target = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(target) }
    return unsafe String(cString: target)
  }
}
