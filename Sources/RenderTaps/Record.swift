public import AudioTypes
public import FileAccess
public import RenderCore
public import SoundFiles

/// Writes what is on a bus to a sound file, beside the render thread.
///
/// The path's extension says what kind of file, the bus's format what a sample becomes in it:
/// itself wherever the file can hold that, so that each bit is kept. A disk may stall for four
/// seconds. Beyond that frames are lost: they are counted, and silence stands in the file in their
/// place, so that what follows is where it belongs. A disk that is full ends the file, whole as far as it
/// goes; a live run goes on in another one when there is room again.
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

  /// Absolute, or relative to the process's working directory; `-` for WAV on standard output. It may
  /// have `{date}`, `{time}` and `{take}` in it.
  public var path: String
  /// What a sample becomes; `nil` for what keeps the most of the bus.
  public var sampleType: FileSampleType?
  /// From 0 to 1, for files that compress with loss; `nil` for the library's own choice.
  public var quality: Double?
  /// What is added before samples become integers.
  public var dither = Dither.tpdf
  /// What becomes of time in which nothing was heard.
  public var gaps = RecordingGaps.mark
  /// Where it may be written.
  public var files = FilePolicy.user
  /// What it has in common with the other recordings of a run.
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
      // It waits for room already, in the graph that this one is made for.
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
    // The braces of a path have been looked at.
    guard path != "-", let name = try? TakeName(path) else { return try open(path, .replace) }
    return try takes.begin(name, open, path: \.path)
  }

  /// Bytes that there is room for where it is written; `nil` where that cannot be made out.
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
