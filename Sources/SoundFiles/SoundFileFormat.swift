import CSndfile
import Synchronization

/// A type of file that can be written, by its extension.
public struct SoundFileFormat: Hashable, Sendable {
  /// Its name in a sentence: `WAV`.
  public var name: String
  /// The extensions in lower case, without the dot; the usual one first.
  public var extensions: [String]
  /// The types that a sample may have; empty for a lossy type.
  public var sampleTypes: [FileSampleType]
  /// A remark for users.
  public var note: String
  let container: Int32
  /// The coding of a lossy type.
  let coding: Int32

  /// Whether writing changes the samples.
  public var isLossy: Bool { sampleTypes.isEmpty }
  /// Whether patchrun's own writer makes it, and not libsndfile.
  var isWave: Bool { container == Self.wave || container == Self.rf64 }

  static let wave = Int32(SF_FORMAT_WAV)
  static let rf64 = Int32(SF_FORMAT_RF64)

  /// All types that the installed libsndfile, or patchrun itself, can write.
  public static let writable: [SoundFileFormat] = all.filter(\.isWritable)

  /// libsndfile is not asked about our own types, so that it need not be loaded for them. Where it
  /// is missing all types count as writable, so that patches stay valid; writing then reports what
  /// is missing.
  private var isWritable: Bool {
    if isWave { return true }
    guard SoundLibrary.fileProblem == nil else { return true }
    var info = SF_INFO()
    info.samplerate = 48_000
    info.channels = 2
    info.format = container | (isLossy ? coding : coding(of: sampleTypes[0]))
    return unsafe sf_format_check(&info) != 0
  }

  /// The type for a path's extension, in upper or lower case; `nil` for one that cannot be written.
  public static func writable(forPath path: String) -> SoundFileFormat? {
    let ending = fileExtension(of: path)
    return all.first { $0.extensions.contains(ending) && $0.isWritable }
  }

  /// `wav, aif, …`, for a help line.
  static var writableExtensions: String {
    writable.map { $0.extensions[0] }.joined(separator: ", ")
  }

  /// The names of all types that the installed libsndfile can read; empty where it is missing.
  public static let readableNames: [String] = {
    guard SoundLibrary.fileProblem == nil else { return [] }
    var count: Int32 = 0
    _ = unsafe sf_command(
      nil, Int32(SFC_GET_FORMAT_MAJOR_COUNT), &count,
      Int32(MemoryLayout<Int32>.size))
    return (0..<count).compactMap { index in
      formatName(index, command: Int32(SFC_GET_FORMAT_MAJOR))
    }
  }()

  private static let all: [SoundFileFormat] = {
    let linear = FileSampleType.allCases
    func row(
      _ name: String, _ extensions: [String], _ container: Int32,
      _ types: [FileSampleType], coding: Int32 = 0, _ note: String
    ) -> SoundFileFormat {
      SoundFileFormat(
        name: name, extensions: extensions, sampleTypes: types, note: note, container: container,
        coding: coding)
    }
    var rows: [SoundFileFormat] = []
    rows.append(
      row("WAV", ["wav", "wave"], wave, linear, "becomes RF64 when it grows beyond 4 GiB"))
    rows.append(row("RF64", ["rf64"], rf64, linear, "WAV with 64-bit sizes from the start"))
    rows.append(row("Wave64", ["w64"], Int32(SF_FORMAT_W64), linear, "64-bit sizes"))
    rows.append(
      row("AIFF", ["aif", "aiff", "aifc"], Int32(SF_FORMAT_AIFF), linear, "up to 4 GiB"))
    rows.append(row("CAF", ["caf"], Int32(SF_FORMAT_CAF), linear, "64-bit sizes"))
    rows.append(row("AU", ["au", "snd"], Int32(SF_FORMAT_AU), linear, "up to 4 GiB"))
    rows.append(
      row(
        "FLAC", ["flac"], Int32(SF_FORMAT_FLAC), [.int16, .int24],
        "loses nothing of 24 bits; has no float samples; 1 to 8 channels"))
    rows.append(
      row(
        "Ogg Vorbis", ["ogg", "oga"], Int32(SF_FORMAT_OGG), [], coding: Int32(SF_FORMAT_VORBIS),
        "compresses with loss"))
    rows.append(
      row(
        "Ogg Opus", ["opus"], Int32(SF_FORMAT_OGG), [], coding: Int32(SF_FORMAT_OPUS),
        "compresses with loss; 8000, 12000, 16000, 24000 or 48000 Hz"))
    rows.append(
      row(
        "MP3", ["mp3"], Int32(SF_FORMAT_MPEG), [], coding: Int32(SF_FORMAT_MPEG_LAYER_III),
        "compresses with loss; 1 or 2 channels, 8000 to 48000 Hz"))
    return rows
  }()

  func coding(of sample: FileSampleType) -> Int32 {
    switch sample {
    case .int16: Int32(SF_FORMAT_PCM_16)
    case .int24: Int32(SF_FORMAT_PCM_24)
    case .int32: Int32(SF_FORMAT_PCM_32)
    case .float32: Int32(SF_FORMAT_FLOAT)
    case .float64: Int32(SF_FORMAT_DOUBLE)
    }
  }

  /// The sample type that keeps the most of `wanted`: itself, or the one with the most bits; `nil`
  /// for a lossy type.
  func closest(to wanted: FileSampleType) -> FileSampleType? {
    sampleTypes.contains(wanted) ? wanted : sampleTypes.last
  }
}

/// The part behind the last dot of a path's last component, in lower case; "" for none.
func fileExtension(of path: String) -> String {
  let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
  guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
  return name[name.index(after: dot)...].lowercased()
}

/// libsndfile's name for a container or a coding.
func formatName(_ format: Int32, command: Int32 = Int32(SFC_GET_FORMAT_INFO)) -> String? {
  var info = unsafe SF_FORMAT_INFO()
  unsafe info.format = format
  let result = unsafe sf_command(
    nil, command, &info, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
  guard result == 0, let name = unsafe info.name else { return nil }
  return unsafe String(cString: name)
}

/// libsndfile keeps the error of a failed opening in a global variable.
let openingLock = Mutex(())
