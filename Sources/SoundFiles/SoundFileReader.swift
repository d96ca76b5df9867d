import AudioTypes
import CSndfile
public import FileAccess
import Glibc
import Synchronization

/// A sound file that is open for reading, by libsndfile.
///
/// Frames come interleaved, in numbers whose full scale is 1.0. It waits for the disk, so that it
/// has no place on a render thread. One thread at a time may use it.
///
/// A file that cannot be read to its end is never taken for a shorter one: `read` throws where frames
/// are missing that the header has promised. It goes on from there, or from where `seek` leads, as soon
/// as the disk does.
@safe
public final class SoundFileReader {
  /// As it was given.
  public let path: String
  /// Frames in the file. Where its header does not say, they have been counted; where it promises
  /// more linear samples than there are, those that there are.
  public let frameCount: Int
  /// In hertz.
  public let sampleRate: Double
  /// How many channels the file has.
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
  private let bytes: FileBytes
  /// `nil` between a failure and the next attempt.
  private var file: OpaquePointer?
  private let majorFormat: Int
  /// The system's number of a failure that the next read tells of; 0 for none.
  private var heldFailure: Int32 = 0
  /// Whether `frameCount` is what the file says, and no guess from its size.
  private let isPromised: Bool

  /// Whether each sample is a `Float` exactly, so that nothing is lost by reading floats.
  public var fitsFloat: Bool { sampleType != .int32 && sampleType != .float64 }

  /// In seconds.
  public var duration: Double { Double(frameCount) / sampleRate }

  /// Opens a file. What type it is of shows in its bytes; its name says nothing.
  ///
  /// - Parameter files: Whether it may be opened; a file that a patch names is opened by the policy for
  ///   that patch.
  /// - Throws: `.notFound` (-43), `.notReadable` (-54), or `.notAudio` (`'typ?'`, and `'dta?'` for a
  ///   file that is of a known type and broken).
  public convenience init(path: String, files: FilePolicy = .user) throws(SoundFileError) {
    let descriptor: Int32
    do throws(FileRefusal) { descriptor = try files.open(path).release() } catch {
      throw SoundFileError(error, reading: path)
    }
    try self.init(descriptor: descriptor, path: path)
  }

  /// Opens a file that is open already.
  ///
  /// - Parameters:
  ///   - descriptor: Is closed with the reader, and where it throws.
  ///   - path: What the file is called.
  public convenience init(descriptor: Int32, path: String) throws(SoundFileError) {
    try self.init(descriptor: descriptor, path: path, fault: nil)
  }

  init(
    descriptor: Int32, path: String, fault: FileBytes.Fault?
  ) throws(SoundFileError) {
    let bytes = FileBytes(descriptor, fault: fault)
    try Self.checkReadable(descriptor, path)
    try SoundLibrary.checkReading(path)
    var info = SF_INFO()
    var file = try unsafe Self.open(bytes, path, &info)
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
      let number = bytes.failure
      guard number == 0 else {
        throw SoundFileError(
          .notReadable, status: .fileFailed, "'\(path)' cannot be read: \(systemText(number))")
      }
      bytes.rewind()
      unsafe file = try Self.open(bytes, path, &info)
      info.frames = counted
    }
    unsafe self.file = file
    self.bytes = bytes
    self.path = path
    frameCount = Int(info.frames)
    sampleRate = Double(info.samplerate)
    channelCount = Int(info.channels)
    let majorMask = Int32(SF_FORMAT_TYPEMASK)
    let minor = info.format & Int32(SF_FORMAT_SUBMASK)
    majorFormat = Int(info.format & majorMask)
    isPromised = majorFormat != SF_FORMAT_MPEG || Self.hasLengthTag(descriptor)
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

  deinit {
    if let file = unsafe file { unsafe sf_close(file) }
  }

  /// Reads frames into `samples`, interleaved, and returns how many. Fewer than there is room for
  /// means the end of the file. Exact for every file.
  ///
  /// - Throws: `.readFailed` where the disk fails, the file is damaged, or it ends before its header
  ///   says so. What has been read until there is in `samples`, and `position` is behind it; nothing is
  ///   read of a stretch that has a damaged block in it.
  public func read(into samples: inout [Double]) throws(SoundFileError) -> Int {
    let room = samples.count / channelCount
    return try unsafe read(room) { file, count in unsafe sf_readf_double(file, &samples, count) }
  }

  /// Reads up to `frameCount` frames into `samples`, from its frame `first` on.
  ///
  /// - Throws: As the other.
  public func read(
    into samples: inout [Double], at first: Int, frameCount: Int
  ) throws(SoundFileError) -> Int {
    precondition(
      first >= 0 && frameCount >= 0 && (first + frameCount) * channelCount <= samples.count,
      "there is room for so many frames")
    let offset = first * channelCount
    return try unsafe read(frameCount) { file, count in
      unsafe samples.withUnsafeMutableBufferPointer { samples in
        guard let base = samples.baseAddress else { return 0 }
        return unsafe sf_readf_double(file, base + offset, count)
      }
    }
  }

  /// Reads frames as floats: exact where `fitsFloat`, else rounded to the nearest.
  ///
  /// - Throws: As the others.
  public func read(into samples: inout [Float]) throws(SoundFileError) -> Int {
    let room = samples.count / channelCount
    return try unsafe read(room) { file, count in unsafe sf_readf_float(file, &samples, count) }
  }

  /// Reads up to `frameCount` frames as floats to where there is room for as many.
  ///
  /// - Throws: As the others.
  public func read(
    into samples: UnsafeMutablePointer<Float>, frameCount: Int
  ) throws(SoundFileError) -> Int {
    try unsafe read(frameCount) { file, count in unsafe sf_readf_float(file, samples, count) }
  }

  /// What tells this file, as it is now, from every other; `nil` where the system does not say.
  public var version: FileVersion? { FileVersion(of: bytes.descriptor) }

  /// Reads frames as integers of 32 bits whose full scale is 2^31: exact for every integer file.
  ///
  /// - Throws: As the others.
  public func read(into samples: inout [Int32]) throws(SoundFileError) -> Int {
    let room = samples.count / channelCount
    return try unsafe read(room) { file, count in unsafe sf_readf_int(file, &samples, count) }
  }

  private func read(
    _ room: Int, _ body: (OpaquePointer, Int64) -> Int64
  ) throws(SoundFileError) -> Int {
    guard room > 0 else { return 0 }
    let file = try unsafe opened()
    bytes.failure = heldFailure
    heldFailure = 0
    guard bytes.failure == 0 else { throw failure("") }
    let count = Int(max(0, unsafe body(file, Int64(room))))
    let number = unsafe sf_error(file)
    let isShort = count < room && position + count < frameCount
    guard isShort || number != 0 else {
      position += count
      // A decoder may have asked for more than these frames have taken: the next read fails.
      heldFailure = bytes.failure
      return count
    }
    // A block that is damaged is silence for the decoder: what it gives then is none of the file.
    if count < room { position += count }
    if number == 0 && bytes.failure == 0 && !isPromised { return count }
    throw failure(number == 0 ? "" : unsafe String(cString: sf_strerror(file)))
  }

  /// Why frames are not there that should be. The file is opened anew for the next attempt: a decoder
  /// that has failed need not recover.
  private func failure(_ text: String) -> SoundFileError {
    if let file = unsafe file { unsafe sf_close(file) }
    unsafe file = nil
    let cause =
      bytes.failure != 0
      ? systemText(bytes.failure)
      : text.isEmpty
        ? "the file ends there, and its header promises \(timeText(duration))" : sentence(text)
    return SoundFileError(.readFailed, status: .fileFailed, cause, isOfDisk: bytes.failure != 0)
  }

  /// The file where the next read begins.
  private func opened() throws(SoundFileError) -> OpaquePointer {
    if let file = unsafe file { return unsafe file }
    bytes.rewind()
    bytes.failure = 0
    var info = SF_INFO()
    let wanted = position
    do throws(SoundFileError) {
      unsafe file = try Self.open(bytes, path, &info)
    } catch {
      throw failure(error.message)
    }
    position = 0
    do throws(SoundFileError) { try seek(to: wanted) } catch {
      position = wanted
      throw error
    }
    guard let file = unsafe file else { throw failure("") }
    return unsafe file
  }

  /// Goes to a frame, from 0 to `frameCount`.
  ///
  /// - Throws: `.readFailed`. `position` is the frame all the same: the next read tries again.
  public func seek(to frame: Int) throws(SoundFileError) {
    precondition(frame >= 0 && frame <= frameCount, "a frame of the file")
    guard frame != position else { return }
    position = frame
    heldFailure = 0
    // One that has failed is opened and wound by the next read.
    guard let file = unsafe file else { return }
    bytes.failure = 0
    guard unsafe sf_seek(file, Int64(frame), SEEK_SET) == Int64(frame) else {
      throw failure("it cannot be wound to \(timeText(Double(frame) / sampleRate))")
    }
  }

  // MARK: - What the header promises

  /// What is wrong with the length of the file, as a sentence that names it; `nil` where it is as long
  /// as its header says, as far as that can be known without reading it all.
  ///
  /// Of linear samples they are counted; of a FLAC file the last frame is looked for; an Ogg stream has
  /// a mark at its end.
  public func shortfall() -> String? {
    let name = "'\(path)'"
    if let layout = ContainerLayout(bytes.descriptor) {
      guard layout.missingBytes > 0, layout.bytesPerFrame > 0, let promised = layout.promisedBytes
      else { return nil }
      let seconds = Double(promised / Int64(layout.bytesPerFrame)) / sampleRate
      return "\(name) is cut off: its header promises \(timeText(seconds)), and it has "
        + timeText(duration)
    }
    switch majorFormat {
    case SF_FORMAT_FLAC where frameCount > 0 && position == 0:
      defer { position = 0 }
      var last = [Float](repeating: 0, count: channelCount)
      do throws(SoundFileError) {
        try seek(to: frameCount - 1)
        if try read(into: &last) == 1 {
          try seek(to: 0)
          return nil
        }
      } catch {}
      // The next read begins with a decoder that has not failed.
      _ = failure("")
      return "\(name) is cut off or damaged: its last frame, at "
        + "\(timeText(Double(frameCount - 1) / sampleRate)), cannot be read"
    case SF_FORMAT_OGG where !OggPages.hasEnd(bytes.descriptor):
      return "\(name) is cut off: it has no end; there are \(timeText(duration)) of it"
    default: return nil
    }
  }

  /// Whether an MP3 file has a frame in front that says how long it is.
  private static func hasLengthTag(_ descriptor: Int32) -> Bool {
    var head = [UInt8](repeating: 0, count: 8192)
    let count = max(0, unsafe pread(descriptor, &head, head.count, 0))
    let tags = [Array("Xing".utf8), Array("Info".utf8), Array("VBRI".utf8)]
    return tags.contains { tag in
      (0..<max(0, count - 4)).contains { head[$0..<$0 + 4].elementsEqual(tag) }
    }
  }

  // MARK: - Opening

  private static func checkReadable(_ descriptor: Int32, _ path: String) throws(SoundFileError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw SoundFileError(
        .notReadable, status: .filePermission, "'\(path)' cannot be read: \(systemText(errno))")
    }
    guard status.st_size > 0 else {
      throw SoundFileError(.notAudio, status: .invalidFileData, "'\(path)' is empty (0 bytes)")
    }
  }

  private static func open(
    _ bytes: FileBytes, _ path: String, _ info: inout SF_INFO
  ) throws(SoundFileError) -> OpaquePointer {
    info = SF_INFO()
    var opened: OpaquePointer?
    var number: Int32 = 0
    var text = ""
    openingLock.withLock { _ in
      unsafe opened = bytes.open(SFM_READ, &info)
      if unsafe opened == nil {
        number = sf_error(nil)
        text = unsafe String(cString: sf_strerror(nil))
      }
    }
    if let opened = unsafe opened { return unsafe opened }
    if bytes.failure != 0 {
      throw SoundFileError(
        .notReadable, status: .fileFailed,
        "'\(path)' cannot be read: \(systemText(bytes.failure))")
    }
    let isKnownType = number == SF_ERR_MALFORMED_FILE || number > 10
    throw SoundFileError(
      .notAudio, status: isKnownType ? .invalidFileData : .unsupportedFileType,
      number == SF_ERR_UNRECOGNISED_FORMAT
        ? "'\(path)' is not a sound file of a type that can be read"
        : "'\(path)' cannot be read as a sound file: \(sentence(text))",
      help: "WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus, MP3 and others can be read")
  }
}

/// `1.500 s`, rounded to thousandths.
func timeText(_ seconds: Double) -> String {
  guard seconds.isFinite, seconds < 1e12 else { return "\(seconds) s" }
  let thousandths = Int((seconds * 1000).rounded())
  let rest = "\(thousandths % 1000)"
  return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest + " s"
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
