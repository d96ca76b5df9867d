public import AudioTypes
import FileAccess
import Glibc

/// Why a sound file could not be opened, read or written.
public struct SoundFileError: Error, Hashable, Sendable {
  /// The kind of failure.
  public enum Kind: Hashable, Sendable {
    case notFound, notReadable, notAudio, notWritable, unknownFormat, formatNotSupported
    /// The file exists and was not written by patchrun.
    case notOwn
    case readFailed, writeFailed
  }

  /// The kind of failure.
  public var kind: Kind
  /// Core Audio's status for it.
  public var status: Status
  /// A sentence that starts in lower case and names the file; for `.readFailed` only the cause.
  public var message: String
  /// What the user can do about it; may be empty.
  public var help: String
  /// Whether the system failed, and not the contents of the file: a later attempt may succeed.
  public var isOfDisk: Bool
  /// Whether the disk is full, or the quota used up: a later attempt may succeed.
  public var isOfRoom: Bool
  /// The cause of a `.writeFailed`, as words that follow a colon; empty for others.
  public var reason: String

  /// The cause, as words that follow a colon.
  public var cause: String { reason.isEmpty ? message : reason }

  public init(
    _ kind: Kind, status: Status, _ message: String, help: String = "", isOfDisk: Bool = false,
    isOfRoom: Bool = false, reason: String = ""
  ) {
    self.kind = kind
    self.status = status
    self.message = message
    self.help = help
    self.isOfDisk = isOfDisk
    self.isOfRoom = isOfRoom
    self.reason = reason
  }
}

extension SoundFileError {
  private static func help(toFind path: String) -> String {
    if path.contains("://") { return "sounds are read from files: save it, and name the file" }
    if path.hasPrefix("~") || path.contains("/~/") {
      return "'~' means nothing in a patch: write the whole path"
    }
    return "a path in a patch is relative to the folder of the patch"
  }

  /// Why a sound file may not be opened.
  init(_ refusal: FileRefusal, reading path: String) {
    switch refusal {
    case .notFound:
      self.init(
        .notFound, status: .fileNotFound, refusal.message(for: path),
        help: Self.help(toFind: path))
    case .notPermitted:
      self.init(
        .notReadable, status: .filePermission, "'\(path)' cannot be read: permission denied")
    case .isFolder:
      self.init(
        .notAudio, status: .unsupportedFileType, "'\(path)' is a folder, not a sound file")
    case .notRegular(let kind):
      self.init(
        .notAudio, status: .unsupportedFileType,
        "'\(path)' is a \(kind.rawValue), not a regular file; a sound file is read from its "
          + "beginning more than once", help: refusal.help)
    default:
      self.init(
        .notReadable, status: .filePermission, refusal.message(for: path), help: refusal.help)
    }
  }
}

extension Status {
  /// `kAudioFileUnspecifiedError`, `'wht?'`.
  public static let fileFailed = Status(rawValue: 2_003_334_207)
}

/// The text of an `errno`, in lower case.
func systemText(_ number: Int32) -> String {
  switch number {
  case ENOENT: return "there is no such file or folder"
  case EACCES, EPERM: return "permission denied"
  case ENOSPC: return "the disk is full"
  case EROFS: return "the file system is read-only"
  case EISDIR: return "it is a folder"
  case ENOTDIR: return "a part of the path is not a folder"
  case EPIPE: return "the reader of the pipe has gone"
  case EBADF: return "it is closed"
  case EIO: return "the disk gives an input/output error"
  case EFBIG: return "the file is larger than is allowed (ulimit -f)"
  case EDQUOT: return "the disk quota is used up"
  case EMFILE, ENFILE: return "too many files are open"
  default: return FileRefusal.text(errno: number)
  }
}
