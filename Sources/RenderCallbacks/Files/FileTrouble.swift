import RenderCore
import SoundFiles

/// Makes the events of a file that cannot be read: for each stretch of frames one when it begins,
/// and one, with its length, when it is over.
struct FileTrouble {
  /// A damaged file on a disk that works is given up after so many failures in a row.
  private static let mostAttempts = 64

  private let file: String
  private let sampleRate: Double
  private var events: [ServiceEvent] = []
  /// The stretch that cannot be read just now, in frames of the file.
  private var stretch: (first: Int, count: Int, cause: String)?
  private var attempts = 0

  /// Whether reading has been given up.
  private(set) var isGivenUp = false
  /// Whether any frame could not be read so far.
  private(set) var hasHappened = false

  init(_ reader: SoundFileReader) {
    file = reader.path
    sampleRate = reader.sampleRate
  }

  /// Notes frames that could not be read.
  mutating func note(_ error: SoundFileError, at first: Int, frameCount: Int) {
    hasHappened = true
    attempts = error.isOfDisk ? 0 : attempts + 1
    isGivenUp = attempts >= Self.mostAttempts
    if stretch == nil {
      events.append(
        ServiceEvent(
          .unread, file: file, time: Double(first) / sampleRate, isOngoing: true,
          cause: error.message))
      stretch = (first, 0, error.message)
    }
    stretch?.count += frameCount
  }

  /// Ends a stretch: the file can be read again, or is no longer needed.
  mutating func end() {
    attempts = 0
    guard let over = stretch else { return }
    stretch = nil
    guard over.count > 0 else { return }
    events.append(
      ServiceEvent(
        .unread, file: file, time: Double(over.first) / sampleRate,
        duration: Double(over.count) / sampleRate, cause: over.cause))
  }

  /// Whether a sample that is not finite has been reported.
  private(set) var hasToldOfNumbers = false

  mutating func noteNumber(at frame: Int) {
    hasToldOfNumbers = true
    events.append(
      ServiceEvent(.notFinite, file: file, time: Double(frame) / sampleRate, cause: ""))
  }

  /// Ends a stretch, and tries to read the file again from its beginning.
  mutating func restart() {
    end()
    isGivenUp = false
  }

  /// Whether there are no events.
  var isEmpty: Bool { events.isEmpty }

  mutating func take() -> [ServiceEvent] {
    defer { events = [] }
    return events
  }
}

/// Makes the events of frames that were not ready in time, from the render thread's count of them.
struct LateFrames {
  private let file: String
  /// The beginning of the part, in seconds of the file.
  private let start: Double
  private var told = 0
  private var events: [ServiceEvent] = []

  init(file: String, start: Double) {
    self.file = file
    self.start = start
  }

  /// - Parameters:
  ///   - lost: Lost frames of the bus so far.
  ///   - played: Frames of the bus that have been played.
  ///   - partLength: The length of the part that is played, in seconds; a loop begins again behind
  ///     it.
  mutating func note(lost: Int, played: Int, sampleRate: Double, partLength: Double) {
    guard lost > told else { return }
    let time = Double(max(0, played)) / sampleRate
    events.append(
      ServiceEvent(
        .late, file: file,
        time: start + (partLength > 0 ? time.truncatingRemainder(dividingBy: partLength) : 0),
        duration: Double(lost - told) / sampleRate, cause: "the disk was too slow"))
    told = lost
  }

  mutating func take() -> [ServiceEvent] {
    defer { events = [] }
    return events
  }
}
