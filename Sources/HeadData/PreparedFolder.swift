import CShims
import Glibc
public import RenderCore

/// The key of prepared contents. It differs for other sources, settings or versions.
public struct PreparedKey: Hashable, Sendable {
  /// The beginning of the file name, in lower-case letters.
  let kind: String
  let digest: Digest

  /// - Parameters:
  ///   - kind: The beginning of the file name, in lower-case letters.
  ///   - parts: Everything that the contents depend on.
  public init(_ kind: String, _ parts: [UInt64]) {
    self.kind = kind
    digest = unsafe parts.withUnsafeBytes { unsafe Digest(of: $0) }
  }

  /// The version of the C library, whose mathematical functions affect the contents.
  public static var library: [UInt64] {
    var text = [UInt8](repeating: 0, count: 64)
    let count = unsafe text.withUnsafeMutableBytes {
      unsafe confstr(Int32(_CS_GNU_LIBC_VERSION), $0.baseAddress, 64)
    }
    return text.prefix(count).map(UInt64.init)
  }

  var fileName: String { "\(kind)-\(digest.text)" }

  /// Whether a name can be the file name of a key.
  static func isFileName(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && parts[1].count == 32
      && parts[0].allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
      && parts[1].allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      }
  }
}

/// A 128-bit hash of bytes.
public struct Digest: Hashable, Sendable {
  public let words: [UInt64]

  public init(of bytes: PreparedBytes) {
    unsafe self.init(of: UnsafeRawBufferPointer(bytes.buffer))
  }

  init(of bytes: UnsafeRawBufferPointer) {
    var words: [UInt64] = [0, 0]
    unsafe shims_digest(bytes.baseAddress, bytes.count, &words)
    self.words = words
  }

  /// The digest of a file's contents, computed from those of its 64 KB blocks; `nil` if it cannot
  /// be read or is not a regular file.
  public init?(ofFile path: String) {
    guard let file = unsafe OpenDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
      let status = file.status, status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    let bytes = PreparedBytes(count: 65_536)
    var words: [UInt64] = []
    var rest = Int(status.st_size)
    repeat {
      let count = min(rest, bytes.count)
      let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes.buffer[..<count])
      guard unsafe file.read(into: piece) else { return nil }
      words += unsafe Digest(of: UnsafeRawBufferPointer(piece)).words
      rest -= count
    } while rest > 0
    self = unsafe words.withUnsafeBytes { unsafe Digest(of: $0) }
  }

  /// 32 hexadecimal digits.
  var text: String {
    words.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// A cache folder for tables that take long to prepare.
///
/// Callers must work without it: a damaged or foreign file counts as missing, and a failed write is
/// ignored. Files are written under a temporary name and renamed, so that processes may share the
/// folder. Links are not followed, and only the user has access. The files used last are kept, up
/// to a total size.
///
/// Control thread: reads and writes files.
public struct PreparedFolder: Sendable {
  private let parent: String
  private let name: String
  private let byteLimit: Int

  /// - Parameters:
  ///   - path: An absolute path. The folder and its parent are created for the first file.
  ///   - byteLimit: The total size of all files in bytes.
  public init?(path: String, byteLimit: Int = 64 << 20) {
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    let parts = path.split(separator: "/")
    guard let last = parts.last, last != ".", last != ".." else { return nil }
    parent = "/" + parts.dropLast().joined(separator: "/")
    name = String(last)
    self.byteLimit = byteLimit
  }

  // MARK: Reading

  /// The contents for a key; `nil` if there are none.
  public func contents(_ key: PreparedKey) -> PreparedBytes? {
    guard let folder = open(making: false),
      let file = unsafe OpenDescriptor(
        openat(
          folder.number, key.fileName, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)),
      let status = file.status, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_size >= Header.byteCount, status.st_size <= byteLimit
    else { return nil }
    let header = PreparedBytes(count: Header.byteCount)
    let bytes = PreparedBytes(count: Int(status.st_size) - Header.byteCount)
    guard unsafe file.read(into: header.buffer), unsafe file.read(into: bytes.buffer),
      unsafe header.buffer.elementsEqual(Header.bytes(key, of: bytes))
    else { return nil }
    // The modification time marks the last use, updated at most once a day.
    if time(nil) - status.st_mtim.tv_sec > 86_400 { _ = futimens(file.number, nil) }
    return bytes
  }

  // MARK: Writing

  /// Writes contents for a key. Errors are ignored.
  public func keep(_ bytes: PreparedBytes, as key: PreparedKey) {
    guard bytes.count + Header.byteCount <= byteLimit, let folder = open(making: true) else {
      return
    }
    let unfinished = ".new-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    guard
      let file = unsafe OpenDescriptor(
        openat(
          folder.number, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600))
    else { return }
    let header = Header.bytes(key, of: bytes)
    let isWhole =
      unsafe header.withUnsafeBytes { unsafe file.write($0) }
      && file.write(UnsafeRawBufferPointer(bytes.buffer))
    if !isWhole || (unsafe renameat(folder.number, unfinished, folder.number, key.fileName)) != 0 {
      _ = unsafe unlinkat(folder.number, unfinished, 0)
    }
    removeOldest(from: folder)
  }

  /// Removes files until the rest is within the limit, the least recently used first, and temporary
  /// files older than an hour.
  private func removeOldest(from folder: borrowing OpenDescriptor) {
    let copy = fcntl(folder.number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return }
    guard let stream = unsafe fdopendir(copy) else {
      _ = close(copy)
      return
    }
    defer { _ = unsafe closedir(stream) }
    unsafe rewinddir(stream)
    var files: [(name: String, time: Int, size: Int)] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      var status = stat()
      guard PreparedKey.isFileName(name) || name.hasPrefix(".new-"),
        unsafe fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      else { continue }
      if PreparedKey.isFileName(name) {
        files.append((name, Int(status.st_mtim.tv_sec), Int(status.st_size)))
      } else if time(nil) - status.st_mtim.tv_sec > 3600 {
        _ = unsafe unlinkat(folder.number, name, 0)
      }
    }
    files.sort { $0.time > $1.time }
    var total = 0
    for file in files {
      total += file.size
      if total > byteLimit { _ = unsafe unlinkat(folder.number, file.name, 0) }
    }
  }

  /// Opens the folder if it belongs to the user and nobody else can write to it.
  private func open(making: Bool) -> OpenDescriptor? {
    if making { _ = unsafe mkdir(parent, 0o700) }
    // The parent (such as ~/.cache) may be a link of the user's.
    guard
      let parent = unsafe OpenDescriptor(Glibc.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      let status = parent.status, status.st_uid == geteuid()
    else { return nil }
    if making { _ = unsafe mkdirat(parent.number, name, 0o700) }
    guard
      let folder = unsafe OpenDescriptor(
        openat(parent.number, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)),
      let own = folder.status, own.st_uid == geteuid(), own.st_mode & 0o022 == 0
    else { return nil }
    return folder
  }

  /// The header of a file: a magic number, the version and byte order, the key, and the number and
  /// digest of the following bytes.
  private enum Header {
    static let byteCount = 64

    static func bytes(_ key: PreparedKey, of bytes: PreparedBytes) -> [UInt8] {
      let digest = Digest(of: bytes)
      // "patchrun" in little-endian order.
      let words =
        [0x6E75_7268_6374_6170, 1] + key.digest.words + [UInt64(bytes.count)] + digest.words + [0]
      return unsafe words.withUnsafeBytes { unsafe Array($0) }
    }
  }
}

/// An open descriptor that closes itself.
private struct OpenDescriptor: ~Copyable {
  let number: Int32

  /// `nil` for a negative number.
  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { _ = close(number) }

  var status: stat? {
    var status = stat()
    return unsafe fstat(number, &status) == 0 ? status : nil
  }

  /// Fills a buffer. Returns whether there were enough bytes.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var done = 0
    while done < buffer.count {
      let count = unsafe Glibc.read(number, buffer.baseAddress! + done, buffer.count - done)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Writes all bytes. Returns whether it succeeded.
  func write(_ buffer: UnsafeRawBufferPointer) -> Bool {
    var done = 0
    while done < buffer.count {
      let count = unsafe Glibc.write(number, buffer.baseAddress! + done, buffer.count - done)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }
}
