import Glibc

/// A path in the form of the system: bytes without a zero, in any encoding.
///
/// Paths are compared, cut and joined as bytes. As texts, two paths to different files could be
/// equal, and a slash could be part of a character (`/` and a combining accent).
public struct SystemPath: Hashable, Sendable {
  let bytes: [UInt8]

  static let slash = UInt8(ascii: "/")

  init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The path as a C string, for calls of the system.
  public var c: [CChar] { bytes.map(CChar.init(bitPattern:)) + [0] }

  /// Whether the system can use the path: an empty path names nothing, and the system ends a path
  /// at a zero byte.
  var isUsable: Bool { !bytes.isEmpty && !bytes.contains(0) }

  var isAbsolute: Bool { bytes.first == Self.slash }

  /// The path of the folder that the path is in.
  var folder: SystemPath {
    guard let last = bytes.lastIndex(of: Self.slash) else { return .init(bytes: ".".utf8) }
    return last == 0 ? .init(bytes: [Self.slash]) : .init(bytes: bytes[..<last])
  }

  /// The last part of the path; empty where it ends in a slash.
  var name: SystemPath {
    guard let last = bytes.lastIndex(of: Self.slash) else { return self }
    return .init(bytes: bytes[(last + 1)...])
  }

  /// The parts between the slashes.
  var parts: [SystemPath] { bytes.split(separator: Self.slash).map(SystemPath.init(bytes:)) }

  func joined(_ path: SystemPath) -> SystemPath {
    if path.isAbsolute || bytes.isEmpty { return path }
    return .init(bytes: bytes + (bytes.last == Self.slash ? [] : [Self.slash]) + path.bytes)
  }

  /// An absolute path without `.`, `..` and doubled slashes. Links are not followed.
  var normalized: SystemPath {
    var path: [UInt8] = []
    for part in parts where part.bytes != Array(".".utf8) {
      if part.bytes != Array("..".utf8) {
        path.append(Self.slash)
        path += part.bytes
      } else if let last = path.lastIndex(of: Self.slash) {
        path.removeSubrange(last...)
      }
    }
    return .init(bytes: path.isEmpty ? [Self.slash] : path)
  }

  /// The rest of the path below a folder, without a leading slash; empty for the folder itself,
  /// `nil` for a path outside. Both are normalized.
  func below(_ folder: SystemPath) -> SystemPath? {
    if folder.bytes == [Self.slash] { return .init(bytes: bytes.dropFirst()) }
    guard bytes.starts(with: folder.bytes) else { return nil }
    let rest = bytes.dropFirst(folder.bytes.count)
    guard let first = rest.first else { return .init(bytes: []) }
    return first == Self.slash ? .init(bytes: rest.dropFirst()) : nil
  }

  /// The path with all links followed; `nil` where it leads nowhere, `errno` says why.
  var canonical: SystemPath? {
    guard let found = unsafe realpath(c, nil) else { return nil }
    defer { unsafe free(found) }
    return unsafe SystemPath(cString: found)
  }

  /// The working folder, links followed.
  static var workingFolder: SystemPath {
    SystemPath(".").canonical ?? SystemPath("/")
  }

  /// The path with the links at its end followed, even where their target does not exist: the file
  /// that writing would create.
  var target: SystemPath {
    var path = self
    for _ in 0..<40 {
      var status = stat()
      guard unsafe lstat(path.c, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
        return path
      }
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe readlink(path.c, &buffer, buffer.count)
      guard count > 0 else { return path }
      let link = SystemPath(bytes: buffer[..<count].map(UInt8.init(bitPattern:)))
      path = path.folder.joined(link)
    }
    return path
  }

  init(cString: UnsafePointer<CChar>) {
    self.init(
      bytes: unsafe UnsafeBufferPointer(start: cString, count: strlen(cString))
        .map(UInt8.init(bitPattern:)))
  }
}

// MARK: - As a text

// A byte that is not UTF-8 becomes the scalar U+10FF00 plus its value: U+10FF80 to U+10FFFF, at the
// end of a private use area. The bytes of a scalar in that range are written in the same way, so
// that each path has one text, and each such text one path.
extension SystemPath {
  /// The path that a text means.
  public init(_ text: String) {
    // The UTF-8 of each scalar in that range begins with this byte.
    guard text.utf8.contains(0xF4) else {
      self.init(bytes: text.utf8)
      return
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if (0x10FF80...0x10FFFF).contains(scalar.value) {
        bytes.append(UInt8(scalar.value & 0xFF))
      } else if let encoded = UTF8.encode(scalar) {
        bytes += encoded
      }
    }
    self.init(bytes: bytes)
  }

  /// The path as a text, which gives the same path again.
  public var text: String {
    var text = String.UnicodeScalarView()
    func appendEscape(_ byte: UInt8) {
      if let scalar = Unicode.Scalar(0x10FF00 | UInt32(byte)) { text.append(scalar) }
    }
    var rest = bytes[...]
    while let first = rest.first {
      let length =
        switch first {
        case 0x00...0x7F: 1
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 0
        }
      let piece = rest.prefix(length)
      var decoder = UTF8()
      var iterator = piece.makeIterator()
      if length > 0, piece.count == length,
        case .scalarValue(let scalar) = decoder.decode(&iterator),
        UTF8.width(scalar) == length, scalar.value < 0x10FF80
      {
        text.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        appendEscape(first)
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }
}

/// Writes all bytes, and waits while a pipe is full. Returns the error number; 0 for none.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = unsafe rest.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if errno == EAGAIN {
      var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&wait, 1, -1)
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}
