public import AudioTypes
public import FileAccess
public import RenderCore
public import SoundFiles

/// Records a bus to a sound file, on the service thread.
///
/// The extension of the path selects the file type. Where the type can hold the samples of the bus,
/// they are written bit for bit. A disk may stall for four seconds. Frames beyond that are counted
/// as lost, and silence replaces them in the file, so that later frames keep their positions. A
/// full disk ends the file, complete up to there; a live run continues in another file when there
/// is room again.
public struct RecordTap: FileTap {
  public static let description = TapDescription(
    kind: "record", summary: "Writes what is on a bus to a sound file.",
    settings: [
      SettingInfo(
        "path", .path, isRequired: true,
        summary: "The file, relative to the patch; its extension says what kind: "
          + SoundFileFormat.writable.map { ".\($0.extensions[0])" }.joined(separator: ", ")
          + ". It may have {date}, {time} and {take} in it. A live run gives a take whose name is taken "
          + "a number; a render replaces it."),
      SettingInfo(
        "format", .choice(FileSampleType.allCases.map(\.rawValue)),
        summary: "What a sample becomes; not given, what keeps the most of the bus."),
      SettingInfo(
        "quality", .number(0...1),
        summary: "From the smallest file to the best sound, where the file compresses with loss."),
      SettingInfo(
        "dither", .choice(Dither.allCases.map(\.rawValue)), defaultValue: .text("tpdf"),
        summary:
          "What is added before samples become integers, where bits are lost: nothing, noise of a "
          + "triangular distribution, or that noise where ears hear least of it."),
      SettingInfo(
        "gaps", .choice(RecordingGaps.allCases.map(\.rawValue)), defaultValue: .text("mark"),
        summary:
          "What becomes of time in which nothing was heard, because the device stood still: a WAV file "
          + "has a mark there (a cue point), or silence fills it, so that the file is as long as the "
          + "clock. Each gap is an event of the run in both cases."),
    ],
    make: { values, files in
      var tap = RecordTap(path: "")
      tap.files = files
      if case .text(let path) = values["path"] { tap.path = path }
      if case .text(let name) = values["format"] {
        tap.sampleType = FileSampleType(rawValue: name)
      }
      if case .number(let quality) = values["quality"] { tap.quality = quality }
      if case .text(let name) = values["dither"] { tap.dither = Dither(rawValue: name) ?? .tpdf }
      if case .text(let name) = values["gaps"] {
        tap.gaps = RecordingGaps(rawValue: name) ?? .mark
      }
      return tap
    })

  /// Absolute, or relative to the process's working directory; `-` for WAV on standard output. It
  /// may contain `{date}`, `{time}` and `{take}`.
  public var path: String
  /// The sample type in the file; `nil` for the one that keeps the most of the bus.
  public var sampleType: FileSampleType?
  /// From 0 to 1, for lossy file types; `nil` for the library's default.
  public var quality: Double?
  /// The dither where samples become integers.
  public var dither = Dither.tpdf
  /// What to do about pauses.
  public var gaps = RecordingGaps.mark
  /// The files that it may write.
  public var files = FilePolicy.user
  /// Shared by all recordings of a run.
  public var takes = Takes()

  public init(path: String, sampleType: FileSampleType? = nil, quality: Double? = nil) {
    self.path = path
    self.sampleType = sampleType
    self.quality = quality
  }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    var values: [String: SettingValue] = ["path": .text(path)]
    values["quality"] = quality.map(SettingValue.number)
    let found = Self.description.problems(with: values)
    guard found.isEmpty else { return found }
    do throws(CallbackProblem) {
      let (path, existing) = try place()
      if let problem = files.problem(writing: path) { return [problem] }
      return SoundFileWriter.problem(
        path: path, files: files, existing: existing, format: format, sampleType: sampleType,
        quality: quality
      ).map { [problem(of: $0)] } ?? []
    } catch {
      return [error]
    }
  }

  private func place() throws(CallbackProblem) -> (String, PendingFile.Existing) {
    path == "-" ? (path, .replace) : takes.preview(try TakeName(path))
  }

  public func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    if let problem = problems(for: format).first { throw problem }
    let asked = try place().0
    let feed = FrameFeed(format, maximumFramesPerSlice: maximumFramesPerSlice)
    let key = Takes.Key(
      path: path, format: format, sampleType: sampleType, quality: quality, dither: dither)
    let file = RecordService.File(
      open: { [self] () throws(SoundFileError) in try openWriter(format) },
      freeBytes: { [self] in freeBytes }, format: format, gaps: gaps)
    if let writer = takes.take(key) {
      return RenderSink(
        kernel: feed.makeKernel(), service: RecordService(writer, feed, file, key, takes))
    }
    do throws(SoundFileError) {
      let service = RecordService(try openWriter(format), feed, file, key, takes)
      service.noteBeginning(asked: asked)
      return RenderSink(kernel: feed.makeKernel(), service: service)
    } catch {
      // The recording of the old graph waits for room already, and this one replaces it.
      if error.isOfRoom, takes.isWaitingForRoom(key) {
        let service = RecordService(nil, feed, file, key, takes)
        return RenderSink(kernel: feed.makeKernel(), service: service)
      }
      throw problem(of: error)
    }
  }

  private func openWriter(_ format: StreamFormat) throws(SoundFileError) -> SoundFileWriter {
    func open(
      _ path: String, _ existing: PendingFile.Existing
    ) throws(SoundFileError) -> SoundFileWriter {
      try SoundFileWriter(
        path: path, files: files, existing: existing, format: format, sampleType: sampleType,
        quality: quality, dither: dither)
    }
    // `problems(for:)` has checked the braces of the path.
    guard path != "-", let name = try? TakeName(path) else { return try open(path, .replace) }
    return try takes.begin(name, open, path: \.path)
  }

  /// The free bytes in the folder of the file; `nil` where they are not known.
  private var freeBytes: UInt64? {
    do throws(FileRefusal) {
      return try files.writePlace(takes.firstPath(of: path)).freeBytes
    } catch {
      return nil
    }
  }

  private func problem(of error: SoundFileError) -> CallbackProblem {
    let isFormat = error.kind == .formatNotSupported
    return CallbackProblem(
      isFormat ? .formatNotSupported : error.kind == .notOwn ? .notOwn : .unwritable,
      status: error.status, error.message,
      help: error.help,
      setting: isFormat && sampleType != nil ? "format" : isFormat ? nil : "path")
  }
}
