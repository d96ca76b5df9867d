import AudioTypes
import CSndfile
import Glibc
import Synchronization

/// A sound file that is open for reading, by libsndfile.
///
/// Frames come interleaved, in numbers whose full scale is 1.0. It waits for the disk, so that it
/// has no place on a render thread. One thread at a time may use it.
@safe
public final class SoundFileReader {
  public let path: String
  /// Frames in the file. Where its header does not say, they have been counted.
  public let frameCount: Int
  public let sampleRate: Double
  public let channelCount: Int
  /// `WAV (Microsoft)`, in libsndfile's words.
  public let container: String
  /// `Signed 16 bit PCM`, in libsndfile's words.
  public let encoding: String
  /// What a sample is in the file; `nil` where it is coded in another way: 8 bits, companded,
  /// compressed with loss. Those fit a `Float`, too.
  public let sampleType: FileSampleType?
  /// The frame that the next read begins with.
  public private(set) var position = 0
  private let file: OpaquePointer

  /// Whether each sample is a `Float` exactly, so that nothing is lost by reading floats.
  public var fitsFloat: Bool { sampleType != .int32 && sampleType != .float64 }

  public var duration: Double { Double(frameCount) / sampleRate }

  /// Opens a file.
  ///
  /// - Throws: `.notFound` (-43), `.notReadable` (-54), or `.notAudio` (`'typ?'`, and `'dta?'` for a
  ///   file that is of a known type and broken).
  public init(path: String) throws(SoundFileError) {
    try Self.checkReadable(path)
    var info = SF_INFO()
    var file = try unsafe Self.open(path, &info)
    if info.frames <= 0 || info.frames == Int64.max {
      // A recording whose writer was killed may not say how long it is.
      var counted: Int64 = 0
      var scratch = [Float](repeating: 0, count: 4096 * Int(info.channels))
      while true {
        let count = unsafe sf_readf_float(file, &scratch, 4096)
        if count <= 0 { break }
        counted += count
      }
      unsafe sf_close(file)
      unsafe file = try Self.open(path, &info)
      info.frames = counted
    }
    unsafe self.file = file
    self.path = path
    frameCount = Int(info.frames)
    sampleRate = Double(info.samplerate)
    channelCount = Int(info.channels)
    let majorMask = Int32(SF_FORMAT_TYPEMASK)
    let minor = info.format & Int32(SF_FORMAT_SUBMASK)
    container = formatName(info.format & majorMask) ?? "unknown"
    encoding = formatName(minor) ?? "unknown"
    sampleType =
      switch Int(minor) {
      case SF_FORMAT_PCM_16, SF_FORMAT_ALAC_16: .int16
      case SF_FORMAT_PCM_24, SF_FORMAT_ALAC_20,
        SF_FORMAT_ALAC_24:
        .int24
      case SF_FORMAT_PCM_32, SF_FORMAT_ALAC_32: .int32
      case SF_FORMAT_FLOAT: .float32
      case SF_FORMAT_DOUBLE: .float64
      default: nil
      }
  }

  deinit { unsafe sf_close(file) }

  /// Reads frames into `samples`, interleaved, and returns how many. Fewer than there is room for
  /// means the end of the file. Exact for every file.
  public func read(into samples: inout [Double]) -> Int {
    let room = samples.count / channelCount
    return read(room) { count in unsafe sf_readf_double(file, &samples, count) }
  }

  /// Reads up to `frameCount` frames into `samples`, from its frame `first` on.
  public func read(into samples: inout [Double], at first: Int, frameCount: Int) -> Int {
    precondition(
      first >= 0 && frameCount >= 0 && (first + frameCount) * channelCount <= samples.count,
      "there is room for so many frames")
    return unsafe samples.withUnsafeMutableBufferPointer { samples in
      guard let base = samples.baseAddress else { return 0 }
      return read(frameCount) { count in
        unsafe sf_readf_double(file, base + first * channelCount, count)
      }
    }
  }

  /// Reads frames as floats: exact where `fitsFloat`, else rounded to the nearest.
  public func read(into samples: inout [Float]) -> Int {
    let room = samples.count / channelCount
    return read(room) { count in unsafe sf_readf_float(file, &samples, count) }
  }

  /// Reads frames as integers of 32 bits whose full scale is 2^31: exact for every integer file.
  public func read(into samples: inout [Int32]) -> Int {
    let room = samples.count / channelCount
    return read(room) { count in unsafe sf_readf_int(file, &samples, count) }
  }

  private func read(_ room: Int, _ body: (Int64) -> Int64) -> Int {
    guard room > 0 else { return 0 }
    let count = Int(max(0, body(Int64(room))))
    position += count
    return count
  }

  /// Goes to a frame, from 0 to `frameCount`.
  public func seek(to frame: Int) throws(SoundFileError) {
    precondition(frame >= 0 && frame <= frameCount, "a frame of the file")
    guard frame != position else { return }
    guard unsafe sf_seek(file, Int64(frame), SEEK_SET) == Int64(frame) else {
      throw SoundFileError(
        .readFailed, status: .fileFailed, "'\(path)' cannot be wound to frame \(frame)")
    }
    position = frame
  }

  private static func checkReadable(_ path: String) throws(SoundFileError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      let number = errno
      if number == ENOENT || number == ENOTDIR {
        throw SoundFileError(
          .notFound, status: .fileNotFound, "there is no file '\(path)'",
          help: "a path in a patch is relative to the folder of the patch")
      }
      throw SoundFileError(
        .notReadable, status: .filePermission,
        "'\(path)' cannot be read: \(systemText(number))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SoundFileError(
        .notAudio, status: .unsupportedFileType,
        status.st_mode & S_IFMT == S_IFDIR
          ? "'\(path)' is a folder, not a sound file"
          : "'\(path)' is not a regular file; a sound file is read from its beginning more than once"
      )
    }
    guard unsafe access(path, R_OK) == 0 else {
      throw SoundFileError(
        .notReadable, status: .filePermission,
        "'\(path)' cannot be read: \(systemText(errno))")
    }
    guard status.st_size > 0 else {
      throw SoundFileError(.notAudio, status: .invalidFileData, "'\(path)' is empty (0 bytes)")
    }
  }

  private static func open(_ path: String, _ info: inout SF_INFO) throws(SoundFileError)
    -> OpaquePointer
  {
    info = SF_INFO()
    var opened: OpaquePointer?
    var number: Int32 = 0
    var text = ""
    openingLock.withLock { _ in
      unsafe opened = sf_open(path, Int32(SFM_READ), &info)
      if unsafe opened == nil {
        number = sf_error(nil)
        text = unsafe String(cString: sf_strerror(nil))
      }
    }
    if let opened = unsafe opened { return unsafe opened }
    let isKnownType = number == SF_ERR_MALFORMED_FILE || number > 10
    throw SoundFileError(
      .notAudio, status: isKnownType ? .invalidFileData : .unsupportedFileType,
      number == SF_ERR_UNRECOGNISED_FORMAT
        ? "'\(path)' is not a sound file of a type that can be read"
        : "'\(path)' cannot be read as a sound file: \(sentence(text))",
      help: "WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus, MP3 and others can be read")
  }
}

/// libsndfile's words, to follow a colon: no "Error :" and no full stop.
func sentence(_ text: String) -> String {
  var words = Substring(text)
  for prefix in ["Error : ", "Error: ", "Supported file format but file is malformed: "]
  where words.hasPrefix(prefix) {
    words = words.dropFirst(prefix.count)
  }
  while let last = words.last, last == "." || last == " " || last == "\n" {
    words = words.dropLast()
  }
  return words.prefix(1).lowercased() + words.dropFirst()
}
