public import FileAccess
import Glibc
import Synchronization

/// The digests of files, computed once for each version of a file. Any thread.
public final class FileDigests: Sendable {
  private struct Known {
    var version: FileVersion?
    var digest: Digest
    var size: Int
  }

  private let known = Mutex<[String: Known]>([:])
  /// The most entries: a million would take 200 MB.
  private static let most = 100_000

  public init() {}

  /// The digest and the size of a file in bytes.
  ///
  /// - Throws: If the file cannot be read.
  public func digest(of path: String) throws(FileRefusal) -> (digest: Digest, size: Int) {
    let file = try FilePolicy.user.open(path)
    let version = FileVersion(of: file.descriptor)
    if let found = known.withLock({ $0[path] }), found.version == version, version != nil {
      return (found.digest, found.size)
    }
    let (digest, size) = try Self.read(file)
    let after = FileVersion(of: file.descriptor)
    known.withLock { known in
      if known.count >= Self.most { known = [:] }
      if after == version { known[path] = Known(version: version, digest: digest, size: size) }
    }
    return (digest, size)
  }

  /// The digest and size of a part of a file, computed anew each time.
  ///
  /// - Parameters:
  ///   - start: The offset of the first byte.
  ///   - most: The most bytes to read.
  static func fresh(
    _ path: String, from start: Int = 0, count most: Int = .max
  ) throws(FileRefusal) -> (digest: Digest, size: Int) {
    let file = try FilePolicy.user.open(path)
    if start > 0 { _ = lseek(file.descriptor, off_t(start), SEEK_SET) }
    return try read(file, most)
  }

  private static func read(
    _ file: borrowing OpenedFile, _ most: Int = .max
  ) throws(FileRefusal) -> (digest: Digest, size: Int) {
    var hashing = Hashing()
    var block = [UInt8](repeating: 0, count: min(max(file.size, 1), 1 << 18))
    var size = 0
    while size < most {
      let count = unsafe Glibc.read(file.descriptor, &block, min(block.count, most - size))
      if count == 0 { break }
      if count > 0 {
        hashing.add(block[..<count])
        size += count
      } else if errno != EINTR {
        throw .system(FileRefusal.text(errno: errno))
      }
    }
    return (hashing.finish(), size)
  }
}
