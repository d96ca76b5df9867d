import Glibc

/// A path as the system has it: bytes without a zero, in whatever encoding.
///
/// Paths are compared, cut and joined as bytes. A text would not do: two texts can be equal that name
/// two files, and a slash can be half of a character (`/` and a combining accent).
public struct SystemPath: Hashable, Sendable {
  let bytes: [UInt8]

  static let slash = UInt8(ascii: "/")

  init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// For a call of the system.
  public var c: [CChar] { bytes.map(CChar.init(bitPattern:)) + [0] }

  /// Whether it names something: an empty path names nothing, and one with a zero in it something else
  /// than it says.
  var isUsable: Bool { !bytes.isEmpty && !bytes.contains(0) }

  var isAbsolute: Bool { bytes.first == Self.slash }

  /// The path of the folder that something is in.
  var folder: SystemPath {
    guard let last = bytes.lastIndex(of: Self.slash) else { return .init(bytes: ".".utf8) }
    return last == 0 ? .init(bytes: [Self.slash]) : .init(bytes: bytes[..<last])
  }

  /// What something is called in its folder; empty where the path ends in a slash.
  var name: SystemPath {
    guard let last = bytes.lastIndex(of: Self.slash) else { return self }
    return .init(bytes: bytes[(last + 1)...])
  }

  /// What stands between the slashes.
  var parts: [SystemPath] { bytes.split(separator: Self.slash).map(SystemPath.init(bytes:)) }

  func joined(_ path: SystemPath) -> SystemPath {
    if path.isAbsolute || bytes.isEmpty { return path }
    return .init(bytes: bytes + (bytes.last == Self.slash ? [] : [Self.slash]) + path.bytes)
  }

  /// An absolute path without `.`, `..` and doubled slashes, no link being looked at.
  var normalized: SystemPath {
    var kept: [SystemPath] = []
    for part in parts where part.bytes != Array(".".utf8) {
      if part.bytes == Array("..".utf8) {
        _ = kept.popLast()
      } else {
        kept.append(part)
      }
    }
    return .init(bytes: [Self.slash] + kept.map(\.bytes).joined(separator: [Self.slash]))
  }

  /// What stands behind a folder in the path of something in it, without a slash at its beginning;
  /// empty for the folder itself, `nil` for what is not in it. Both are normalized.
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

  /// The path with links followed at its end, also those whose own end is not there yet: what would
  /// be made by writing to it.
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

// A byte that is not of UTF-8 is U+10FF00 and its value in a text: U+10FF80 to U+10FFFF, at the end of
// a private use area. A name in which such a character stands has its bytes written in the same way, so
// that each path has one text, and each such text one path.
extension SystemPath {
  /// The path that a text means.
  public init(_ text: String) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if (0x10FF80...0x10FFFF).contains(scalar.value) {
        bytes.append(UInt8(scalar.value & 0xFF))
      } else {
        bytes += UTF8.encode(scalar).map { Array($0) } ?? []
      }
    }
    self.init(bytes: bytes)
  }

  /// The path as a text, from which the same path can be had again.
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
