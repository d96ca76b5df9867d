import Glibc

/// Reads whole files that a patch is made of.
///
/// Callable from any thread but the render thread: it waits for the disk.
public enum FileReader {
  /// Which file it is, whatever it was called: two paths that lead to one file have one identity.
  public struct Identity: Hashable, Sendable {
    fileprivate var device: UInt64
    fileprivate var number: UInt64
  }

  /// A file as it was read.
  public struct Contents: Sendable {
    public var bytes: [UInt8]
    public var identity: Identity
  }

  /// Why a file was not read.
  public enum Failure: Error, Hashable, Sendable {
    /// There is none of that name.
    case notFound
    /// It may not be read.
    case notPermitted
    case isFolder
    /// A pipe, a device or a socket, which may never end.
    case notRegular
    /// It has more bytes than the limit, which it gives.
    case tooLarge(limit: Int)
    /// In the system's words, in lower case.
    case system(String)
  }

  /// The bytes of a regular file.
  ///
  /// - Parameter limit: The most bytes that it may have.
  public static func read(_ path: String, limit: Int) throws(Failure) -> Contents {
    // Without waiting for the other end of what turns out to be a pipe.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure(errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .isFolder
    default: throw .notRegular
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(limit, max(0, Int(status.st_size))))
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe Glibc.read(descriptor, &block, block.count)
      if count == 0 { break }
      if count > 0 {
        guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
        bytes += block[..<count]
      } else if errno != EINTR {
        throw failure(errno)
      }
    }
    return Contents(bytes: bytes, identity: identity(status))
  }

  /// The identity of what a path leads to; `nil` where it leads nowhere.
  public static func identity(of path: String) -> Identity? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? identity(status) : nil
  }

  private static func identity(_ status: stat) -> Identity {
    Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }

  private static func failure(_ number: Int32) -> Failure {
    switch number {
    case ENOENT, ENOTDIR: return .notFound
    case EACCES, EPERM: return .notPermitted
    case EISDIR: return .isFolder
    case ENXIO: return .notRegular
    default:
      let text = unsafe String(cString: strerror(number))
      return .system(text.prefix(1).lowercased() + text.dropFirst())
    }
  }
}
