import Glibc

/// The folder of control sockets.
public struct ControlFolder: Hashable, Sendable {
  public var path: String

  public init(path: String) { self.path = path }

  /// `$XDG_RUNTIME_DIR/patchrun`, otherwise `/run/user/UID/patchrun`, otherwise
  /// `/tmp/patchrun-UID`.
  public static var standard: ControlFolder {
    if let value = unsafe getenv("XDG_RUNTIME_DIR") {
      let path = unsafe String(cString: value)
      if path.hasPrefix("/") { return ControlFolder(path: path + "/patchrun") }
    }
    let user = geteuid()
    var status = stat()
    if unsafe stat("/run/user/\(user)", &status) == 0, status.st_uid == user {
      return ControlFolder(path: "/run/user/\(user)/patchrun")
    }
    return ControlFolder(path: "/tmp/patchrun-\(user)")
  }

  /// The path of the socket with a name.
  public func socketPath(_ name: String) -> String { "\(path)/\(name).sock" }

  /// The sorted names of sockets that answer. Empty for a folder of another user.
  public func liveNames() -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var status = stat()
    guard unsafe fstat(dirfd(folder), &status) == 0, status.st_uid == geteuid() else { return [] }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let file = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard file.hasSuffix(".sock"), ControlSocket.probe("\(path)/\(file)") == .live else {
        continue
      }
      names.append(String(file.dropLast(".sock".count)))
    }
    return names.sorted()
  }

  /// Creates the folder with mode 0700 and returns its descriptor.
  func open() throws(ControlError) -> Int32 {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
      throw ControlError(
        "the folder of the control sockets, '\(path)', cannot be made: \(errnoMessage(errno))",
        help: ["set XDG_RUNTIME_DIR to a folder of yours"])
    }
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ControlError(
        "the folder of the control sockets, '\(path)', cannot be opened: \(errnoMessage(errno))",
        help: ["set XDG_RUNTIME_DIR to a folder of yours"])
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o700) == 0
    else {
      close(descriptor)
      throw ControlError(
        "the folder of the control sockets, '\(path)', belongs to somebody else",
        help: ["set XDG_RUNTIME_DIR to a folder of yours"])
    }
    return descriptor
  }
}

/// A listening socket with mode 0600.
final class ControlSocket: Sendable {
  let path: String
  let name: String
  /// Passed to the server bootstrap, which closes it.
  let descriptor: Int32
  private let folder: ControlFolder
  /// Identify the socket's file, in case another file has replaced it.
  private let device: UInt
  private let inode: UInt

  private init(
    path: String, name: String, descriptor: Int32, folder: ControlFolder, device: UInt, inode: UInt
  ) {
    self.path = path
    self.name = name
    self.descriptor = descriptor
    self.folder = folder
    self.device = device
    self.inode = inode
  }

  /// Whether a text can be the name of a socket: a short file name, not hidden, without control
  /// characters.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 64
      && !name.unicodeScalars.contains { $0 == "/" || $0.value < 0x20 || $0.value == 0x7F }
  }

  /// Listens under a name. Replaces the socket of a dead process.
  ///
  /// - Parameter isExact: Whether the name must not be changed; otherwise a taken name gets a
  ///   number.
  static func listen(
    _ name: String, isExact: Bool, in folder: ControlFolder
  ) throws(ControlError) -> ControlSocket {
    guard isName(name) else {
      throw ControlError(
        "'\(name)' cannot be the name of a control socket",
        help: ["a name has 1 to 64 bytes, no '/', and does not begin with '.'"])
    }
    let lock = try folder.open()
    defer { close(lock) }
    // The lock orders two processes that start at the same time. Closing releases it.
    while flock(lock, LOCK_EX) != 0, errno == EINTR {}
    for number in 1...99 {
      let candidate = number == 1 ? name : "\(name)-\(number)"
      let path = folder.socketPath(candidate)
      switch probe(path) {
      case .live:
        guard isExact else { continue }
        throw ControlError(
          "another patch is running under the name '\(name)': '\(path)' is in use",
          help: ["give this one another name: --name NAME"])
      case .other:
        throw ControlError(
          "'\(path)' is not a socket, and in the way of one", help: ["remove it"])
      case .stale: _ = unsafe unlink(path)
      case .none: break
      }
      return try bind(path, candidate, in: folder)
    }
    throw ControlError(
      "99 patches are running under the name '\(name)'", help: ["give this one: --name NAME"])
  }

  private static func bind(
    _ path: String, _ name: String, in folder: ControlFolder
  ) throws(ControlError) -> ControlSocket {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | closeOnExec, 0)
    guard descriptor >= 0 else {
      throw ControlError("a control socket cannot be made: \(errnoMessage(errno))")
    }
    func failed(_ number: Int32) -> ControlError {
      close(descriptor)
      return ControlError("the control socket '\(path)' cannot be made: \(errnoMessage(number))")
    }
    guard var address = address(path) else {
      close(descriptor)
      throw ControlError(
        "the path of the control socket is too long: '\(path)'",
        help: ["at most 107 bytes: give it a shorter name, --name NAME"])
    }
    // Before `bind`, so that the file never has another mode.
    guard fchmod(descriptor, 0o600) == 0 else { throw failed(errno) }
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe Glibc.bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else { throw failed(errno) }
    var status = stat()
    guard unsafe lstat(path, &status) == 0, Glibc.listen(descriptor, 64) == 0 else {
      let number = errno
      _ = unsafe unlink(path)
      throw failed(number)
    }
    return ControlSocket(
      path: path, name: name, descriptor: descriptor, folder: folder, device: status.st_dev,
      inode: status.st_ino)
  }

  /// Removes the file if it is still this socket's.
  func remove() {
    guard let lock = try? folder.open() else { return }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0, errno == EINTR {}
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else {
      return
    }
    _ = unsafe unlink(path)
  }

  enum Probe { case none, live, stale, other }

  /// The state of the socket at a path.
  static func probe(_ path: String) -> Probe {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return .none }
    guard status.st_mode & S_IFMT == S_IFSOCK, var address = address(path) else { return .other }
    let descriptor = Glibc.socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue) | closeOnExec | nonBlocking, 0)
    guard descriptor >= 0 else { return .live }
    defer { close(descriptor) }
    let connected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    // If its queue is full, the process is alive.
    return connected != 0 && errno == ECONNREFUSED ? .stale : .live
  }

  private static var closeOnExec: Int32 { Int32(SOCK_CLOEXEC.rawValue) }
  private static var nonBlocking: Int32 { Int32(SOCK_NONBLOCK.rawValue) }

  /// The address of a path; `nil` if it is too long.
  private static func address(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard bytes.count < place.count else { return false }
      unsafe place.copyBytes(from: bytes)
      return true
    }
    return fits ? address : nil
  }
}

/// The system's message of an error number, in lower case.
func errnoMessage(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  _ = unsafe strerror_r(number, &buffer, buffer.count)
  let text = String(
    decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  return text.prefix(1).lowercased() + text.dropFirst()
}
