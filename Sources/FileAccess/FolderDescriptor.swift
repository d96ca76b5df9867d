import CShims
import Glibc

/// An open folder, in which files can be named even after its path has changed.
final class FolderDescriptor: Sendable {
  let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// Opens a folder, links followed.
  static func open(_ path: SystemPath) throws(FileRefusal) -> FolderDescriptor {
    let descriptor = unsafe shims_open_folder(AT_FDCWD, path.c, 1)
    guard descriptor >= 0 else {
      let number = errno
      throw number == ENOENT || number == ENOTDIR
        ? .noFolder(path.text) : FileRefusal(errno: number)
    }
    return FolderDescriptor(descriptor)
  }

  /// Opens a folder that is below another, and follows no link on the way.
  ///
  /// - Parameters:
  ///   - root: The path of the other one; links in it are followed.
  ///   - path: The path below `root`, normalized; empty for `root` itself.
  static func open(
    _ path: SystemPath, below root: SystemPath
  ) throws(FileRefusal) -> FolderDescriptor {
    var folder = try open(root)
    var shown = root
    for part in path.parts {
      shown = shown.joined(part)
      let next = unsafe shims_open_folder(folder.descriptor, part.c, 0)
      guard next >= 0 else {
        let number = errno
        if (try? folder.status(of: part))?.isLink == true { throw .link(shown.text) }
        throw number == ENOENT || number == ENOTDIR
          ? .noFolder(shown.text) : FileRefusal(errno: number)
      }
      folder = FolderDescriptor(next)
    }
    return folder
  }

  /// The status of an entry; of a link, that of the link itself.
  func status(of name: SystemPath) throws(FileRefusal) -> stat {
    var status = stat()
    guard unsafe fstatat(descriptor, name.c, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw FileRefusal(errno: errno)
    }
    return status
  }

  /// The identity of the folder.
  var identity: FileIdentity {
    var status = stat()
    _ = unsafe fstat(descriptor, &status)
    return FileIdentity(status)
  }
}

extension stat {
  var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
}
