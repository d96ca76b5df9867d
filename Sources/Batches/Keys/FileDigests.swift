public import FileAccess
import Glibc
import Synchronization

/// The digests of files, each worked out once as long as the file does not change. Any thread.
public final class FileDigests: Sendable {
  private struct Known {
    var version: FileVersion?
    var digest: Digest
    var size: Int
  }

  private let known = Mutex<[String: Known]>([:])
  /// So many are kept: a million of them take 200 MB.
  private static let most = 100_000

  public init() {}

  /// The digest of a file's bytes, and how many there are.
  ///
  /// - Throws: Why it cannot be read.
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

  /// The digest of what a file has now, which is not kept.
  ///
  /// - Parameters:
  ///   - start: The first byte.
  ///   - most: How many bytes at most.
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
        throw .system(RawFile.Failure.text(errno))
      }
    }
    return (hashing.finish(), size)
  }
}
