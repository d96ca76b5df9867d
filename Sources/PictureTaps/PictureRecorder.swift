public import AudioTypes
import FileAccess
public import Pictures
public import RenderCore
import RenderTaps

/// Draws a picture of frames. Used by one thread at a time.
public final class PictureRecorder {
  let tap: PictureTap
  private let columns: any PictureColumns

  /// - Throws: The first problem of the settings, or why the file cannot be written.
  public init(_ tap: PictureTap, _ format: StreamFormat) throws(CallbackProblem) {
    if let problem = tap.problems(for: format).first { throw problem }
    let (path, existing) = try tap.place()
    guard let file = PictureFile(path: path, files: tap.files, existing: existing) else {
      throw CallbackProblem(.unwritable, status: .parameterError, "there is no such picture")
    }
    do throws(PictureFile.Failure) { try file.check() } catch {
      throw CallbackProblem(
        error.isOwnership ? .notOwn : .unwritable, status: .filePermission, error.message,
        help: error.help, setting: "path")
    }
    self.tap = tap
    columns =
      switch tap.subject {
      case .waveform: WaveformColumns(tap, format)
      case .spectrogram: SpectrogramColumns(tap, format)
      case .levels: try LevelColumns(tap, format)
      }
  }

  /// Adds frames: interleaved, where 1 is full scale. Samples that are not finite count as 0.
  public func add(_ samples: [Double], frameCount: Int) {
    columns.add(samples, frameCount: frameCount)
  }

  /// The requested path; `nil` for a path with `{take}`.
  var askedPath: String? {
    guard let name = try? TakeName(tap.path), !name.isCounted else { return nil }
    return name.path(tap.takes.moment, number: 1)
  }

  /// Draws the frames so far. No frames may follow.
  public func drawing() -> Drawing { columns.figure().drawing() }

  /// Draws the frames so far, and writes the picture in place of an existing file or under a free
  /// name.
  ///
  /// - Returns: The path of the picture.
  /// - Throws: Why the file could not be written.
  @discardableResult
  public func write() throws(PictureFile.Failure) -> String {
    let (drawing, tap) = (drawing(), tap)
    func write(
      _ path: String, _ existing: PendingFile.Existing
    ) throws(PictureFile.Failure) -> String {
      guard let file = PictureFile(path: path, files: tap.files, existing: existing) else {
        return path
      }
      return try file.write(drawing)
    }
    let name: TakeName
    do throws(CallbackProblem) { name = try TakeName(tap.path) } catch {
      return try write(tap.path, .replace)
    }
    return try tap.takes.begin(name, write, path: \.self)
  }
}

/// The summary from which a picture is drawn.
protocol PictureColumns: AnyObject {
  func add(_ samples: [Double], frameCount: Int)
  /// Called once, at the end.
  func figure() -> Figure
}

/// Takes frames from a feed and draws a picture of them.
///
/// `@unchecked Sendable`: a host makes one call at a time, as `RenderService` demands.
final class PictureService: FeedService, @unchecked Sendable {
  private let recorder: PictureRecorder
  let feed: FrameFeed
  private var samples: [Double]
  private var isFinished = false
  private var events: [ServiceEvent] = []

  init(recorder: PictureRecorder, feed: FrameFeed) {
    self.recorder = recorder
    self.feed = feed
    samples = [Double](repeating: 0, count: FrameFeed.block * feed.channelCount)
  }

  static let leastFrames = FrameFeed.block

  func drain() {
    while case let count = min(feed.available, FrameFeed.block), count > 0 {
      feed.read(count, into: &samples)
      feed.discard(count)
      recorder.add(samples, frameCount: count)
    }
  }

  func finish() throws(ServiceError) {
    guard !isFinished else { return }
    isFinished = true
    drain()
    let missing = feed.missingFrames
    for index in samples.indices { samples[index] = 0 }
    for first in stride(from: 0, to: missing, by: FrameFeed.block) {
      recorder.add(samples, frameCount: min(missing - first, FrameFeed.block))
    }
    do throws(PictureFile.Failure) {
      let path = try recorder.write()
      if let asked = recorder.askedPath, path != asked {
        let cause = "the name '\(asked)' is taken"
        events.append(ServiceEvent(.begun, file: path, time: 0, cause: cause))
      }
    } catch {
      guard recorder.tap.takes.goesOnWhenThereIsRoom else { throw ServiceError(error.message) }
      events.append(.init(.unwritten, file: recorder.tap.path, time: 0, cause: error.message))
    }
  }

  func abandon() { isFinished = true }

  func takeEvents() -> [ServiceEvent] {
    defer { events = [] }
    return events
  }
}
