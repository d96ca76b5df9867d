import Glibc

/// A place that may be written to: an open folder, and a name in it.
///
/// The folder stays open, so that later changes of the path have no effect: files are created,
/// renamed and examined in `folder` with the calls that end in `at`.
public final class WritePlace: Sendable {
  /// The kind of file at the place, if any.
  public enum Content: Hashable, Sendable {
    case nothing
    /// A regular file, which may be replaced by another one of that name.
    case file
    /// A pipe or a device that the user has named: it is opened and written to, never replaced.
    case stream
  }

  /// The path as it was written, to be shown.
  public let path: String
  /// The name in the folder, as a text that means one file (`SystemPath`).
  public var name: String { fileName.text }
  /// The kind of file at the place, if any, when the place was found.
  public let content: Content
  /// The identity of the file at the place when it was found; `nil` for none.
  public let fileIdentity: FileIdentity?
  private let fileName: SystemPath
  private let folder: FolderDescriptor

  /// The descriptor of the folder (`O_PATH`), open as long as this is held.
  public var folderDescriptor: Int32 { folder.descriptor }

  /// - Throws: `.link`, where `name` is one; `.isFolder`; and `.notRegular` unless `allowsStreams`.
  init(
    _ path: String, _ folder: FolderDescriptor, _ name: SystemPath, allowsStreams: Bool
  ) throws(FileRefusal) {
    self.path = path
    self.folder = folder
    fileName = name
    guard !name.bytes.isEmpty, name != SystemPath("."), name != SystemPath("..") else {
      throw .isFolder
    }
    let status: stat
    do throws(FileRefusal) { status = try folder.status(of: name) } catch {
      guard error == .notFound else { throw error }
      content = .nothing
      fileIdentity = nil
      return
    }
    fileIdentity = FileIdentity(status)
    if status.isLink { throw .link(path) }
    if let refusal = FileRefusal(mode: status.st_mode) {
      guard allowsStreams, case .notRegular = refusal else { throw refusal }
      content = .stream
    } else {
      content = .file
    }
  }

  /// A name in a folder, whatever the path to it.
  public struct Key: Hashable, Sendable {
    fileprivate var folder: FileIdentity
    fileprivate var name: SystemPath
  }

  /// Equal for two places that are one. Two names of one file (hard links) have different keys and
  /// one `fileIdentity`.
  public var key: Key { Key(folder: folder.identity, name: fileName) }

  /// Whether writing to both would write one file. Streams are not files: two may write to
  /// `/dev/null`.
  public func isSame(as other: WritePlace) -> Bool {
    guard content != .stream, other.content != .stream else { return false }
    if let fileIdentity, fileIdentity == other.fileIdentity { return true }
    return key == other.key
  }

  /// The free bytes on the file system of the folder, found without writing; `nil` where the system
  /// does not tell them.
  public var freeBytes: UInt64? {
    var status = statvfs()
    guard unsafe fstatvfs(folderDescriptor, &status) == 0 else { return nil }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }

  /// Why nothing can be written there, as far as that shows without writing; `nil` for no reason.
  public func problem() -> FileRefusal? {
    if content == .file || content == .stream,
      unsafe faccessat(folderDescriptor, fileName.c, W_OK, AT_EACCESS) != 0
    {
      return FileRefusal(errno: errno)
    }
    if content != .stream, unsafe faccessat(folderDescriptor, ".", W_OK | X_OK, AT_EACCESS) != 0 {
      return FileRefusal(errno: errno)
    }
    return nil
  }
}
