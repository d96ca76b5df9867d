public import AudioTypes
public import FileAccess
public import RenderCore
public import SoundFiles

/// Writes what is on a bus to a sound file, beside the render thread.
///
/// The path's extension says what kind of file, the bus's format what a sample becomes in it:
/// itself wherever the file can hold that, so that each bit is kept. A disk may stall for four
/// seconds. Beyond that frames are lost: they are counted, and silence stands in the file in their
/// place, so that what follows is where it belongs.
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
    let feed = FrameFeed(format, maximumFramesPerSlice: maximumFramesPerSlice)
    let key = Takes.Key(
      path: path, format: format, sampleType: sampleType, quality: quality, dither: dither)
    let service: RecordService
    if let writer = takes.take(key) {
      service = RecordService(writer, feed, key, takes)
    } else {
      let writer = try makeWriter(format)
      service = RecordService(writer, feed, key, takes)
      service.noteBeginning(asked: try place().0)
    }
    return RenderSink(kernel: feed.makeKernel(), service: service)
  }

  private func makeWriter(_ format: StreamFormat) throws(CallbackProblem) -> SoundFileWriter {
    func open(
      _ path: String, _ existing: PendingFile.Existing
    ) throws(SoundFileError) -> SoundFileWriter {
      try SoundFileWriter(
        path: path, files: files, existing: existing, format: format, sampleType: sampleType,
        quality: quality, dither: dither)
    }
    let name = path == "-" ? nil : try TakeName(path)
    do throws(SoundFileError) {
      guard let name else { return try open(path, .replace) }
      return try takes.begin(name, open, path: \.path)
    } catch {
      throw problem(of: error)
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

// MARK: - Beside the render thread

/// Takes frames out of a feed and writes them to a file.
///
/// Where the file cannot be written any more the recording ends, and what there is of it is left under the
/// name that says so; the frames that follow are thrown away, and everything else goes on.
///
/// `@unchecked Sendable`: its calls come one at a time, as `RenderService` says.
final class RecordService: RenderService, @unchecked Sendable {
  private let feed: FrameFeed
  private let writer: SoundFileWriter
  private let key: Takes.Key
  private let takes: Takes
  private var floats: [Float]
  private var doubles: [Double]
  private var hasEnded = false
  private var isFinished = false
  private var events: [ServiceEvent] = []
  /// Frames that have been told to be lost.
  private var toldFrames = 0
  /// Frames that are being lost: from which frame of the feed on, and how many.
  private var gap: (first: Int, count: Int)?
  /// Where in the file the first frame of the feed is.
  private let start: Int

  init(_ writer: SoundFileWriter, _ feed: FrameFeed, _ key: Takes.Key, _ takes: Takes) {
    self.feed = feed
    self.writer = writer
    self.key = key
    self.takes = takes
    start = writer.framesWritten
    let size = FrameFeed.block * feed.channelCount
    floats = [Float](repeating: 0, count: feed.sample.fitsFloat ? size : 0)
    doubles = [Double](repeating: 0, count: feed.sample.fitsFloat ? 0 : size)
  }

  var lostFrames: Int { feed.lostFrames }

  func takeEvents() -> [ServiceEvent] {
    defer { events = [] }
    return events
  }

  /// Says it where the file has another name than was asked for.
  func noteBeginning(asked path: String) {
    guard path != "-", writer.path != path else { return }
    events.append(
      ServiceEvent(.begun, file: writer.path, time: 0, cause: "the name '\(path)' is taken"))
  }

  func noteGap(seconds: Double, cause: String) {
    guard !hasEnded, !isFinished else { return }
    let frame = start + feed.totalWritten
    events.append(
      ServiceEvent(
        .gap, file: writer.path, time: Double(frame) / writer.sampleRate, duration: seconds,
        cause: cause))
  }

  func service(atLeast frameCount: Int) throws(ServiceError) {
    guard feed.available >= FrameFeed.block || feed.room < frameCount else { return }
    drain()
  }

  /// A file is written a block and more at a time; who listens at the other end of a pipe has each block
  /// when it is there.
  func secondsToSpare(atLeast frameCount: Int) -> Double {
    let seconds = feed.secondsToSpare(atLeast: frameCount)
    return writer.path == "-" ? min(seconds, feed.secondsToBlock) : seconds
  }

  /// Writes what is in the feed.
  private func drain() {
    while case let count = min(feed.available, FrameFeed.block), count > 0 {
      writing { () throws(SoundFileError) in
        if feed.sample.fitsFloat {
          feed.read(count, into: &floats) { $0 }
          try writer.write(floats, frameCount: count)
        } else {
          feed.read(count, into: &doubles)
          try writer.write(doubles, frameCount: count)
        }
      }
      noteLosses()
      feed.discard(count)
    }
    noteLosses()
  }

  /// Makes out where frames have been lost. Called before room is made: where frames have found none,
  /// none has been made since, and the silence in their place comes next.
  private func noteLosses() {
    let (lost, missing) = (feed.lostFrames, feed.missingFrames)
    if lost > toldFrames {
      gap = (gap?.first ?? feed.totalWritten, (gap?.count ?? 0) + lost - toldFrames)
      toldFrames = lost
    }
    if missing == 0 { tellGap() }
  }

  private func tellGap() {
    guard let over = gap else { return }
    gap = nil
    guard !hasEnded else { return }
    events.append(
      ServiceEvent(
        .gap, file: writer.path, time: Double(start + over.first) / writer.sampleRate,
        duration: Double(over.count) / writer.sampleRate, cause: "the disk was too slow"))
  }

  /// Does something that writes, and ends the recording where it fails.
  private func writing(_ body: () throws(SoundFileError) -> Void) {
    guard !hasEnded else { return }
    do throws(SoundFileError) { try body() } catch {
      hasEnded = true
      let time = writer.time
      writer.abandon()
      let rest =
        writer.framesWritten > 0 && writer.unfinishedPath != "-"
        ? "; what there is of it is in '\(writer.unfinishedPath)'" : ""
      events.append(
        ServiceEvent(.ended, file: writer.path, time: time, cause: error.cause + rest))
    }
  }

  func finish() throws(ServiceError) {
    guard !isFinished else { return }
    isFinished = true
    writeRest()
    defer { tellClipping() }
    guard hasEnded || !takes.keep(writer, for: key) else { return }
    writing { () throws(SoundFileError) in try writer.close() }
  }

  func abandon() {
    guard !isFinished else { return }
    isFinished = true
    writeRest()
    tellClipping()
    writer.abandon()
  }

  private func writeRest() {
    drain()
    writeMissing(feed.missingFrames)
    tellGap()
  }

  /// Tells what has been clipped since the last time: a recording that goes on in another graph's tap
  /// tells of the rest there.
  private func tellClipping() {
    guard let clipping = writer.takeClipping() else { return }
    let count = clipping.sampleCount
    events.append(
      ServiceEvent(
        .clipped, file: writer.path, time: Double(clipping.firstFrame) / writer.sampleRate,
        cause: "\(count) sample\(count == 1 ? "" : "s")"))
  }

  /// The silence for which the feed had no room to the end.
  private func writeMissing(_ frameCount: Int) {
    var rest = frameCount
    let zeros = [Float](
      repeating: 0, count: rest > 0 ? FrameFeed.block * feed.channelCount : 0)
    while rest > 0 {
      let count = min(rest, FrameFeed.block)
      writing { () throws(SoundFileError) in try writer.write(zeros, frameCount: count) }
      rest -= count
    }
  }
}
