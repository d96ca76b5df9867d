import CShims
import FileAccess
import Glibc

/// A file descriptor, for reading and writing bytes. One thread at a time may use it.
///
/// `@unchecked Sendable`: its properties are constants.
final class RawFile: @unchecked Sendable {
  /// A failed system call: the error number and the path.
  struct Failure: Error, Hashable {
    var number: Int32
    var path: String

    /// A sentence that starts in lower case.
    var message: String { "'\(path)': \(FileRefusal.text(errno: number))" }
  }

  enum Purpose {
    case reading
    /// Writes go to the end of the file.
    case appending
    /// For locking and writing; created if it does not exist.
    case updating
  }

  let path: String
  let descriptor: Int32

  init(_ path: String, for purpose: Purpose) throws(Failure) {
    self.path = path
    let flags: Int32 =
      switch purpose {
      case .reading: O_RDONLY
      case .appending: O_WRONLY | O_CREAT | O_APPEND
      case .updating: O_RDWR | O_CREAT
      }
    descriptor = unsafe open(SystemPath(path).c, flags | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Failure(number: errno, path: path) }
  }

  /// Standard input.
  init(standardInput name: String) {
    path = name
    descriptor = dup(0)
  }

  deinit { _ = close(descriptor) }

  /// Reads into the beginning of `block`. Returns the number of bytes; 0 at the end.
  func read(into block: inout [UInt8]) throws(Failure) -> Int {
    while true {
      let count = unsafe Glibc.read(descriptor, &block, block.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw Failure(number: errno, path: path) }
    }
  }

  func seek(to offset: Int) { _ = lseek(descriptor, off_t(offset), SEEK_SET) }

  var size: Int {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Writes all bytes: in one call, unless the system writes fewer.
  func write(_ bytes: [UInt8]) throws(Failure) {
    let number = writeAll(bytes, to: descriptor)
    guard number == 0 else { throw Failure(number: number, path: path) }
  }

  /// Flushes the file to the disk.
  func synchronize() throws(Failure) {
    while fdatasync(descriptor) != 0 {
      if errno == EINVAL || errno == EROFS { return }
      guard errno == EINTR else { throw Failure(number: errno, path: path) }
    }
  }

  /// Flushes the whole file system that contains this file or folder.
  func synchronizeAll() { _ = shims_sync_file_system(descriptor) }

  func truncate(to size: Int) throws(Failure) {
    guard ftruncate(descriptor, off_t(size)) == 0 else {
      throw Failure(number: errno, path: path)
    }
  }

  // MARK: Locks

  enum Locking { case locked, taken, impossible }

  /// Locks one byte, which need not exist, for this open file. The lock ends with the process.
  /// Never waits.
  func lock(at offset: UInt64) -> Locking { setLock(Int16(F_WRLCK), at: offset) }

  func unlock(at offset: UInt64) { _ = setLock(Int16(F_UNLCK), at: offset) }

  private func setLock(_ kind: Int16, at offset: UInt64) -> Locking {
    var lock = flock()
    lock.l_type = kind
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(offset & 0x3FFF_FFFF_FFFF_FFFF)
    lock.l_len = 1
    // Locks of an open file description, not of the process: threads exclude each other too.
    let openFileSetLock: Int32 = 37
    while unsafe fcntl(descriptor, openFileSetLock, &lock) != 0 {
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: return .taken
      default: return .impossible
      }
    }
    return .locked
  }

  /// Locks the whole file against other open descriptions. Returns whether it succeeded.
  func lockWhole() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  // MARK: Folders and names

  /// Creates a folder and those above it.
  static func makeFolder(_ path: String) throws(Failure) {
    guard !path.isEmpty, !FolderListing.isFolder(path) else { return }
    if unsafe mkdir(SystemPath(path).c, 0o777) == 0 || errno == EEXIST { return }
    let number = errno
    let above = FilePolicy.folder(of: path)
    guard number == ENOENT, above != path else { throw Failure(number: number, path: path) }
    try makeFolder(above)
    guard unsafe mkdir(SystemPath(path).c, 0o777) == 0 || errno == EEXIST else {
      throw Failure(number: errno, path: path)
    }
  }

  /// The size of a regular file in bytes; `nil` if there is none.
  static func size(of path: String) -> Int? {
    var status = stat()
    guard unsafe stat(SystemPath(path).c, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int(status.st_size)
  }

  static func remove(_ path: String) { _ = unsafe unlink(SystemPath(path).c) }

  /// Removes an empty folder.
  static func removeFolder(_ path: String) { _ = unsafe rmdir(SystemPath(path).c) }

  static func wait(milliseconds: UInt32) { usleep(milliseconds * 1000) }

  /// Removes a folder with all its contents. Does not follow links.
  static func removeTree(_ path: String) {
    for name in (try? FolderListing.names(in: path)) ?? [] where name != "." && name != ".." {
      let inside = path + "/" + name
      if FolderListing.isFolder(inside), !FolderListing.isLink(inside) {
        removeTree(inside)
      } else {
        remove(inside)
      }
    }
    removeFolder(path)
  }

  static func rename(_ path: String, to name: String) throws(Failure) {
    guard unsafe Glibc.rename(SystemPath(path).c, SystemPath(name).c) == 0 else {
      throw Failure(number: errno, path: name)
    }
  }

  /// The name of this machine as part of a file name.
  static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "host" }
    let name = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)).filter {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
    }
    return name.isEmpty ? "host" : String(decoding: name, as: UTF8.self)
  }

  /// The working directory.
  static let workingFolder: String = {
    guard let found = unsafe getcwd(nil, 0) else { return "/" }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
  }()

  static var processNumber: Int { Int(getpid()) }

  static var secondsNow: Int { time(nil) }
}
