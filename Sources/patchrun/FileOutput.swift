import Diagnostics
import Glibc

/// A file that a command writes a text to.
enum FileOutput {
  /// Replaces what is there.
  static func write(_ text: String, to path: String) throws(CommandFailure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure(path, errno) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        let number = errno
        close(descriptor)
        throw failure(path, number)
      }
    }
    guard close(descriptor) == 0 else { throw failure(path, errno) }
  }

  private static func failure(_ path: String, _ number: Int32) -> CommandFailure {
    CommandFailure(
      ExitStatus.worldRefused, "\(quoted(path)) cannot be written: \(systemMessage(number))")
  }
}
