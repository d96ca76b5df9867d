import AudioTypes
import CSndfile
import FileAccess
import Glibc
import Synchronization

/// Repairs a file that was cut off, or whose writer was killed.
///
/// Nothing is encoded again and no sample changes: missing lengths are written, and bytes behind
/// the last complete frame, page or block are cut off.
public enum SoundFileRecovery {
  /// The result of a repair.
  public struct Outcome: Hashable, Sendable {
    /// The present path of the file.
    public var path: String
    /// The number of complete frames.
    public var frameCount: Int
    /// In Hz.
    public var sampleRate: Double
    /// The number of channels.
    public var channelCount: Int
    /// The steps taken, as clauses; empty where there was nothing to do.
    public var steps: [String]

    /// In seconds.
    public var duration: Double { Double(frameCount) / sampleRate }
  }

  /// Repairs a file. One with a name for unfinished files gets its final name or, where that is
  /// taken, a number.
  ///
  /// - Throws: `.notFound`, `.notReadable` or `.notWritable`; `.notAudio` where nothing in it can
  ///   be read, which leaves it as it is.
  public static func recover(_ path: String) throws(SoundFileError) -> Outcome {
    let place: WritePlace
    do throws(FileRefusal) { place = try FilePolicy.user.writePlace(path) } catch {
      throw SoundFileError(
        .notFound, status: .fileNotFound, error.message(for: path), help: error.help)
    }
    guard place.content != .nothing else {
      throw SoundFileError(.notFound, status: .fileNotFound, "there is no file '\(path)'")
    }
    let file: PendingFile
    do throws(PendingFile.Failure) { file = try PendingFile(recovering: place) } catch {
      throw failure(path, error)
    }
    defer { file.leave() }
    // The header of an unfinished file is up to a second behind.
    var steps = try mend(file.descriptor, path: path, isUnfinished: file.path != path)
    let reader = try SoundFileReader(
      descriptor: fcntl(file.descriptor, F_DUPFD_CLOEXEC, 3), path: path)
    do throws(PendingFile.Failure) { try file.finish() } catch { throw failure(path, error) }
    if file.path != path { steps.append("it is '\(file.path)' now") }
    return Outcome(
      path: file.path, frameCount: reader.frameCount, sampleRate: reader.sampleRate,
      channelCount: reader.channelCount, steps: steps)
  }

  /// Repairs an open file in place. Returns the steps taken.
  ///
  /// - Parameters:
  ///   - descriptor: Open for reading and writing; stays open.
  ///   - path: The name of the file for messages.
  ///   - isUnfinished: Whether all bytes from the first sample on are samples, even if the header
  ///     counts fewer.
  static func mend(
    _ descriptor: Int32, path: String, isUnfinished: Bool = false
  ) throws(SoundFileError) -> [String] {
    if let layout = ContainerLayout(descriptor) {
      return try mend(layout, descriptor, path, isUnfinished)
    }
    var head = [UInt8](repeating: 0, count: 4)
    guard unsafe pread(descriptor, &head, 4, 0) == 4 else { return [] }
    switch String(decoding: head, as: UTF8.self) {
    case "fLaC": return try mendFLAC(descriptor, path)
    case "OggS": return try mendOgg(descriptor, path)
    case let magic where magic.hasPrefix("ID3") || head[0] == 0xFF && head[1] >= 0xE0:
      return try mendMP3(descriptor, path)
    default: return []
    }
  }

  // MARK: - Linear samples

  private static func mend(
    _ layout: ContainerLayout, _ descriptor: Int32, _ path: String, _ isUnfinished: Bool
  ) throws(SoundFileError) -> [String] {
    guard layout.isUnfinished || isUnfinished && layout.holdsMore, layout.bytesPerFrame > 0 else {
      return []
    }
    let bytes = layout.presentBytes
    let end = layout.dataOffset + bytes
    // A chunk has an even number of bytes. The padding byte does not count in its length.
    let padded = layout.isPadded ? end + bytes % 2 : end
    guard ftruncate(descriptor, Int(padded)) == 0 else { throw writeFailed(path, errno) }
    for field in layout.fields {
      let value =
        switch field.meaning {
        case .samples(let more): bytes + more
        case .file(let more): padded + more
        case .frames: bytes / Int64(layout.bytesPerFrame)
        }
      guard field.width == 8 || value <= Int64(UInt32.max) else {
        throw SoundFileError(
          .formatNotSupported, status: .unsupportedDataFormat,
          "'\(path)' has more than 4 GiB, which its header cannot say",
          help: "sox, or ffmpeg, makes a Wave64 or RF64 file of it")
      }
      let little = (0..<field.width).map { UInt8(truncatingIfNeeded: value >> Int64($0 * 8)) }
      try put(
        layout.isBigEndian ? little.reversed() : little, at: Int(field.offset), descriptor, path)
    }
    var steps = ["its header says how long it is"]
    let cut = layout.fileLength - end
    if cut > 0 { steps.append("\(cut) bytes behind the last whole frame are cut off") }
    return steps
  }

  // MARK: - FLAC (RFC 9639)

  /// The number of samples has 36 bits in the first metadata block, which begins at byte 8; 0 means
  /// unknown. The checksum of all samples behind it may be 0 too.
  private static func mendFLAC(
    _ descriptor: Int32, _ path: String
  ) throws(SoundFileError) -> [String] {
    var info = [UInt8](repeating: 0, count: 34)
    guard unsafe pread(descriptor, &info, 34, 8) == 34 else { return [] }
    let told = info[13...17].reduce(Int64(0)) { $0 << 8 | Int64($1) } & 0xF_FFFF_FFFF
    let frames = try countFrames(descriptor, path)
    guard frames != told, frames > 0 else { return [] }
    info[13] = info[13] & 0xF0 | UInt8(truncatingIfNeeded: frames >> 32) & 0xF
    for index in 0..<4 {
      info[14 + index] = UInt8(truncatingIfNeeded: frames >> Int64(24 - index * 8))
    }
    for index in 18..<34 { info[index] = 0 }
    try put(info, at: 8, descriptor, path)
    return ["its header says how long it is"]
  }

  /// The frames that a decoder returns, whatever the header says.
  private static func countFrames(
    _ descriptor: Int32, _ path: String
  ) throws(SoundFileError) -> Int64 {
    try SoundLibrary.checkReading(path)
    let bytes = FileBytes(fcntl(descriptor, F_DUPFD_CLOEXEC, 3))
    var info = SF_INFO()
    var opened: OpaquePointer?
    openingLock.withLock { _ in unsafe opened = bytes.open(SFM_READ, &info) }
    guard let file = unsafe opened else { return 0 }
    defer { unsafe sf_close(file) }
    var counted: Int64 = 0
    var scratch = [Int32](repeating: 0, count: 4096 * Int(info.channels))
    while case let count = unsafe sf_readf_int(file, &scratch, 4096), count > 0 { counted += count }
    guard bytes.failure == 0 else {
      throw SoundFileError(
        .notReadable, status: .fileFailed,
        "'\(path)' cannot be read: \(systemText(bytes.failure))")
    }
    return counted
  }

  // MARK: - Ogg (RFC 3533)

  /// Cuts off bytes behind the last complete page, and flags that page as the last.
  private static func mendOgg(
    _ descriptor: Int32, _ path: String
  ) throws(SoundFileError) -> [String] {
    guard let last = OggPages.last(of: descriptor) else { return [] }
    let offset = last.offset
    var page = last.page
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return [] }
    let end = offset + page.count
    var steps: [String] = []
    if end < Int(status.st_size) {
      guard ftruncate(descriptor, end) == 0 else { throw writeFailed(path, errno) }
      steps.append("\(Int(status.st_size) - end) bytes behind the last whole page are cut off")
    }
    guard page[5] & OggPages.endMark == 0 else { return steps }
    page[5] |= OggPages.endMark
    OggPages.seal(&page)
    try put(Array(page[..<27]), at: offset, descriptor, path)
    return steps + ["it has an end"]
  }

  // MARK: - MP3

  /// Corrects the tag in the first frame, which has the number of frames, where there are fewer.
  /// Cuts off bytes behind the last complete frame.
  private static func mendMP3(
    _ descriptor: Int32, _ path: String
  ) throws(SoundFileError) -> [String] {
    guard let frames = MPEGFrames(descriptor), let told = frames.told,
      frames.count < told, frames.count > 0
    else { return [] }
    guard ftruncate(descriptor, frames.end) == 0 else { throw writeFailed(path, errno) }
    for (offset, bytes) in frames.corrections { try put(bytes, at: offset, descriptor, path) }
    return ["its header says how long it is"]
  }

  // MARK: - Writing

  private static func put(
    _ bytes: [UInt8], at offset: Int, _ descriptor: Int32, _ path: String
  ) throws(SoundFileError) {
    guard unsafe pwrite(descriptor, bytes, bytes.count, offset) == bytes.count else {
      throw writeFailed(path, errno)
    }
  }

  private static func writeFailed(_ path: String, _ number: Int32) -> SoundFileError {
    SoundFileError(
      .writeFailed, status: .fileFailed,
      "'\(path)' cannot be made whole: \(systemText(number))", reason: systemText(number))
  }

  private static func failure(_ path: String, _ failure: PendingFile.Failure) -> SoundFileError {
    switch failure {
    case .system(EWOULDBLOCK):
      SoundFileError(
        .notWritable, status: .filePermission, "'\(path)' is being written by another run",
        help: "wait until it ends, or stop it")
    case .system(let number): writeFailed(path, number)
    case .notRegular, .notOwn:
      SoundFileError(
        .notWritable, status: .filePermission, "'\(path)' is not a regular file")
    }
  }
}
