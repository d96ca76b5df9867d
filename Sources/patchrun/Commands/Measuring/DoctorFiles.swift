import Glibc

/// The files in which the system says how it is set.
struct DoctorFiles {
  /// A prefix of every path that is read; empty for the system itself. Tests set it.
  var root = ""

  func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

  /// The first 4 kB of a file without trailing white space; empty if there is none.
  func read(_ path: String) -> String {
    let descriptor = unsafe open(root + path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return String(text.reversed().drop { $0 == "\n" || $0 == " " }.reversed())
  }
}
