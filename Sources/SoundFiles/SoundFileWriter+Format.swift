public import AudioTypes
import CSndfile
public import FileAccess
import Glibc
import Synchronization

// MARK: - Choosing the file's format

extension SoundFileWriter {
  struct Choice {
    var format: SoundFileFormat
    var sampleType: FileSampleType?
    var info: SF_INFO
  }

  /// Why `init` would fail, as far as can be told without changing the file; `nil` for no reason.
  ///
  /// `.unknownFormat` (`'typ?'`) for an extension that cannot be written; `.formatNotSupported`
  /// (`'fmt?'`) for a rate, channels or samples that the file cannot hold; `.notWritable` (-43
  /// where the folder does not exist, otherwise -54).
  ///
  /// - Parameters:
  ///   - files: The files that may be written.
  ///   - existing: What to do about an existing file.
  public static func problem(
    path: String, files: FilePolicy = .user, existing: PendingFile.Existing = .replace,
    format: StreamFormat, sampleType: FileSampleType? = nil, quality: Double? = nil
  ) -> SoundFileError? {
    do throws(SoundFileError) {
      _ = try choose(path, format, sampleType, quality)
      try checkWritable(path, files, existing)
      return nil
    } catch {
      return error
    }
  }

  /// The file type, the sample type and libsndfile's format: `wanted`, or else the sample type that
  /// keeps the most of a bus of `format`; `nil` for a lossy file.
  static func choose(
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
    if !fileFormat.isWave { try SoundLibrary.checkWriting(path) }
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

  /// libsndfile's own check, and the limits that it leaves to its encoders.
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

  static func place(
    _ path: String, _ files: FilePolicy
  ) throws(SoundFileError) -> WritePlace {
    do throws(FileRefusal) { return try files.writePlace(path) } catch {
      if case .isFolder = error { throw notWritable(path, .system(EISDIR)) }
      let isMissing =
        switch error {
        case .noFolder, .notFound: true
        default: false
        }
      throw SoundFileError(
        .notWritable, status: isMissing ? .fileNotFound : .filePermission,
        error.message(for: path), help: error.help)
    }
  }

  private static func checkWritable(
    _ path: String, _ files: FilePolicy, _ existing: PendingFile.Existing
  ) throws(SoundFileError) {
    guard path != "-" else { return }
    let place = try place(path, files)
    if let refusal = place.problem() {
      throw SoundFileError(
        .notWritable, status: .filePermission, refusal.message(for: path), help: refusal.help)
    }
    if let failure = PendingFile.problem(place, existing: existing) {
      throw notWritable(path, failure)
    }
  }

  /// Whether the header can be rewritten: true for a regular file written from its beginning.
  public static func isSeekable(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return false
    }
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & O_APPEND == 0 && lseek(descriptor, 0, SEEK_CUR) == 0
  }
}
