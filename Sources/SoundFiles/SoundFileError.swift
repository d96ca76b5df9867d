public import AudioTypes
import Glibc

/// Why a sound file could not be opened, read or written.
public struct SoundFileError: Error, Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case notFound, notReadable, notAudio, notWritable, unknownFormat, formatNotSupported
    case readFailed, writeFailed
  }

  public var kind: Kind
  /// Core Audio's number for it.
  public var status: Status
  /// A sentence that starts in lower case and names the file.
  public var message: String
  /// What to do about it; empty for nothing.
  public var help: String

  public init(_ kind: Kind, status: Status, _ message: String, help: String = "") {
    self.kind = kind
    self.status = status
    self.message = message
    self.help = help
  }
}

extension Status {
  /// `kAudioFileUnsupportedFileTypeError`, `'typ?'`.
  public static let unsupportedFileType = Status(rawValue: 1_954_115_647)
  /// `kAudioFileInvalidFileError`, `'dta?'`.
  public static let invalidFileData = Status(rawValue: 1_685_348_671)
  /// `kAudioFileUnsupportedDataFormatError`, `'fmt?'`.
  public static let unsupportedDataFormat = Status(rawValue: 1_718_449_215)
  /// `kAudioFileUnspecifiedError`, `'wht?'`.
  public static let fileFailed = Status(rawValue: 2_003_334_207)
}

/// The system's words for an error number, in lower case.
func systemText(_ number: Int32) -> String {
  switch number {
  case ENOENT: return "there is no such file or folder"
  case EACCES, EPERM: return "permission denied"
  case ENOSPC: return "the disk is full"
  case EROFS: return "the file system is read-only"
  case EISDIR: return "it is a folder"
  case ENOTDIR: return "a part of the path is not a folder"
  case EPIPE: return "the reader of the pipe has gone"
  case EMFILE, ENFILE: return "too many files are open"
  default:
    let text = unsafe String(cString: strerror(number))
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
