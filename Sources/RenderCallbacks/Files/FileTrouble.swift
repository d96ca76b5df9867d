import RenderCore
import SoundFiles

/// What is told of a file that cannot be read: each stretch of frames once when it begins, and once, with
/// its length, when it is over.
struct FileTrouble {
  /// A file that is damaged and not on a failing disk is given up after so many attempts in a row.
  private static let mostAttempts = 64

  private let file: String
  private let sampleRate: Double
  private var events: [ServiceEvent] = []
  /// The stretch that is missing just now, in frames of the file.
  private var stretch: (first: Int, count: Int, cause: String)?
  private var attempts = 0

  /// Whether nothing more is to be had of it.
  private(set) var isGivenUp = false
  /// Whether any of it could not be read so far.
  private(set) var hasHappened = false

  init(_ reader: SoundFileReader) {
    file = reader.path
    sampleRate = reader.sampleRate
  }

  /// Takes note of frames that could not be read.
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

  /// The file is read again, or is needed no more.
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

  /// Whether a sample has been told of that is no finite number.
  private(set) var hasToldOfNumbers = false

  mutating func noteNumber(at frame: Int) {
    hasToldOfNumbers = true
    events.append(
      ServiceEvent(.notFinite, file: file, time: Double(frame) / sampleRate, cause: ""))
  }

  /// The file begins again.
  mutating func restart() {
    end()
    isGivenUp = false
  }

  /// Whether there is nothing to take.
  var isEmpty: Bool { events.isEmpty }

  mutating func take() -> [ServiceEvent] {
    defer { events = [] }
    return events
  }
}

/// What is told of frames that were not there in time, from how many the render thread has counted.
struct LateFrames {
  private let file: String
  /// In seconds of the file.
  private let start: Double
  private var told = 0
  private var events: [ServiceEvent] = []

  init(file: String, start: Double) {
    self.file = file
    self.start = start
  }

  /// - Parameters:
  ///   - lost: Frames of the bus so far.
  ///   - played: Frames of the bus that have been played.
  ///   - partLength: How long the part is that is played, in seconds: a loop begins again behind it.
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
