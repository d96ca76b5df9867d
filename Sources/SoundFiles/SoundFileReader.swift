import AudioTypes
import CSndfile
public import FileAccess
import Glibc
import Synchronization

/// A sound file, read by libsndfile, or without it where its samples are floats that lie there as they are.
///
/// Frames are interleaved, with 1.0 as full scale. It waits for the disk, and so must not be used
/// on a render thread. One thread at a time may use it.
///
/// A file that cannot be read to its end is not treated as a shorter one: `read` throws where
/// frames of the header are missing. Reading continues there, or where `seek` leads, once the disk
/// works again.
@safe
public final class SoundFileReader {
  /// The path as it was given.
  public let path: String
  /// The frames of the file. Where the header has no length they were counted; where it promises
  /// more linear samples than there are, this is the number that there are.
  public let frameCount: Int
  /// In Hz.
  public let sampleRate: Double
  /// The number of channels.
  public let channelCount: Int
  /// libsndfile's name for the container: `WAV (Microsoft)`.
  public let container: String
  /// libsndfile's name for the coding: `Signed 16 bit PCM`.
  public let encoding: String
  /// The type of a sample in the file; `nil` for other codings: 8 bits, companded, lossy. A `Float`
  /// can hold those too.
  public let sampleType: FileSampleType?
  /// The first frame of the next read.
  public private(set) var position = 0
  private let bytes: FileBytes
  /// `nil` before the first read, and between a failure and the next attempt.
  private var file: OpaquePointer?
  /// Set where floats are read without libsndfile, as long as nothing else is read.
  private let floats: FloatWave?
  /// The stretch of the file in memory that was asked for last.
  private var stretch: MappedStretch?
  /// The bytes of that stretch that are in memory.
  private var loaded = 0..<0
  /// The bytes to bring into memory the next time beside those that are asked for. They double each
  /// time: a short render reads little from the disk, and a long one asks the system seldom.
  private var loadedAhead = 1 << 18
  private let majorFormat: Int
  /// The `errno` of a failure that the next read reports; 0 for none.
  private var heldFailure: Int32 = 0
  /// Whether the file contains its length, so that `frameCount` is not an estimate from its size.
  private let isPromised: Bool

  /// Whether a `Float` holds each sample exactly, so that reading floats loses nothing.
  public var fitsFloat: Bool { sampleType != .int32 && sampleType != .float64 }

  /// In seconds.
  public var duration: Double { Double(frameCount) / sampleRate }

  /// Opens a file. Its contents decide about its type, not its name.
  ///
  /// - Parameter files: Whether it may be opened; the policy of the patch for a file that a patch
  ///   names.
  /// - Throws: `.notFound` (-43), `.notReadable` (-54), or `.notAudio` (`'typ?'`, or `'dta?'` for a
  ///   damaged file of a known type).
  public convenience init(path: String, files: FilePolicy = .user) throws(SoundFileError) {
    let descriptor: Int32
    do throws(FileRefusal) { descriptor = try files.open(path).release() } catch {
      throw SoundFileError(error, reading: path)
    }
    try self.init(descriptor: descriptor, path: path)
  }

  /// Reads a file that is open already.
  ///
  /// - Parameters:
  ///   - descriptor: Closed with the reader, also where this throws.
  ///   - path: The name of the file for messages.
  public convenience init(descriptor: Int32, path: String) throws(SoundFileError) {
    try self.init(descriptor: descriptor, path: path, fault: nil)
  }

  init(
    descriptor: Int32, path: String, fault: FileBytes.Fault?
  ) throws(SoundFileError) {
    let bytes = FileBytes(descriptor, fault: fault)
    try Self.checkReadable(descriptor, path)
    self.bytes = bytes
    self.path = path
    if let floats = FloatWave(descriptor) {
      self.floats = floats
      frameCount = floats.frameCount
      sampleRate = Double(floats.sampleRate)
      channelCount = floats.channelCount
      majorFormat = SF_FORMAT_WAV
      isPromised = true
      container = floats.container
      encoding = "32 bit float"
      sampleType = .float32
      return
    }
    floats = nil
    try SoundLibrary.checkReading(path)
    var info = SF_INFO()
    var file = try unsafe Self.open(bytes, path, &info)
    if info.frames <= 0 || info.frames == Int64.max {
      // A recording whose writer was killed may lack its length.
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

  /// Reads interleaved frames into `samples`, as many as fit, and returns how many. Fewer means the
  /// end of the file. Exact for every file.
  ///
  /// - Throws: `.readFailed` where the disk fails, the file is damaged, or it ends before the
  ///   length in its header. The frames before that are in `samples`, and `position` is behind
  ///   them; of a stretch with a damaged block nothing is read.
  public func read(into samples: inout [Double]) throws(SoundFileError) -> Int {
    let room = samples.count / channelCount
    return try unsafe read(room) { file, count in unsafe sf_readf_double(file, &samples, count) }
  }

  /// Reads up to `frameCount` frames into `samples`, from its frame `first` on.
  ///
  /// - Throws: As `read(into:)`.
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

  /// Reads frames as floats: exact where `fitsFloat`, otherwise rounded to the nearest.
  ///
  /// - Throws: As for doubles.
  public func read(into samples: inout [Float]) throws(SoundFileError) -> Int {
    let room = samples.count / channelCount
    return try unsafe samples.withUnsafeMutableBufferPointer {
      (samples) throws(SoundFileError) -> Int in
      guard let base = samples.baseAddress else { return 0 }
      return try unsafe read(into: base, frameCount: room)
    }
  }

  /// Reads up to `frameCount` frames as floats into memory with room for as many.
  ///
  /// - Throws: As for doubles.
  public func read(
    into samples: UnsafeMutablePointer<Float>, frameCount: Int
  ) throws(SoundFileError) -> Int {
    if let floats, unsafe file == nil { return try unsafe read(floats, into: samples, frameCount) }
    return try unsafe read(frameCount) { file, count in
      unsafe sf_readf_float(file, samples, count)
    }
  }

  /// The bytes of a stretch: enough that mapping costs little, and few enough for many files at once.
  private static let stretchLength = 2 << 20

  /// The next frames where they lie, in memory in which the system has the file; `position` is then
  /// behind them. The memory is valid as long as `owner`. `nil` where they have to be read: in a file
  /// that needs a decoder, at its end, and where the disk fails, which reading then tells.
  public func mapped(
    _ frameCount: Int
  ) -> (samples: UnsafeMutablePointer<Float>, owner: MappedStretch)? {
    guard let floats, unsafe file == nil, heldFailure == 0, frameCount > 0,
      frameCount <= self.frameCount - position
    else { return nil }
    let first = Int(floats.offset(of: position))
    let wanted = first..<(first + 4 * frameCount * channelCount)
    guard first.isMultiple(of: MemoryLayout<Float>.alignment),
      wanted.count <= Self.stretchLength
    else { return nil }
    if stretch?.range.clamped(to: wanted) != wanted {
      let end = Int(floats.offset(of: self.frameCount))
      loaded = first..<first
      stretch = MappedStretch(
        bytes.descriptor, first..<min(end, first + Self.stretchLength))
    }
    guard let stretch else { return nil }
    if wanted.clamped(to: loaded) != wanted {
      let ahead = first..<min(stretch.range.upperBound, wanted.upperBound + loadedAhead)
      loadedAhead = min(2 * loadedAhead, Self.stretchLength)
      if stretch.loadAtOnce(ahead) { loaded = ahead } else { stretch.load(wanted) }
    }
    guard !stretch.isIncomplete else { return nil }
    position += frameCount
    let memory = unsafe stretch.memory(of: first).assumingMemoryBound(to: Float.self)
    return unsafe (UnsafeMutablePointer(mutating: memory), stretch)
  }

  /// Identifies the file in its present state; `nil` where the system does not tell.
  public var version: FileVersion? { FileVersion(of: bytes.descriptor) }

  /// Reads frames as 32-bit integers, where 2^31 is full scale: exact for every integer file.
  ///
  /// - Throws: As for doubles.
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
      // A decoder may have read ahead of these frames: the next read fails.
      heldFailure = bytes.failure
      return count
    }
    // A decoder returns silence for a damaged block; that is not part of the file.
    if count < room { position += count }
    if number == 0 && bytes.failure == 0 && !isPromised { return count }
    throw failure(number == 0 ? "" : unsafe String(cString: sf_strerror(file)))
  }

  /// Reads frames of a file whose samples need no decoder.
  private func read(
    _ floats: FloatWave, into samples: UnsafeMutablePointer<Float>, _ room: Int
  ) throws(SoundFileError) -> Int {
    let wanted = min(room, frameCount - position)
    let byteCount = 4 * wanted * channelCount
    bytes.failure = 0
    let found = unsafe bytes.read(samples, byteCount, at: floats.offset(of: position))
    let count = found / (4 * channelCount)
    position += count
    guard count == wanted else { throw failure("") }
    return count
  }

  /// The error for missing frames. The file is opened again for the next attempt, because a decoder
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

  /// The open file, positioned for the next read.
  private func opened() throws(SoundFileError) -> OpaquePointer {
    if let file = unsafe file { return unsafe file }
    try SoundLibrary.checkReading(path)
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
  /// - Throws: `.readFailed`. `position` is the frame anyway, and the next read tries again.
  public func seek(to frame: Int) throws(SoundFileError) {
    precondition(frame >= 0 && frame <= frameCount, "a frame of the file")
    guard frame != position else { return }
    position = frame
    heldFailure = 0
    // After a failure the next read opens the file and seeks.
    guard let file = unsafe file else { return }
    bytes.failure = 0
    guard unsafe sf_seek(file, Int64(frame), SEEK_SET) == Int64(frame) else {
      throw failure("it cannot be wound to \(timeText(Double(frame) / sampleRate))")
    }
  }

  // MARK: - The length in the header

  /// A sentence that names the file and tells that it is cut off; `nil` where it is as long as its
  /// header says, as far as that can be told without reading all of it.
  ///
  /// Linear samples are counted; in a FLAC file the last frame is read; an Ogg stream has a flag at
  /// its end.
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
      // Let the next read begin with a new decoder.
      _ = failure("")
      return "\(name) is cut off or damaged: its last frame, at "
        + "\(timeText(Double(frameCount - 1) / sampleRate)), cannot be read"
    case SF_FORMAT_OGG where !OggPages.hasEnd(bytes.descriptor):
      return "\(name) is cut off: it has no end; there are \(timeText(duration)) of it"
    default: return nil
    }
  }

  /// Whether an MP3 file has a tag with its length in its first frame.
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

/// `1.500 s`, with three decimals.
func timeText(_ seconds: Double) -> String {
  guard seconds.isFinite, seconds < 1e12 else { return "\(seconds) s" }
  let thousandths = Int((seconds * 1000).rounded())
  let rest = "\(thousandths % 1000)"
  return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest + " s"
}

/// libsndfile's text as words that follow a colon: without "Error :" and full stop.
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
