public import AudioTypes
import CSndfile
public import FileAccess
import Glibc
import Synchronization

/// Writes a sound file: WAV with patchrun's own writer, other types with libsndfile.
///
/// The extension of the path selects the type; `-` is WAV on standard output. For a file with
/// integer samples, samples are dithered, rounded to the nearest integer, halves to even, and
/// clipped.
///
/// The file is written under another name (`PendingFile`). `close()` completes it, puts it onto the
/// disk and gives it its name. Until then a file of linear samples (WAV, RF64, Wave64, AIFF, CAF,
/// AU) is readable up to its last second, however the process ends; other types lack at most their
/// last block. A pipe or a device is written directly.
///
/// It waits for the disk, and so must not be used on a render thread. One thread at a time may use
/// it.
@safe
public final class SoundFileWriter {
  /// The type of the file.
  public let fileFormat: SoundFileFormat
  /// The type of a sample in the file; `nil` for a lossy file.
  public let sampleType: FileSampleType?
  /// The number of channels.
  public let channelCount: Int
  /// In Hz.
  public let sampleRate: Double
  /// The frames written so far.
  public private(set) var framesWritten = 0
  /// The frames in the header.
  private var framesTold = 0

  private let askedPath: String
  /// `nil` for a pipe, a device or standard output.
  private let pending: PendingFile?
  private let wave: WaveOutput?
  private var bytes: FileBytes?
  private var file: OpaquePointer?
  private var isClosed = false
  /// Whether the file has its final name.
  private var hasName = false
  /// Converts samples to integers, for files with integers.
  private var coder: IntegerCoder?
  private var converted: [Float] = []
  private var floats: [Float] = []
  private var doubles: [Double] = []
  /// The frames of one call to libsndfile, whose Vorbis encoder puts larger blocks onto the stack.
  private static let block = 4096

  /// Who waits until a file is on the disk.
  public enum DiskWait: Sendable {
    /// `close()` waits.
    case atClose
    /// The caller waits, for many files at once.
    case byCaller
    /// Nobody waits, and the system may begin to write whenever it likes.
    case never
  }

  /// Who waits until the file is on the disk.
  public var diskWait = DiskWait.atClose { didSet { wave?.isAwaited = diskWait != .never } }

  /// The final path of the file.
  public var path: String { pending?.path ?? askedPath }

  /// The path until `close()`: `take.unfinished.wav`.
  public var unfinishedPath: String { pending?.unfinishedPath ?? askedPath }

  /// Whether it is a file with its final name, complete or as far as there was room.
  package var isNamedFile: Bool { hasName && pending != nil }

  /// Whether the file is numbered because the requested name is taken.
  public var isNumbered: Bool { pending?.isNumbered ?? false }

  /// The samples clipped so far, for files with integers; `nil` for none.
  public var clipping: Clipping? { coder?.clipping }

  /// The samples clipped since the last call; `nil` for none.
  public func takeClipping() -> Clipping? { coder?.takeClipping() }

  /// The time of the next frame, in seconds.
  public var time: Double { Double(framesWritten) / sampleRate }

  /// Begins a file that the user has named; it replaces an existing one.
  ///
  /// - Parameters:
  ///   - format: Gives the rate, the channels and, by its sample type, the sample type of the file.
  ///   - sampleType: The sample type of the file; `nil` for the one that keeps the most of
  ///     `format`.
  ///   - quality: From 0, the smallest file, to 1, the best sound, for lossy types; `nil` for
  ///     libsndfile's default.
  ///   - dither: The dither where samples become integers.
  /// - Throws: The `problem`, or a failure of the system.
  public convenience init(
    path: String, format: StreamFormat, sampleType: FileSampleType? = nil, quality: Double? = nil,
    dither: Dither = .tpdf
  ) throws(SoundFileError) {
    try self.init(
      path: path, format: format, sampleType: sampleType, quality: quality, dither: dither,
      waveLimit: UInt64(UInt32.max))
  }

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - files: The files that may be written.
  ///   - existing: What to do about an existing file.
  /// - Throws: The `problem`, or a failure of the system.
  public convenience init(
    path: String, files: FilePolicy, existing: PendingFile.Existing, format: StreamFormat,
    sampleType: FileSampleType? = nil, quality: Double? = nil, dither: Dither = .tpdf
  ) throws(SoundFileError) {
    try self.init(
      path: path, files: files, existing: existing, format: format, sampleType: sampleType,
      quality: quality, dither: dither, waveLimit: UInt64(UInt32.max), fault: nil)
  }

  convenience init(
    path: String, format: StreamFormat, sampleType: FileSampleType?, quality: Double?,
    dither: Dither = .tpdf, waveLimit: UInt64, fault: FileBytes.Fault? = nil
  ) throws(SoundFileError) {
    try self.init(
      path: path, files: .user, existing: .replace, format: format, sampleType: sampleType,
      quality: quality, dither: dither, waveLimit: waveLimit, fault: fault)
  }

  private init(
    path: String, files: FilePolicy, existing: PendingFile.Existing, format: StreamFormat,
    sampleType: FileSampleType?, quality: Double?, dither: Dither, waveLimit: UInt64,
    fault: FileBytes.Fault?
  ) throws(SoundFileError) {
    let choice = try Self.choose(path, format, sampleType, quality)
    askedPath = path
    fileFormat = choice.format
    self.sampleType = choice.sampleType
    channelCount = format.channelCount
    sampleRate = format.sampleRate
    if let sampleType = choice.sampleType, !sampleType.isFloat {
      coder = IntegerCoder(
        bits: sampleType.bits, channelCount: format.channelCount, sampleRate: format.sampleRate,
        dither: dither)
    }
    let (pending, descriptor) = try Self.open(path, files, existing)
    self.pending = pending
    do throws(SoundFileError) {
      if choice.format.isWave, let sampleType = choice.sampleType {
        wave = try Self.failing(path) { () throws(WaveOutput.SystemFailure) in
          try WaveOutput(
            descriptor: descriptor, isSeekable: pending != nil || Self.isSeekable(descriptor),
            sampleType: sampleType, channelCount: format.channelCount,
            sampleRate: Int(format.sampleRate),
            limit: choice.format.container == SoundFileFormat.rf64 ? 0 : waveLimit)
        }
        return
      }
      wave = nil
      var info = choice.info
      unsafe file = try Self.open(descriptor, pending, path, &info, fault, &bytes)
    } catch {
      pending?.discard()
      throw error
    }
    guard let file = unsafe file else { return }
    // A peak chunk contains the time of day: two runs would give different bytes.
    _ = unsafe sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    // Marks the file as patchrun's. MP3 tags have no field for a program.
    let isMP3 = choice.format.container == Int32(SF_FORMAT_MPEG)
    _ = unsafe sf_set_string(
      file, Int32(isMP3 ? SF_STR_COMMENT : SF_STR_SOFTWARE), FileMark.software)
    if var quality {
      _ = unsafe sf_command(
        file, Int32(SFC_SET_VBR_ENCODING_QUALITY), &quality, Int32(MemoryLayout<Double>.size))
    }
  }

  deinit { abandon() }

  /// Opens the destination. The caller owns the descriptor.
  private static func open(
    _ path: String, _ files: FilePolicy, _ existing: PendingFile.Existing
  ) throws(SoundFileError) -> (PendingFile?, Int32) {
    var descriptor: Int32
    var pending: PendingFile?
    if path == "-" {
      descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    } else {
      let place = try Self.place(path, files)
      if place.content == .stream {
        descriptor = place.openStream()
      } else {
        do throws(PendingFile.Failure) {
          let file = try PendingFile(place, existing: existing)
          pending = file
          descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 3)
        } catch {
          throw notWritable(path, error)
        }
      }
    }
    guard descriptor >= 0 else {
      let number = errno
      pending?.discard()
      guard path != "-" else { throw writeFailed(path, systemText(number)) }
      throw notWritable(path, .system(number))
    }
    return (pending, descriptor)
  }

  private static func open(
    _ descriptor: Int32, _ pending: PendingFile?, _ path: String, _ info: inout SF_INFO,
    _ fault: FileBytes.Fault?, _ bytes: inout FileBytes?
  ) throws(SoundFileError) -> OpaquePointer {
    var opened: OpaquePointer?
    var text = ""
    let stream = pending == nil ? nil : FileBytes(descriptor, fault: fault)
    openingLock.withLock { _ in
      if let stream {
        unsafe opened = stream.open(SFM_WRITE, &info)
      } else {
        unsafe opened = sf_open_fd(descriptor, Int32(SFM_WRITE), &info, 1)
      }
      if unsafe opened == nil { text = unsafe String(cString: sf_strerror(nil)) }
    }
    bytes = stream
    if let opened = unsafe opened { return unsafe opened }
    let number = stream?.failure ?? 0
    throw number != 0 ? writeFailed(path, number) : writeFailed(path, sentence(text))
  }

  private static func failing<Result>(
    _ path: String, _ body: () throws(WaveOutput.SystemFailure) -> Result
  ) throws(SoundFileError) -> Result {
    do throws(WaveOutput.SystemFailure) { return try body() } catch {
      throw writeFailed(path, error.number)
    }
  }

  /// Writes interleaved frames, where 1 is full scale. Throws `.writeFailed`.
  public func write(_ samples: [Double], frameCount: Int) throws(SoundFileError) {
    try writeAny(samples, frameCount: frameCount)
  }

  /// Writes interleaved frames, where 1 is full scale. Throws `.writeFailed`.
  public func write(_ samples: [Float], frameCount: Int) throws(SoundFileError) {
    try writeAny(samples, frameCount: frameCount)
  }

  /// Writes interleaved frames given as the bytes of `Float`s, as for a device with float samples.
  /// Throws `.writeFailed`.
  public func write(floats bytes: Span<UInt8>) throws(SoundFileError) {
    precondition(!isClosed, "a closed file takes no frames")
    let frameCount = bytes.count / (4 * channelCount)
    guard let wave, sampleType == .float32 else {
      if floats.count < frameCount * channelCount {
        floats = [Float](repeating: 0, count: frameCount * channelCount)
      }
      unsafe floats.withUnsafeMutableBytes { floats in
        unsafe bytes.withUnsafeBytes { unsafe floats.copyMemory(from: $0) }
      }
      return try writeAny(floats, frameCount: frameCount)
    }
    var failure: SoundFileError?
    unsafe bytes.withUnsafeBytes { bytes in
      do throws(SoundFileError) {
        try writing(wave) { () throws(WaveOutput.SystemFailure) in try unsafe wave.write(bytes) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    try count(frameCount)
  }

  /// Counts frames that were written, and updates the header every second.
  private func count(_ frameCount: Int) throws(SoundFileError) {
    framesWritten += frameCount
    guard let wave, Double(framesWritten - framesTold) >= sampleRate else { return }
    framesTold = framesWritten
    try writing(wave) { () throws(WaveOutput.SystemFailure) in try wave.update() }
  }

  /// Runs a body that writes. After a failure `framesWritten` counts the frames in the file.
  private func writing(
    _ wave: WaveOutput, _ body: () throws(WaveOutput.SystemFailure) -> Void
  ) throws(SoundFileError) {
    do throws(SoundFileError) { try Self.failing(path, body) } catch {
      framesWritten = wave.frameCount
      throw error
    }
  }

  /// Writes silence. In a WAV file this takes no time and, on most file systems, no room on the
  /// disk. Throws `.writeFailed`.
  public func writeSilence(frameCount: Int) throws(SoundFileError) {
    if let wave, wave.isSeekable {
      try writing(wave) { () throws(WaveOutput.SystemFailure) in
        try wave.writeSilence(frameCount: frameCount)
      }
      return try count(frameCount)
    }
    var rest = frameCount
    let zeros = [Float](repeating: 0, count: min(rest, Self.block) * channelCount)
    while rest > 0 {
      try writeAny(zeros, frameCount: min(rest, Self.block))
      rest -= min(rest, Self.block)
    }
  }

  /// Adds a cue point with a label to a WAV file, when it is completed. Other types have no marks.
  public func mark(_ text: String, at frame: Int) {
    wave?.mark(text, at: frame)
  }

  /// Completes the file, puts it onto the disk and gives it its name. Nothing may be written
  /// afterwards; a second call does nothing.
  ///
  /// - Parameter isShortEnough: Whether a file without room for its end gets its name anyway, as
  ///   with `closeShort()`.
  /// - Throws: Why this failed. What was written stays at `unfinishedPath`, readable.
  public func close(isShortEnough: Bool = false) throws(SoundFileError) {
    guard !isClosed else { return }
    isClosed = true
    do throws(SoundFileError) {
      try end()
      if let pending {
        try check(pending)
        do throws(PendingFile.Failure) {
          try pending.finish(synchronizes: diskWait == .atClose)
        } catch {
          if case .system(let number) = error { throw Self.writeFailed(path, number) }
          throw Self.writeFailed(path, Self.reason(error))
        }
      }
      hasName = true
    } catch {
      if isShortEnough, error.isOfRoom { shorten() } else { leave() }
      throw error
    }
  }

  /// Closes the file. What was written stays at `unfinishedPath`, readable; an existing file keeps
  /// its name. After `close()` it does nothing.
  public func abandon() {
    guard !isClosed else { return }
    isClosed = true
    do throws(SoundFileError) { try end() } catch {}
    leave()
  }

  /// Ends a file that cannot be written any further: completes it as far as it goes and gives it
  /// its name, which takes no room. `framesWritten` then counts the frames that can be read; 0
  /// where none are left.
  ///
  /// - Returns: Whether it has its name. Otherwise it stays at `unfinishedPath`.
  @discardableResult
  public func closeShort() -> Bool {
    guard !isClosed else { return hasName }
    isClosed = true
    do throws(SoundFileError) { try end() } catch {}
    shorten()
    return hasName
  }

  private func shorten() {
    guard let pending else { return }
    var count = 0
    do throws(SoundFileError) {
      _ = try SoundFileRecovery.mend(pending.descriptor, path: pending.unfinishedPath)
      count = try SoundFileReader(
        descriptor: fcntl(pending.descriptor, F_DUPFD_CLOEXEC, 3), path: pending.unfinishedPath
      ).frameCount
    } catch {}
    // The encoder counts the frames that it took; a decoder may add padding to the last block.
    framesWritten = min(framesWritten, count)
    guard framesWritten > 0 else { return pending.discard() }
    do throws(PendingFile.Failure) {
      try pending.finish()
      hasName = pending.unfinishedPath == pending.path
    } catch {
      pending.leave()
    }
  }

  private func leave() {
    guard let pending else { return }
    if framesWritten == 0 { pending.discard() } else { pending.leave() }
    // Corrects lengths that an encoder could not write, from the bytes that are there.
    do throws(SoundFileError) {
      _ = try SoundFileRecovery.mend(pending.descriptor, path: pending.unfinishedPath)
    } catch {}
  }

  /// Lets the encoder write what it still holds.
  private func end() throws(SoundFileError) {
    if let wave {
      try writing(wave) { () throws(WaveOutput.SystemFailure) in try wave.close() }
    } else if let file = unsafe file {
      let result = unsafe sf_close(file)
      unsafe self.file = nil
      let number = bytes?.failure ?? 0
      bytes = nil
      guard number == 0 else { throw Self.writeFailed(path, number) }
      if result != 0 {
        throw Self.writeFailed(path, sentence(unsafe String(cString: sf_error_number(result))))
      }
      if fileFormat.container == Int32(SF_FORMAT_OGG), let pending {
        let number = OggSerial.fix(pending.descriptor)
        guard number == 0 else { throw Self.writeFailed(path, number) }
      }
    }
  }

  /// Lossy and FLAC encoders write the length at the end, without reporting a failure: so the file
  /// is opened, and must have all frames.
  private func check(_ pending: PendingFile) throws(SoundFileError) {
    let isLinear = sampleType != nil && fileFormat.container != Int32(SF_FORMAT_FLAC)
    guard !isLinear, framesWritten > 0 else { return }
    let reader = try SoundFileReader(
      descriptor: fcntl(pending.descriptor, F_DUPFD_CLOEXEC, 3), path: pending.unfinishedPath)
    guard reader.frameCount >= framesWritten else {
      throw Self.writeFailed(
        path, "\(framesWritten) frames were written, and \(reader.frameCount) can be read")
    }
  }

  private func writeAny<Sample: FileSample>(
    _ samples: [Sample], frameCount: Int
  ) throws(SoundFileError) {
    precondition(!isClosed, "a closed file takes no frames")
    precondition(frameCount * channelCount <= samples.count, "so many frames are there")
    if let wave {
      try writing(wave) { () throws(WaveOutput.SystemFailure) in
        try wave.write(samples, count: frameCount * channelCount, coder: &coder)
      }
      return try count(frameCount)
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
        coder?.code(samples, range)
        // libsndfile takes the upper bits of 32.
        coder?.alignHigh()
        written = unsafe sf_writef_int(file, coder?.words ?? [], Int64(count))
      case .float64:
        Sample.convert(samples, range, to: &doubles)
        written = unsafe sf_writef_double(file, doubles, Int64(count))
      case .float32, nil:
        Sample.convert(samples, range, to: &converted)
        written = unsafe sf_writef_float(file, converted, Int64(count))
      }
      framesWritten += Int(max(0, written))
      // An encoder may report success although the disk failed.
      let number = bytes?.failure ?? 0
      guard number == 0 else { throw Self.writeFailed(path, number) }
      guard written == Int64(count) else {
        throw Self.writeFailed(path, sentence(unsafe String(cString: sf_strerror(file))))
      }
      first += count
    }
    if sampleType != nil && fileFormat.container != Int32(SF_FORMAT_FLAC),
      Double(framesWritten - framesTold) >= sampleRate
    {
      framesTold = framesWritten
      _ = unsafe sf_command(file, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
      let number = bytes?.failure ?? 0
      guard number == 0 else { throw Self.writeFailed(path, number) }
    }
  }

  /// AIFF and AU have 32-bit lengths and no larger variant.
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
        help: "WAV, CAF and Wave64 files may be larger",
        reason: "\(fileFormat.name) files end at 4 GiB")
    }
  }
}
