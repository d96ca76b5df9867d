public import AudioTypes
public import RenderCore
public import SoundFiles

/// Writes what is on a bus to a sound file, beside the render thread.
///
/// The path's extension says what kind of file, the bus's format what a sample becomes in it:
/// itself wherever the file can hold that, so that each bit is kept. A disk may stall for four
/// seconds. Beyond that frames are lost: they are counted, and silence stands in the file in their
/// place, so that what follows is where it belongs.
public struct RecordTap: RenderTap {
  public static let description = TapDescription(
    kind: "record", summary: "Writes what is on a bus to a sound file.",
    settings: [
      SettingInfo(
        "path", .path, isRequired: true,
        summary: "The file, relative to the patch; its extension says what kind: "
          + SoundFileFormat.writable.map { ".\($0.extensions[0])" }.joined(separator: ", ")
          + ". A file that is there is replaced."),
      SettingInfo(
        "format", .choice(FileSampleType.allCases.map(\.rawValue)),
        summary: "What a sample becomes; not given, what keeps the most of the bus."),
      SettingInfo(
        "quality", .number(0...1),
        summary: "From the smallest file to the best sound, where the file compresses with loss."),
    ],
    make: { values in
      var tap = RecordTap(path: "")
      if case .text(let path) = values["path"] { tap.path = path }
      if case .text(let name) = values["format"] {
        tap.sampleType = FileSampleType(rawValue: name)
      }
      if case .number(let quality) = values["quality"] { tap.quality = quality }
      return tap
    })

  /// Absolute, or relative to the process's working directory; `-` for WAV on standard output.
  public var path: String
  /// What a sample becomes; `nil` for what keeps the most of the bus.
  public var sampleType: FileSampleType?
  /// From 0 to 1, for files that compress with loss; `nil` for the library's own choice.
  public var quality: Double?

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
    return SoundFileWriter.problem(
      path: path, format: format, sampleType: sampleType, quality: quality
    ).map { [problem(of: $0)] } ?? []
  }

  public func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    if let problem = problems(for: format).first { throw problem }
    let writer: SoundFileWriter
    do throws(SoundFileError) {
      writer = try SoundFileWriter(
        path: path, format: format, sampleType: sampleType, quality: quality)
    } catch {
      throw problem(of: error)
    }
    let feed = FrameFeed(format, maximumFramesPerSlice: maximumFramesPerSlice)
    return RenderSink(
      kernel: feed.makeKernel(), service: RecordService(writer: writer, feed: feed))
  }

  private func problem(of error: SoundFileError) -> CallbackProblem {
    let isFormat = error.kind == .formatNotSupported
    return CallbackProblem(
      isFormat ? .formatNotSupported : .unwritable, status: error.status, error.message,
      help: error.help,
      setting: isFormat && sampleType != nil ? "format" : isFormat ? nil : "path")
  }
}

// MARK: - Beside the render thread

/// Takes frames out of a feed and writes them to a file.
///
/// `@unchecked Sendable`: its calls come one at a time, as `RenderService` says.
final class RecordService: RenderService, @unchecked Sendable {
  private let feed: FrameFeed
  private let writer: SoundFileWriter
  private var floats: [Float]
  private var doubles: [Double]
  private var failure: ServiceError?
  private var isFinished = false

  init(writer: SoundFileWriter, feed: FrameFeed) {
    self.writer = writer
    self.feed = feed
    let size = FrameFeed.block * feed.channelCount
    floats = [Float](repeating: 0, count: feed.sample.fitsFloat ? size : 0)
    doubles = [Double](repeating: 0, count: feed.sample.fitsFloat ? 0 : size)
  }

  var lostFrames: Int { feed.lostFrames }

  func service(atLeast frameCount: Int) throws(ServiceError) {
    guard feed.available >= FrameFeed.block || feed.room < frameCount else { return }
    try drain()
  }

  /// Writes what is in the feed. After a failure the frames are thrown away and the failure is
  /// thrown again, so that a host that goes on can.
  private func drain() throws(ServiceError) {
    while case let count = min(feed.available, FrameFeed.block), count > 0 {
      if failure == nil {
        do throws(SoundFileError) {
          if feed.sample.fitsFloat {
            feed.read(count, into: &floats) { $0 }
            try writer.write(floats, frameCount: count)
          } else {
            feed.read(count, into: &doubles)
            try writer.write(doubles, frameCount: count)
          }
        } catch {
          failure = ServiceError(error.message)
        }
      }
      feed.discard(count)
    }
    if let failure { throw failure }
  }

  func finish() throws(ServiceError) {
    guard !isFinished else { return }
    isFinished = true
    do throws(ServiceError) {
      try drain()
      try writeMissing(feed.missingFrames)
    } catch {
      try? writer.close()
      throw error
    }
    do throws(SoundFileError) { try writer.close() } catch { throw ServiceError(error.message) }
  }

  /// The silence for which the feed had no room to the end.
  private func writeMissing(_ frameCount: Int) throws(ServiceError) {
    var rest = frameCount
    let zeros = [Float](
      repeating: 0, count: rest > 0 ? FrameFeed.block * feed.channelCount : 0)
    while rest > 0 {
      let count = min(rest, FrameFeed.block)
      do throws(SoundFileError) { try writer.write(zeros, frameCount: count) } catch {
        throw ServiceError(error.message)
      }
      rest -= count
    }
  }
}
