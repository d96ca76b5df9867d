public import AudioTypes
import CSndfile
public import FileAccess
import Glibc
import Synchronization

/// A sound file that is being written: WAV by patchrun's own writer, everything else by libsndfile.
///
/// The path's extension says what kind of file; `-` is WAV on standard output. Where the file holds
/// integers, samples are dithered, rounded to the nearest of them, halves to even, and clipped.
///
/// A file is written beside its name (`PendingFile`), and has its name when `close()` has made it whole
/// and put it onto the disk. Until then files of linear samples (WAV, RF64, Wave64, AIFF, CAF, AU) are
/// readable but for the last second of what has been written, whatever ends the process; the others miss
/// at most their last block. A pipe or a device that the user has named is written to as it is.
///
/// It waits for the disk, so that it has no place on a render thread. One thread at a time may use it.
@safe
public final class SoundFileWriter {
  /// What kind of file is written.
  public let fileFormat: SoundFileFormat
  /// What a sample is in the file; `nil` where it is coded with loss.
  public let sampleType: FileSampleType?
  /// How many channels the file has.
  public let channelCount: Int
  /// In hertz.
  public let sampleRate: Double
  /// Frames that have been written so far.
  public private(set) var framesWritten = 0
  /// Frames that the header counts.
  private var framesTold = 0

  private let askedPath: String
  /// `nil` where it is a pipe, a device or standard output.
  private let pending: PendingFile?
  private let wave: WaveOutput?
  private var bytes: FileBytes?
  private var file: OpaquePointer?
  private var isClosed = false
  /// Whether it has been made whole.
  private var hasName = false
  /// Makes the integers of a file that holds integers.
  private var coder: IntegerCoder?
  private var words: [Int32] = []
  private var converted: [Float] = []
  private var floats: [Float] = []
  private var doubles: [Double] = []
  /// Frames that go to libsndfile in one call: its Vorbis encoder takes larger ones onto the stack.
  private static let block = 4096

  /// Whether `close()` waits until the file is on the disk. Whoever has it otherwise sees to that, for many files
  /// at once.
  public var synchronizes = true

  /// Where the file is to be; once it is closed, where it is.
  public var path: String { pending?.path ?? askedPath }

  /// Where the bytes are until then: `take.unfinished.wav`.
  public var unfinishedPath: String { pending?.unfinishedPath ?? askedPath }

  /// Whether it is a file that is whole, or as whole as there was room for, and has its name.
  package var isNamedFile: Bool { hasName && pending != nil }

  /// Whether the file has another name than was asked for, because that is taken.
  public var isNumbered: Bool { pending?.isNumbered ?? false }

  /// What was beyond full scale and is not so in the file, whose samples are integers; `nil` for nothing.
  public var clipping: Clipping? { coder?.clipping }

  /// The same since the last call of this.
  public func takeClipping() -> Clipping? { coder?.takeClipping() }

  /// Where the next frame is, in seconds.
  public var time: Double { Double(framesWritten) / sampleRate }

  /// Begins a file that the user has named: it takes the place of the one there is.
  ///
  /// - Parameters:
  ///   - format: Gives the rate, the channels and, by its sample type, what a sample becomes.
  ///   - sampleType: What a sample becomes in the place of that.
  ///   - quality: From 0, the smallest file, to 1, the best sound, where the file compresses with
  ///     loss; libsndfile's own choice where it is not given.
  ///   - dither: What is added before samples become integers.
  /// - Throws: What `problem` gives, or what the system says.
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
  ///   - files: Where it may be.
  ///   - existing: What becomes of a file that is there.
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
    // A peak chunk holds the time of day: two runs would not give the same bytes.
    _ = unsafe sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    // What says later that patchrun has written it. The tags of an MP3 file name no program.
    let isMP3 = choice.format.container == Int32(SF_FORMAT_MPEG)
    _ = unsafe sf_set_string(
      file, Int32(isMP3 ? SF_STR_COMMENT : SF_STR_SOFTWARE), FileMark.software)
    if var quality {
      _ = unsafe sf_command(
        file, Int32(SFC_SET_VBR_ENCODING_QUALITY), &quality, Int32(MemoryLayout<Double>.size))
    }
  }

  deinit { abandon() }

  /// Opens what the bytes go to. The descriptor belongs to the caller.
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

  /// Writes interleaved frames down.
  public func write(_ samples: [Double], frameCount: Int) throws(SoundFileError) {
    try writeAny(samples, frameCount: frameCount)
  }

  /// Writes interleaved frames down.
  public func write(_ samples: [Float], frameCount: Int) throws(SoundFileError) {
    try writeAny(samples, frameCount: frameCount)
  }

  /// Writes interleaved frames down that are in memory as `Float`s, as a device of floats is given them.
  public func write(floats bytes: ArraySlice<UInt8>) throws(SoundFileError) {
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

  /// Counts frames that have been written, and has the header say so each second.
  private func count(_ frameCount: Int) throws(SoundFileError) {
    framesWritten += frameCount
    guard let wave, Double(framesWritten - framesTold) >= sampleRate else { return }
    framesTold = framesWritten
    try writing(wave) { () throws(WaveOutput.SystemFailure) in try wave.update() }
  }

  /// Does something that writes. Where it fails, frames count that are in the file.
  private func writing(
    _ wave: WaveOutput, _ body: () throws(WaveOutput.SystemFailure) -> Void
  ) throws(SoundFileError) {
    do throws(SoundFileError) { try Self.failing(path, body) } catch {
      framesWritten = wave.frameCount
      throw error
    }
  }

  /// Writes silence down. In a WAV file it takes no room on the disk until something else is written there,
  /// and no time.
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

  /// Has a WAV file say, when it is whole, that there is something at a frame: a cue point with a label. Files
  /// of other kinds say nothing.
  public func mark(_ text: String, at frame: Int) {
    wave?.mark(text, at: frame)
  }

  /// Makes the file whole, puts it onto the disk and gives it its name. Nothing may be written after
  /// that; a second call does nothing.
  ///
  /// - Parameter isShortEnough: Whether a file that has no room for its end gets its name all the same, as
  ///   `closeShort()` says.
  /// - Throws: Why it could not be. What there is of it is left, readable, at `unfinishedPath`.
  public func close(isShortEnough: Bool = false) throws(SoundFileError) {
    guard !isClosed else { return }
    isClosed = true
    do throws(SoundFileError) {
      try end()
      if let pending {
        try check(pending)
        do throws(PendingFile.Failure) { try pending.finish(synchronizes: synchronizes) } catch {
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

  /// Closes the file and leaves what there is of it, readable, at `unfinishedPath`: what had its name
  /// before stays. After `close()` it does nothing.
  public func abandon() {
    guard !isClosed else { return }
    isClosed = true
    do throws(SoundFileError) { try end() } catch {}
    leave()
  }

  /// Ends a file that can be written no further: what there is of it is made whole and gets its name, which
  /// takes no room. `framesWritten` counts what can be read of it from then on; 0 where nothing is left.
  ///
  /// - Returns: Whether it has its name. Otherwise it is left at `unfinishedPath`.
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
    // An encoder counts what it has been given; a decoder may add what fills its last block.
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
    // What an encoder has not said because it could not be is made out from what is there.
    do throws(SoundFileError) {
      _ = try SoundFileRecovery.mend(pending.descriptor, path: pending.unfinishedPath)
    } catch {}
  }

  /// Has the encoder write what it still holds.
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

  /// Encoders that compress write down at the end how long a file is, and tell nobody where they could
  /// not: whoever opens the file has to find all that was written.
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

  private func writeAny<Sample: BinaryFloatingPoint>(
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
        let bits = sampleType?.bits ?? 32
        coder?.code(samples, range)
        words.removeAll(keepingCapacity: true)
        // libsndfile takes the upper bits.
        for word in coder?.words ?? [] { words.append(word << Int32(32 - bits)) }
        written = unsafe sf_writef_int(file, words, Int64(count))
      case .float64:
        doubles.removeAll(keepingCapacity: true)
        for index in range { doubles.append(Double(samples[index])) }
        written = unsafe sf_writef_double(file, doubles, Int64(count))
      case .float32, nil:
        converted.removeAll(keepingCapacity: true)
        for index in range { converted.append(Float(samples[index])) }
        written = unsafe sf_writef_float(file, converted, Int64(count))
      }
      framesWritten += Int(max(0, written))
      // An encoder may say that it has written what the disk has not taken.
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
        help: "WAV, CAF and Wave64 files may be larger",
        reason: "\(fileFormat.name) files end at 4 GiB")
    }
  }
}
