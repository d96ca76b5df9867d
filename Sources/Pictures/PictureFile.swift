import Glibc

/// A file that is to become a picture: it changes whole, or not at all.
public struct PictureFile: Sendable {
  /// Why a picture cannot be written.
  public struct Failure: Error, Hashable, Sendable {
    /// A sentence that starts in lower case and names the file.
    public var message: String
  }

  public let path: String
  public let format: PictureFormat

  /// - Returns: `nil` where the ending of the path is none that pictures have.
  public init?(path: String) {
    guard let format = PictureFormat(path: path) else { return nil }
    self.path = path
    self.format = format
  }

  /// Looks whether the picture can be written, as far as that can be known without doing it.
  public func check() throws(Failure) {
    var status = stat()
    if unsafe stat(target, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(path, "it is no plain file") }
      guard unsafe access(target, W_OK) == 0 else { throw Failure(path, errno) }
    }
    guard unsafe access(folder, W_OK | X_OK) == 0 else { throw Failure(path, errno) }
  }

  /// Puts the drawing in the place of what is there.
  public func write(_ drawing: Drawing) throws(Failure) { try write(format.bytes(of: drawing)) }

  private func write(_ bytes: [UInt8]) throws(Failure) {
    let target = target
    var status = stat()
    let mode = unsafe stat(target, &status) == 0 ? status.st_mode & 0o7777 : nil
    var number: Int32 = EEXIST
    var attempt = 0
    while number == EEXIST, attempt < 100 {
      let temporary = "\(target).\(getpid())-\(attempt)"
      attempt += 1
      let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else {
        number = errno
        continue
      }
      number = Self.fill(descriptor, bytes, mode)
      if close(descriptor) != 0, number == 0 { number = errno }
      if number == 0, unsafe rename(temporary, target) != 0 { number = errno }
      guard number == 0 else {
        _ = unsafe unlink(temporary)
        throw Failure(path, number)
      }
    }
    guard number == 0 else { throw Failure(path, number) }
  }

  private static func fill(_ descriptor: Int32, _ bytes: [UInt8], _ mode: mode_t?) -> Int32 {
    if let mode, fchmod(descriptor, mode) != 0 { return errno }
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        unsafe Glibc.write(
          descriptor, bytes.baseAddress.unsafelyUnwrapped + done, bytes.count - done)
      }
      if count > 0 { done += count } else if errno != EINTR { return errno }
    }
    return 0
  }

  /// Where the path leads once links are followed.
  private var target: String {
    guard let target = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(target) }
    return unsafe String(cString: target)
  }

  private var folder: String {
    let target = target
    guard let slash = target.lastIndex(of: "/") else { return "." }
    return slash == target.startIndex ? "/" : String(target[..<slash])
  }
}

extension PictureFile.Failure {
  init(_ path: String, _ reason: String) {
    message = "the picture '\(path)' cannot be written: \(reason)"
  }

  /// - Parameter number: The system's.
  init(_ path: String, _ number: Int32) {
    let reason = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    self.init(path, (reason.first?.lowercased() ?? "") + reason.dropFirst())
  }
}
