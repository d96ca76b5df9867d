public import AudioTypes
import CSndfile
import Glibc
import Synchronization

/// A sound file that is being written: WAV by patchrun's own writer, everything else by libsndfile.
///
/// The path's extension says what kind of file; `-` is WAV on standard output. Samples are rounded
/// to the nearest value that the file can hold, halves to even, and clipped; nothing is dithered.
/// Files of linear samples (WAV, RF64, Wave64, AIFF, CAF, AU) are whole after each `write`, whatever
/// ends the process; the others miss at most their last block. It waits for the disk, so that it
/// has no place on a render thread. One thread at a time may use it.
@safe
public final class SoundFileWriter {
  public let path: String
  public let fileFormat: SoundFileFormat
  /// What a sample is in the file; `nil` where it is coded with loss.
  public let sampleType: FileSampleType?
  public let channelCount: Int
  public private(set) var framesWritten = 0

  private let wave: WaveOutput?
  private var file: OpaquePointer?
  private var isClosed = false
  private var words: [Int32] = []
  private var floats: [Float] = []
  private var doubles: [Double] = []
  /// Frames that go to libsndfile in one call: its Vorbis encoder takes larger ones onto the stack.
  private static let block = 4096

  /// Creates a file, or empties the one there is.
  ///
  /// - Parameters:
  ///   - format: Gives the rate, the channels and, by its sample type, what a sample becomes.
  ///   - sampleType: What a sample becomes in the place of that.
  ///   - quality: From 0, the smallest file, to 1, the best sound, where the file compresses with
  ///     loss; libsndfile's own choice where it is not given.
  /// - Throws: What `problem` gives, or what the system says.
  public convenience init(
    path: String, format: StreamFormat, sampleType: FileSampleType? = nil, quality: Double? = nil
  ) throws(SoundFileError) {
    try self.init(
      path: path, format: format, sampleType: sampleType, quality: quality,
      waveLimit: UInt64(UInt32.max))
  }

  init(
    path: String, format: StreamFormat, sampleType: FileSampleType?, quality: Double?,
    waveLimit: UInt64
  ) throws(SoundFileError) {
    let choice = try Self.choose(path, format, sampleType, quality)
    self.path = path
    fileFormat = choice.format
    self.sampleType = choice.sampleType
    channelCount = format.channelCount
    if choice.format.isWave, let sampleType = choice.sampleType {
      let descriptor = try Self.openDescriptor(path)
      do throws(WaveOutput.SystemFailure) {
        wave = try WaveOutput(
          descriptor: descriptor, isSeekable: Self.isSeekable(descriptor), sampleType: sampleType,
          channelCount: format.channelCount, sampleRate: Int(format.sampleRate),
          limit: choice.format.container == SoundFileFormat.rf64 ? 0 : waveLimit)
      } catch {
        _ = Glibc.close(descriptor)
        throw Self.writeFailed(path, systemText(error.number))
      }
      return
    }
    wave = nil
    var info = choice.info
    var text = ""
    openingLock.withLock { _ in
      unsafe file = sf_open(path, Int32(SFM_WRITE), &info)
      if unsafe file == nil { text = unsafe String(cString: sf_strerror(nil)) }
    }
    guard let file = unsafe file else {
      throw SoundFileError(
        .notWritable, status: .filePermission,
        "'\(path)' cannot be written: \(sentence(text))")
    }
    // A peak chunk holds the time of day: two runs would not give the same bytes.
    _ = unsafe sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    if var quality {
      _ = unsafe sf_command(
        file, Int32(SFC_SET_VBR_ENCODING_QUALITY), &quality, Int32(MemoryLayout<Double>.size))
    }
  }

  deinit { try? close() }

  /// Writes interleaved frames down.
  public func write(_ samples: [Double], frameCount: Int) throws(SoundFileError) {
    try writeAny(samples, frameCount: frameCount)
  }

  /// Writes interleaved frames down.
  public func write(_ samples: [Float], frameCount: Int) throws(SoundFileError) {
    try writeAny(samples, frameCount: frameCount)
  }

  /// Makes the file whole and closes it. Nothing may be written after that; a second call does
  /// nothing.
  public func close() throws(SoundFileError) {
    guard !isClosed else { return }
    isClosed = true
    if let wave {
      do throws(WaveOutput.SystemFailure) { try wave.close() } catch {
        throw Self.writeFailed(path, systemText(error.number))
      }
    } else if let file = unsafe file {
      let result = unsafe sf_close(file)
      unsafe self.file = nil
      if result != 0 {
        throw Self.writeFailed(path, sentence(unsafe String(cString: sf_error_number(result))))
      }
      if fileFormat.container == Int32(SF_FORMAT_OGG) { OggSerial.fix(path) }
    }
  }

  private func writeAny<Sample: BinaryFloatingPoint>(
    _ samples: [Sample], frameCount: Int
  ) throws(SoundFileError) {
    precondition(!isClosed, "a closed file takes no frames")
    precondition(frameCount * channelCount <= samples.count, "so many frames are there")
    if let wave {
      do throws(WaveOutput.SystemFailure) {
        try wave.write(samples, count: frameCount * channelCount)
      } catch {
        throw Self.writeFailed(path, systemText(error.number))
      }
      framesWritten += frameCount
      return
    }
    guard let file = unsafe file else { return }
    try checkSize(adding: frameCount)
    var first = 0
    while first < frameCount {
      let count = min(Self.block, frameCount - first)
      let range = first * channelCount..<(first + count) * channelCount
      let written: Int64
      switch sampleType {
      case .int16, .int24, .int32:
        let bits = sampleType?.bits ?? 32
        words.removeAll(keepingCapacity: true)
        for index in range {
          words.append(integer(Double(samples[index]), bits: bits) << Int32(32 - bits))
        }
        written = unsafe sf_writef_int(file, words, Int64(count))
      case .float64:
        doubles.removeAll(keepingCapacity: true)
        for index in range { doubles.append(Double(samples[index])) }
        written = unsafe sf_writef_double(file, doubles, Int64(count))
      case .float32, nil:
        floats.removeAll(keepingCapacity: true)
        for index in range { floats.append(Float(samples[index])) }
        written = unsafe sf_writef_float(file, floats, Int64(count))
      }
      framesWritten += Int(max(0, written))
      guard written == Int64(count) else {
        throw Self.writeFailed(path, sentence(unsafe String(cString: sf_strerror(file))))
      }
      first += count
    }
    if sampleType != nil && fileFormat.container != Int32(SF_FORMAT_FLAC) {
      _ = unsafe sf_command(file, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    }
  }

  /// AIFF and AU count their bytes in 32 bits and have no larger sibling.
  private func checkSize(adding frameCount: Int) throws(SoundFileError) {
    let container = fileFormat.container
    guard container == Int32(SF_FORMAT_AIFF) || container == Int32(SF_FORMAT_AU),
      let sampleType
    else { return }
    let frames = framesWritten + frameCount
    guard frames * channelCount * sampleType.bits / 8 < 4_294_900_000 else {
      throw SoundFileError(
        .writeFailed, status: .fileFailed,
        "'\(path)' is full: \(fileFormat.name) files end at 4 GiB",
        help: "WAV, CAF and Wave64 files may be larger")
    }
  }

  private static func writeFailed(_ path: String, _ reason: String) -> SoundFileError {
    SoundFileError(
      .writeFailed, status: .fileFailed,
      path == "-"
        ? "standard output cannot be written: \(reason)" : "writing '\(path)' failed: \(reason)")
  }
}

// MARK: - Choosing the file's format

extension SoundFileWriter {
  private struct Choice {
    var format: SoundFileFormat
    var sampleType: FileSampleType?
    var info: SF_INFO
  }

  /// Why `init` would fail, as far as can be told without touching the file; `nil` for no reason.
  ///
  /// `.unknownFormat` (`'typ?'`) for an extension that cannot be written, `.formatNotSupported`
  /// (`'fmt?'`) for a rate, channels or samples that the file cannot hold, `.notWritable` (-43 for
  /// a folder that is not there, else -54).
  public static func problem(
    path: String, format: StreamFormat, sampleType: FileSampleType? = nil, quality: Double? = nil
  ) -> SoundFileError? {
    do throws(SoundFileError) {
      _ = try choose(path, format, sampleType, quality)
      try checkWritable(path)
      return nil
    } catch {
      return error
    }
  }

  /// What a sample becomes in a file: what was asked for, or else what keeps the most of a bus of
  /// `format`. `nil` where the file compresses with loss.
  private static func choose(
    _ path: String, _ format: StreamFormat, _ wanted: FileSampleType?, _ quality: Double?
  ) throws(SoundFileError) -> Choice {
    func unsupported(_ message: String, help: String = "") -> SoundFileError {
      SoundFileError(.formatNotSupported, status: .unsupportedDataFormat, message, help: help)
    }
    guard let fileFormat = SoundFileFormat.writable(forPath: path == "-" ? "a.wav" : path) else {
      let ending = fileExtension(of: path)
      throw SoundFileError(
        .unknownFormat, status: .unsupportedFileType,
        ending.isEmpty
          ? "'\(path)' has no extension, which would say what kind of file to write"
          : "files with the extension '.\(ending)' cannot be written",
        help: "the extensions that can be written are \(SoundFileFormat.writableExtensions)")
    }
    guard let bus = format.sampleType else {
      throw unsupported("a stream of \(format.summary) cannot be written to a file")
    }
    guard let rate = Int32(exactly: format.sampleRate), rate > 0 else {
      throw unsupported(
        "a file has a whole number of frames per second, not \(rateText(format.sampleRate))")
    }
    if let wanted, !fileFormat.sampleTypes.contains(wanted) {
      throw unsupported(
        "\(fileFormat.name) files have no \(wanted.rawValue) samples",
        help: fileFormat.isLossy
          ? "\(fileFormat.name) \(fileFormat.note); leave the sample type out"
          : "they have " + fileFormat.sampleTypes.map(\.rawValue).joined(separator: ", "))
    }
    if let quality, !(quality >= 0 && quality <= 1) {
      throw unsupported("a quality is a number from 0 to 1, not \(rateText(quality))")
    }
    if quality != nil && !fileFormat.isLossy {
      throw unsupported(
        "\(fileFormat.name) files have no quality: nothing is lost in them", help: "leave it out")
    }
    let sampleType = fileFormat.closest(to: wanted ?? FileSampleType(keeping: bus))
    var info = SF_INFO()
    info.samplerate = rate
    info.channels = Int32(format.channelCount)
    info.format = fileFormat.container | (sampleType.map(fileFormat.coding) ?? fileFormat.coding)
    let isHeld = fileFormat.isWave || holds(&info)
    guard isHeld else {
      throw unsupported(
        "\(fileFormat.name) files cannot hold \(format.channelCount) "
          + "channel\(format.channelCount == 1 ? "" : "s") at \(rate) Hz",
        help: "\(fileFormat.name): \(fileFormat.note)")
    }
    return Choice(format: fileFormat, sampleType: sampleType, info: info)
  }

  /// libsndfile's own check, and what it leaves to its encoders.
  private static func holds(_ info: inout SF_INFO) -> Bool {
    guard unsafe sf_format_check(&info) != 0 else { return false }
    switch Int(info.format) & SF_FORMAT_SUBMASK {
    case SF_FORMAT_OPUS: return [8000, 12000, 16000, 24000, 48000].contains(info.samplerate)
    case SF_FORMAT_MPEG_LAYER_III:
      return info.channels <= 2
        && [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000].contains(info.samplerate)
    case SF_FORMAT_VORBIS: return info.channels <= 255 && info.samplerate <= 200_000
    default: break
    }
    if Int(info.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_FLAC {
      return info.channels <= 8 && info.samplerate <= 655_350
    }
    return true
  }

  private static func checkWritable(_ path: String) throws(SoundFileError) {
    guard path != "-" else { return }
    func denied(_ status: Status, _ message: String, help: String = "") -> SoundFileError {
      SoundFileError(.notWritable, status: status, message, help: help)
    }
    var status = stat()
    if unsafe stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR {
        throw denied(.filePermission, "'\(path)' is a folder; a file cannot take its place")
      }
      guard unsafe access(path, W_OK) == 0 else {
        throw denied(.filePermission, "'\(path)' cannot be written: \(systemText(errno))")
      }
      return
    }
    let folder: String
    if let slash = path.lastIndex(of: "/") {
      folder = slash == path.startIndex ? "/" : String(path[..<slash])
    } else {
      folder = "."
    }
    guard unsafe stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw denied(
        .fileNotFound, "there is no folder '\(folder)' to write '\(path)' to",
        help: "make the folder first")
    }
    guard unsafe access(folder, W_OK | X_OK) == 0 else {
      throw denied(
        .filePermission, "the folder '\(folder)' cannot be written: \(systemText(errno))")
    }
  }

  private static func openDescriptor(_ path: String) throws(SoundFileError) -> Int32 {
    let descriptor =
      path == "-"
      ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
      : unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let number = errno
      throw SoundFileError(
        .notWritable, status: number == ENOENT ? .fileNotFound : .filePermission,
        "'\(path)' cannot be written: \(systemText(number))")
    }
    return descriptor
  }

  /// Whether the header can be written again: a regular file that is written from its beginning.
  private static func isSeekable(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return false
    }
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & O_APPEND == 0 && lseek(descriptor, 0, SEEK_CUR) == 0
  }
}
