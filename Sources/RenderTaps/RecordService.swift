import AudioTypes
import RenderCore
import SoundFiles
import Synchronization

/// Takes frames out of a feed and writes them to a file.
///
/// Where the disk is full the file ends, whole as far as it goes, and, in a run that keeps time, another one
/// begins when there is room again. Where a file cannot be written for any other reason the recording ends,
/// and what there is of it is left under the name that says so. The frames that follow are thrown away, and
/// everything else goes on.
///
/// `@unchecked Sendable`: its calls come one at a time, as `RenderService` says; what others ask for is atomic
/// or has a lock.
final class RecordService: RenderService, @unchecked Sendable {
  /// How a file is begun, and what is in it.
  struct File {
    let open: () throws(SoundFileError) -> SoundFileWriter
    /// Bytes that there is room for; `nil` where nobody knows.
    let freeBytes: () -> UInt64?
    let format: StreamFormat
    let gaps: RecordingGaps
  }

  /// A time in which there is no room on the disk. Frames are counted as the feed counts them.
  private struct Outage {
    /// The file that has ended, and how long it is in seconds.
    var file: String
    var time: Double
    /// The first frame that is not in it.
    var first: Int
    /// Seconds that have passed without a frame.
    var unheard = 0.0
    /// When to look for room again, and how many frames later after that.
    var nextLook: Int
    var interval: Int
  }

  /// What others may ask for while a call waits for the disk.
  private struct Place {
    var path: String
    /// What a frame of the feed counts in the file is so much more.
    var offset: Int
  }

  /// Seconds of sound that there has to be room for, as linear samples, before another file begins.
  private static let secondsOfRoom = 4.0
  /// Where a file that has just begun has no room either, it is not tried again at once: after twice as long
  /// each time, and this many seconds at the most.
  private static let longestInterval = 64

  private let feed: FrameFeed
  private let file: File
  private let key: Takes.Key
  private let takes: Takes
  /// `nil` while there is no room, and once the recording has ended.
  private var writer: SoundFileWriter?
  private var outage: Outage?
  private var floats: [Float]
  private var doubles: [Double]
  private var isFinished = false
  /// Of the new takes that were asked for, how many have begun.
  private var begunTakes: Int
  private var events: [ServiceEvent] = []
  /// Frames that are being lost: from which frame of the feed on, and how many.
  private var gap: (first: Int, count: Int)?
  private let place: Mutex<Place>
  /// Frames that the feed has lost and that have been told, and whether it has been told that more are.
  private let toldFrames = Atomic<Int>(0)
  private let isLossTold = Atomic<Bool>(false)
  /// Frames that there was no room for on the disk.
  private let rejectedFrames = Atomic<Int>(0)

  /// - Parameter writer: `nil` for a recording that waits for room from the beginning on.
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

  /// Frames of a second.
  private var second: Int { max(1, Int(rate)) }
  private var rate: Double { file.format.sampleRate }

  var lostFrames: Int { feed.lostFrames + rejectedFrames.load(ordering: .relaxed) }

  func takeEvents() -> [ServiceEvent] {
    defer { events = [] }
    return events
  }

  func takeOngoingEvent() -> ServiceEvent? {
    guard feed.lostFrames > toldFrames.load(ordering: .relaxed), feed.missingFrames > 0,
      !isLossTold.exchange(true, ordering: .relaxed)
    else { return nil }
    let place = place.withLock { $0 }
    return ServiceEvent(
      .gap, file: place.path, time: Double(feed.totalWritten + place.offset) / rate,
      isOngoing: true, cause: "the disk is too slow")
  }

  /// Says it where the file has another name than was asked for.
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
    tellGap(at: frame, seconds: seconds, words)
  }

  func service(atLeast frameCount: Int) throws(ServiceError) {
    guard feed.available >= FrameFeed.block || feed.room < frameCount else { return }
    drain()
  }

  /// A file is written a block and more at a time; who listens at the other end of a pipe has each block
  /// when it is there.
  func secondsToSpare(atLeast frameCount: Int) -> Double {
    let seconds = feed.secondsToSpare(atLeast: frameCount)
    return key.path == "-" ? min(seconds, feed.secondsToBlock) : seconds
  }

  /// Writes what is in the feed, up to a frame of it.
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

  /// Goes on in another file where that has been asked for.
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
    tellLoss()
    tellClipping(of: old)
    do throws(SoundFileError) {
      try old.close(isShortEnough: takes.goesOnWhenThereIsRoom)
    } catch {
      tellEnd(old, old.time, error.cause, isLeft: old.framesWritten > 0)
    }
    takes.note(old)
    goOn(in: next, "a new take was asked for")
  }

  /// What is in the feed goes into another file from its beginning on.
  private func goOn(in next: SoundFileWriter, _ cause: String) {
    writer = next
    place.withLock { $0 = Place(path: next.path, offset: next.framesWritten - feed.totalRead) }
    events.append(ServiceEvent(.begun, file: next.path, time: 0, cause: cause))
  }

  // MARK: - Frames that find no room in the feed

  /// Makes out where frames have been lost. Called before room is made: where frames have found none,
  /// none has been made since, and the silence in their place comes next.
  private func noteLosses() {
    let (lost, missing) = (feed.lostFrames, feed.missingFrames)
    let told = toldFrames.load(ordering: .relaxed)
    if lost > told {
      gap = (gap?.first ?? feed.totalWritten, (gap?.count ?? 0) + lost - told)
      toldFrames.store(lost, ordering: .relaxed)
    }
    if missing == 0 { tellLoss() }
  }

  private func tellLoss() {
    guard let over = gap else { return }
    gap = nil
    isLossTold.store(false, ordering: .relaxed)
    guard writer != nil else { return }
    let frame = over.first + place.withLock { $0.offset }
    tellGap(
      at: frame, seconds: Double(over.count) / rate, frameCount: over.count,
      "the disk was too slow")
  }

  /// - Parameter frame: Of the file.
  private func tellGap(
    at frame: Int, seconds: Double, frameCount: Int = 0, _ cause: String
  ) {
    let event = ServiceEvent(
      .gap, file: place.withLock { $0.path }, time: Double(frame) / rate, duration: seconds,
      frameCount: frameCount, cause: cause)
    events.append(event)
    if file.gaps == .mark { writer?.mark(event.label, at: frame) }
  }

  // MARK: - A disk that takes no more

  /// Does something that writes, and ends the file where it fails.
  private func write(_ body: (SoundFileWriter) throws(SoundFileError) -> Void) {
    guard let writer else { return }
    do throws(SoundFileError) { try body(writer) } catch { end(writer, error) }
  }

  private func end(_ writer: SoundFileWriter, _ error: SoundFileError) {
    self.writer = nil
    defer { tellClipping(of: writer) }
    let isRegular = writer.unfinishedPath != writer.path
    guard error.isOfRoom, takes.goesOnWhenThereIsRoom, isRegular else {
      let time = writer.time
      writer.abandon()
      return tellEnd(writer, time, error.cause, isLeft: writer.framesWritten > 0 && isRegular)
    }
    let isWhole = writer.closeShort()
    takes.note(writer)
    tellEnd(
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

  /// Frames between two looks for room in the outage before.
  private var lastInterval: Int?

  private func tellEnd(
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
    // Where it is not to be had yet, it is looked for again.
    guard let next = try? file.open() else { return }
    outage = nil
    takes.setWaitingForRoom(key, false)
    goOn(in: next, "there is room again")
    tellRejected(waiting, until: feed.totalRead, file: next.path, time: 0)
    toldFrames.store(feed.lostFrames, ordering: .relaxed)
    gap = nil
  }

  /// Says how much is missing between two files, or at the end.
  private func tellRejected(_ outage: Outage, until end: Int, file path: String, time: Double) {
    let count = end - outage.first
    let event = ServiceEvent(
      .gap, file: path, time: time, duration: Double(count) / rate + outage.unheard,
      frameCount: count, cause: "the disk was full")
    events.append(event)
    if file.gaps == .mark { writer?.mark(event.label, at: 0) }
    closedRejections += count
    rejectedFrames.store(closedRejections, ordering: .relaxed)
  }

  /// Frames of the outages that are over.
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
    if let writer { tellClipping(of: writer) }
  }

  func abandon() {
    guard !isFinished else { return }
    isFinished = true
    writeRest()
    endOutage()
    guard let writer else { return }
    tellClipping(of: writer)
    writer.abandon()
  }

  private func endOutage() {
    guard let last = outage else { return }
    outage = nil
    tellRejected(last, until: feed.totalRead, file: last.file, time: last.time)
  }

  private func writeRest() {
    drain()
    let missing = feed.missingFrames
    write { writer throws(SoundFileError) in
      // The silence for which the feed had no room to the end.
      if missing > 0 { try writer.writeSilence(frameCount: missing) }
    }
    tellLoss()
  }

  /// Tells what has been clipped since the last time: a recording that goes on in another graph's tap
  /// tells of the rest there.
  private func tellClipping(of writer: SoundFileWriter) {
    guard let clipping = writer.takeClipping() else { return }
    let count = clipping.sampleCount
    events.append(
      ServiceEvent(
        .clipped, file: writer.path, time: Double(clipping.firstFrame) / writer.sampleRate,
        cause: "\(count) sample\(count == 1 ? "" : "s")"))
  }
}
