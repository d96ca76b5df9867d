import Glibc

/// The identity of a file, whatever its name: two paths to one file have one identity.
public struct FileIdentity: Hashable, Sendable {
  private var device: UInt64
  private var number: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }

  /// The identity of the file that a path leads to, links followed; `nil` where there is none.
  public init?(of path: String) {
    var status = stat()
    guard unsafe stat(SystemPath(path).c, &status) == 0 else { return nil }
    self.init(status)
  }
}
