import AudioTypes
import RenderCore
import SoundFiles
import Synchronization

/// Takes frames from a feed and writes them to a file.
///
/// A full disk ends the file, complete up to there; in a run that keeps time another file begins
/// when there is room again. Any other error ends the recording, and its part stays in a file with
/// a name for unfinished files. Later frames are dropped, and the run goes on.
///
/// `@unchecked Sendable`: a host makes one call at a time, as `RenderService` demands; what other
/// threads may read is atomic or locked.
final class RecordService: RenderService, @unchecked Sendable {
  /// How to begin a file, and its contents.
  struct File {
    let open: () throws(SoundFileError) -> SoundFileWriter
    /// The free bytes on the disk; `nil` where they are not known.
    let freeBytes: () -> UInt64?
    let format: StreamFormat
    let gaps: RecordingGaps
  }

  /// A time without room on the disk. Frames are counted as in the feed.
  private struct Outage {
    /// The file that has ended, and its length in seconds.
    var file: String
    var time: Double
    /// The first frame that is not in that file.
    var first: Int
    /// Seconds of pauses in the meantime.
    var unheard = 0.0
    /// The frame at which to look for room next, and the frames between two looks.
    var nextLook: Int
    var interval: Int
  }

  /// What other threads may read while a call waits for the disk.
  private struct Place {
    var path: String
    /// The offset from the number of a frame in the feed to its number in the file.
    var offset: Int
  }

  /// The seconds of sound, as linear samples, for which there must be room before another file
  /// begins.
  private static let secondsOfRoom = 4.0
  /// The longest interval between two tries, in seconds. It doubles each time that a new file was
  /// ended again by a full disk.
  private static let longestInterval = 64

  private let feed: FrameFeed
  private let file: File
  private let key: Takes.Key
  private let takes: Takes
  /// `nil` while there is no room, and after the recording has ended.
  private var writer: SoundFileWriter?
  private var outage: Outage?
  private var floats: [Float]
  private var doubles: [Double]
  private var isFinished = false
  /// The number of requests for a new take that have been served.
  private var begunTakes: Int
  private var events: [ServiceEvent] = []
  /// The frames being lost: the first one's number in the feed, and their count.
  private var gap: (first: Int, count: Int)?
  private let place: Mutex<Place>
  /// The number of lost frames of the feed that have been reported, and whether an ongoing loss has
  /// been.
  private let reportedFrames = Atomic<Int>(0)
  private let isLossReported = Atomic<Bool>(false)
  /// Frames without room on the disk.
  private let rejectedFrames = Atomic<Int>(0)

  /// - Parameter writer: `nil` for a recording that waits for room from the beginning.
  init(
    _ writer: SoundFileWriter?, _ feed: FrameFeed, _ file: File, _ key: Takes.Key, _ takes: Takes
  ) {
    self.feed = feed
    self.file = file
    self.writer = writer
    self.key = key
    self.takes = takes
    begunTakes = takes.newTakes.load(ordering: .relaxed)
    takes.enter()
    place = Mutex(Place(path: writer?.path ?? key.path, offset: writer?.framesWritten ?? 0))
    let size = FrameFeed.block * feed.channelCount
    floats = [Float](repeating: 0, count: feed.sample.fitsFloat ? size : 0)
    doubles = [Double](repeating: 0, count: feed.sample.fitsFloat ? 0 : size)
    guard writer == nil else { return }
    outage = Outage(file: key.path, time: 0, first: 0, nextLook: second, interval: second)
  }

  deinit { takes.leave() }

  /// The frames of a second.
  private var second: Int { max(1, Int(rate)) }
  private var rate: Double { file.format.sampleRate }

  var lostFrames: Int { feed.lostFrames + rejectedFrames.load(ordering: .relaxed) }

  func takeEvents() -> [ServiceEvent] {
    defer { events = [] }
    return events
  }

  func takeOngoingEvent() -> ServiceEvent? {
    guard feed.lostFrames > reportedFrames.load(ordering: .relaxed), feed.missingFrames > 0,
      !isLossReported.exchange(true, ordering: .relaxed)
    else { return nil }
    let place = place.withLock { $0 }
    return ServiceEvent(
      .gap, file: place.path, time: Double(feed.totalWritten + place.offset) / rate,
      isOngoing: true, cause: "the disk is too slow")
  }

  /// Reports a file name that differs from the requested one.
  func noteBeginning(asked path: String) {
    guard let writer, path != "-", writer.path != path else { return }
    events.append(
      ServiceEvent(.begun, file: writer.path, time: 0, cause: "the name '\(path)' is taken"))
  }

  func noteGap(seconds: Double, ago: Double, cause: String) {
    guard !isFinished else { return }
    outage?.unheard += seconds
    guard writer != nil else { return }
    drain(to: feed.totalWritten - Int(min(ago, 1e6) * rate))
    guard let writer else { return }
    let frame = writer.framesWritten
    var words = cause
    if file.gaps == .fill, seconds > 0 {
      let count = Int((min(seconds, 1e8) * rate).rounded())
      write { writer throws(SoundFileError) in try writer.writeSilence(frameCount: count) }
      place.withLock { $0.offset += count }
      words += "; silence stands in its place"
    }
    reportGap(at: frame, seconds: seconds, words)
  }

  func service(atLeast frameCount: Int) throws(ServiceError) {
    guard feed.available >= FrameFeed.block || feed.room < frameCount else { return }
    drain()
  }

  /// A file is written in large pieces; the reader of a pipe gets each block once it is complete.
  func secondsToSpare(atLeast frameCount: Int) -> Double {
    let seconds = feed.secondsToSpare(atLeast: frameCount)
    return key.path == "-" ? min(seconds, feed.secondsToBlock) : seconds
  }

  /// Writes the frames of the feed, up to a given one.
  private func drain(to end: Int = .max) {
    while case let count = min(feed.available, FrameFeed.block, end - feed.totalRead), count > 0 {
      lookForRoom()
      beginNewTake()
      write { [self] writer throws(SoundFileError) in
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
      noteRejected()
    }
    noteLosses()
  }

  /// Continues in another file where that was requested.
  private func beginNewTake() {
    let wanted = takes.newTakes.load(ordering: .relaxed)
    guard wanted != begunTakes else { return }
    begunTakes = wanted
    guard let old = writer, old.unfinishedPath != old.path else { return }
    let next: SoundFileWriter
    do throws(SoundFileError) { next = try file.open() } catch {
      events.append(
        ServiceEvent(.kept, file: old.path, time: old.time, cause: error.message))
      return
    }
    reportLoss()
    reportClipping(of: old)
    do throws(SoundFileError) {
      try old.close(isShortEnough: takes.goesOnWhenThereIsRoom)
    } catch {
      reportEnd(old, old.time, error.cause, isLeft: old.framesWritten > 0)
    }
    takes.note(old)
    continueRecording(in: next, "a new take was asked for")
  }

  /// Lets another file begin with the next frame of the feed.
  private func continueRecording(in next: SoundFileWriter, _ cause: String) {
    writer = next
    place.withLock { $0 = Place(path: next.path, offset: next.framesWritten - feed.totalRead) }
    events.append(ServiceEvent(.begun, file: next.path, time: 0, cause: cause))
  }

  // MARK: - Frames that do not fit in the feed

  /// Finds the position of lost frames. Called before frames are discarded: no frame has been
  /// written since the loss, so that the silence for lost frames comes next.
  private func noteLosses() {
    let (lost, missing) = (feed.lostFrames, feed.missingFrames)
    let reported = reportedFrames.load(ordering: .relaxed)
    if lost > reported {
      gap = (gap?.first ?? feed.totalWritten, (gap?.count ?? 0) + lost - reported)
      reportedFrames.store(lost, ordering: .relaxed)
    }
    if missing == 0 { reportLoss() }
  }

  private func reportLoss() {
    guard let over = gap else { return }
    gap = nil
    isLossReported.store(false, ordering: .relaxed)
    guard writer != nil else { return }
    let frame = over.first + place.withLock { $0.offset }
    reportGap(
      at: frame, seconds: Double(over.count) / rate, frameCount: over.count,
      "the disk was too slow")
  }

  /// - Parameter frame: The position in the file.
  private func reportGap(
    at frame: Int, seconds: Double, frameCount: Int = 0, _ cause: String
  ) {
    let event = ServiceEvent(
      .gap, file: place.withLock { $0.path }, time: Double(frame) / rate, duration: seconds,
      frameCount: frameCount, cause: cause)
    events.append(event)
    if file.gaps == .mark { writer?.mark(event.label, at: frame) }
  }

  // MARK: - A full disk

  /// Runs a body that writes, and ends the file where it fails.
  private func write(_ body: (SoundFileWriter) throws(SoundFileError) -> Void) {
    guard let writer else { return }
    do throws(SoundFileError) { try body(writer) } catch { end(writer, error) }
  }

  private func end(_ writer: SoundFileWriter, _ error: SoundFileError) {
    self.writer = nil
    defer { reportClipping(of: writer) }
    let isRegular = writer.unfinishedPath != writer.path
    guard error.isOfRoom, takes.goesOnWhenThereIsRoom, isRegular else {
      let time = writer.time
      writer.abandon()
      return reportEnd(writer, time, error.cause, isLeft: writer.framesWritten > 0 && isRegular)
    }
    let isWhole = writer.closeShort()
    takes.note(writer)
    reportEnd(
      writer, writer.time, error.cause + "; another file begins when there is room again",
      isLeft: !isWhole && writer.framesWritten > 0)
    takes.setWaitingForRoom(key, true)
    let wasShort = writer.framesWritten < second
    let longer = min(2 * (lastInterval ?? second), Self.longestInterval * second)
    let interval = wasShort ? longer : second
    lastInterval = interval
    outage = Outage(
      file: writer.path, time: writer.time,
      first: writer.framesWritten - place.withLock { $0.offset },
      nextLook: feed.totalRead + interval, interval: interval)
  }

  /// The frames between two looks in the last outage.
  private var lastInterval: Int?

  private func reportEnd(
    _ writer: SoundFileWriter, _ time: Double, _ cause: String, isLeft: Bool
  ) {
    let rest = isLeft ? "; what there is of it is in '\(writer.unfinishedPath)'" : ""
    events.append(ServiceEvent(.ended, file: writer.path, time: time, cause: cause + rest))
  }

  /// Begins another file once there is room.
  private func lookForRoom() {
    guard let waiting = outage, feed.totalRead >= waiting.nextLook else { return }
    outage?.nextLook = feed.totalRead + waiting.interval
    let bytesPerFrame = Double(file.format.channelCount * 4)
    let needed = max(65_536, UInt64(Self.secondsOfRoom * rate * bytesPerFrame))
    guard let free = file.freeBytes(), free >= needed else { return }
    // Failed again: wait for the next look.
    guard let next = try? file.open() else { return }
    outage = nil
    takes.setWaitingForRoom(key, false)
    continueRecording(in: next, "there is room again")
    reportRejected(waiting, until: feed.totalRead, file: next.path, time: 0)
    reportedFrames.store(feed.lostFrames, ordering: .relaxed)
    gap = nil
  }

  /// Reports the frames missing between two files, or at the end.
  private func reportRejected(_ outage: Outage, until end: Int, file path: String, time: Double) {
    let count = end - outage.first
    let event = ServiceEvent(
      .gap, file: path, time: time, duration: Double(count) / rate + outage.unheard,
      frameCount: count, cause: "the disk was full")
    events.append(event)
    if file.gaps == .mark { writer?.mark(event.label, at: 0) }
    closedRejections += count
    rejectedFrames.store(closedRejections, ordering: .relaxed)
  }

  /// The frames of outages that are over.
  private var closedRejections = 0

  private func noteRejected() {
    guard let outage else { return }
    rejectedFrames.store(closedRejections + feed.totalRead - outage.first, ordering: .relaxed)
  }

  // MARK: - The end

  func finish() throws(ServiceError) {
    guard !isFinished else { return }
    isFinished = true
    writeRest()
    if let writer, !takes.keep(writer, for: key) {
      let isShortEnough = takes.goesOnWhenThereIsRoom
      write { writer throws(SoundFileError) in
        try writer.close(isShortEnough: isShortEnough)
      }
      takes.note(writer)
    }
    endOutage()
    if let writer { reportClipping(of: writer) }
  }

  func abandon() {
    guard !isFinished else { return }
    isFinished = true
    writeRest()
    endOutage()
    guard let writer else { return }
    reportClipping(of: writer)
    writer.abandon()
  }

  private func endOutage() {
    guard let last = outage else { return }
    outage = nil
    reportRejected(last, until: feed.totalRead, file: last.file, time: last.time)
  }

  private func writeRest() {
    drain()
    let missing = feed.missingFrames
    write { writer throws(SoundFileError) in
      // The silence that never fitted in the feed.
      if missing > 0 { try writer.writeSilence(frameCount: missing) }
    }
    reportLoss()
  }

  /// Reports the clipping since the last report: the tap of another graph may continue the
  /// recording.
  private func reportClipping(of writer: SoundFileWriter) {
    guard let clipping = writer.takeClipping() else { return }
    let count = clipping.sampleCount
    events.append(
      ServiceEvent(
        .clipped, file: writer.path, time: Double(clipping.firstFrame) / writer.sampleRate,
        cause: "\(count) sample\(count == 1 ? "" : "s")"))
  }
}
