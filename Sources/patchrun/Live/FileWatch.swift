import Diagnostics
import FileAccess
import Glibc

/// Watches files by inotify.
///
/// It watches the folders, not the files: an editor may write a new file and rename it over the old
/// one. It reports files that were closed after writing or renamed into place, never half-written
/// ones.
final class FileWatch {
  /// Readable when a file may have changed.
  let descriptor: Int32
  /// The watched names in each watched folder.
  private var names: [Int32: Set<String>] = [:]
  private var folders: [String: Int32] = [:]

  /// - Throws: If the system has no more watches.
  init() throws(CommandFailure) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else {
      throw CommandFailure(
        ExitStatus.unavailable, "files cannot be watched: \(systemMessage(errno))",
        help: ["leave --watch out; SIGHUP has the patch read again, too"])
    }
  }

  deinit { close(descriptor) }

  /// Watches a file, whether it exists or not.
  func add(_ path: String) throws(CommandFailure) {
    let folder = FilePolicy.folder(of: path)
    let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    let place = folder.isEmpty ? "." : folder
    if let watch = folders[place] {
      names[watch, default: []].insert(name)
      return
    }
    let watch = unsafe inotify_add_watch(
      descriptor, place, UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO))
    guard watch >= 0 else {
      throw CommandFailure(
        ExitStatus.unavailable, "\(quoted(place)) cannot be watched: \(systemMessage(errno))")
    }
    folders[place] = watch
    names[watch, default: []].insert(name)
  }

  /// Waits up to half a second until a file may have changed or `other` is readable.
  func wait(orFor other: Int32) {
    var places = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = unsafe poll(&places, 2, 500)
  }

  /// Whether a watched file was written since the last call.
  func takeChange() -> Bool {
    var isChanged = false
    var block = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = unsafe read(descriptor, &block, block.count)
      guard count > 0 else { return isChanged }
      var offset = 0
      while offset + Self.headLength <= count {
        let watch = unsafe block.withUnsafeBytes {
          unsafe $0.loadUnaligned(fromByteOffset: offset, as: Int32.self)
        }
        let length = unsafe block.withUnsafeBytes {
          unsafe Int($0.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        }
        let start = offset + Self.headLength
        let bytes = block[start..<min(count, start + length)].prefix { $0 != 0 }
        if names[watch]?.contains(String(decoding: bytes, as: UTF8.self)) == true {
          isChanged = true
        }
        offset = start + length
      }
    }
  }

  /// Bytes of `struct inotify_event` in front of the name: four 32-bit words.
  private static let headLength = 16
}
