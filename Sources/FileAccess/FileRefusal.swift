import Glibc

/// Why a file is not opened, or not written.
public enum FileRefusal: Error, Hashable, Sendable {
  /// There is no file of that name.
  case notFound
  /// The user has no permission.
  case notPermitted
  case isFolder
  /// It is no regular file: reading it may never end, and opening it may have an effect.
  case notRegular(Kind)
  /// It is a file of `/proc`, `/sys` or another virtual file system.
  case ofSystem
  /// It has more bytes than the limit.
  case tooLarge(limit: Int)
  /// A confined patch names a file outside its folder; `folder` is the folder of the file as
  /// written in its path.
  case outsideReadable(folder: String)
  /// A patch would write outside the folders that it may write to; `folder` is where.
  case outsideWritable(folder: String)
  /// The path to be written to leads through this symbolic link.
  case link(String)
  /// There is no such folder to write to.
  case noFolder(String)
  /// In the system's words, in lower case.
  case system(String)

  /// A kind of file that is no regular file.
  public enum Kind: String, Hashable, Sendable {
    case pipe, device, socket
  }
}

extension FileRefusal {
  /// Whether the file policy refuses, and not the disk or the system.
  public var isOfPolicy: Bool {
    switch self {
    case .notRegular, .ofSystem, .outsideReadable, .outsideWritable, .link: true
    case .notFound, .notPermitted, .isFolder, .tooLarge, .noFolder, .system: false
    }
  }

  /// A sentence that starts in lower case and names the file.
  public func message(for path: String) -> String {
    switch self {
    case .notFound: "there is no file '\(path)'"
    case .notPermitted: "'\(path)' cannot be opened: permission denied"
    case .isFolder: "'\(path)' is a folder, not a file"
    case .notRegular(let kind): "'\(path)' is a \(kind.rawValue), not a regular file"
    case .ofSystem: "'\(path)' is a file of the system, not one on a disk"
    case .tooLarge(let limit): "'\(path)' has more than \(limit >> 20) MB"
    case .outsideReadable: "'\(path)' is outside the folder of the patch, which is confined to it"
    case .outsideWritable: "'\(path)' is outside the folders that a patch may write to"
    case .link(let link):
      link == path
        ? "'\(path)' is a symbolic link: a patch writes through none"
        : "'\(path)' leads through the symbolic link '\(link)': a patch writes through none"
    case .noFolder(let folder): "there is no folder '\(folder)' to write '\(path)' to"
    case .system(let text): "'\(path)' cannot be opened: \(text)"
    }
  }

  /// What to do about it, with the option that allows it; empty for nothing.
  public var help: String {
    switch self {
    case .notRegular, .ofSystem:
      "a patch names regular files only, and no option changes that: copy what it is to have "
        + "into a file"
    case .outsideReadable(let folder):
      "'--allow-path \(folder)' allows that folder, and '--no-confined' any"
    case .outsideWritable(let folder):
      "a patch writes to its own folder and to the working folder; '--allow-path \(folder)' allows "
        + "that one, too, and '--output-dir DIR' has relative paths of taps lead to DIR"
    case .link:
      "give the path that the link leads to; '--allow-path DIR' allows a folder that is outside"
    case .noFolder: "make the folder first"
    case .notFound, .notPermitted, .isFolder, .tooLarge, .system: ""
    }
  }

  /// - Parameter number: The system's error number, after a failed call.
  init(errno number: Int32) {
    switch number {
    case ENOENT, ENOTDIR: self = .notFound
    case EACCES, EPERM: self = .notPermitted
    case EISDIR: self = .isFolder
    case ENXIO: self = .notRegular(.pipe)
    case ELOOP: self = .system("its links lead in a circle")
    default: self = .system(Self.text(errno: number))
    }
  }

  /// The system's message of an error number, in lower case. Any thread.
  package static func text(errno number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    _ = unsafe strerror_r(number, &buffer, buffer.count)
    let text = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// Why a file of this mode is not regular; `nil` where it is.
  init?(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: self = .isFolder
    case S_IFIFO: self = .notRegular(.pipe)
    case S_IFSOCK: self = .notRegular(.socket)
    default: self = .notRegular(.device)
    }
  }
}
