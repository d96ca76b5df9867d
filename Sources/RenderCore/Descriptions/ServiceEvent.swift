/// Something that happened to a file while a graph was running, without stopping the sound.
public struct ServiceEvent: Hashable, Sendable {
  /// The kind of event.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A file cannot be read, and silence replaces its frames.
    case unread
    /// Frames of a file were read too late, and silence replaced them.
    case late
    /// A file contains samples that are not finite.
    case notFinite
    /// A recording lacks frames, or spans a pause.
    case gap
    /// Samples above full scale were clipped in a recording with integer samples.
    case clipped
    /// A recording has ended early, because it cannot be written.
    case ended
    /// A picture could not be written.
    case unwritten
    /// A recording has begun under a name that differs from the requested one.
    case begun
    /// A recording continues in its file, although a new one was requested.
    case kept
    /// A recording is complete and has its final name.
    case saved
  }

  /// The kind of event.
  public var kind: Kind
  /// The file, as it was opened.
  public var file: String
  /// The position in the file, in seconds from its beginning.
  public var time: Double
  /// The duration in seconds; 0 for a moment.
  public var duration: Double
  /// Whether it is still going on. Another event reports its end.
  public var isOngoing: Bool
  /// The frames lost, at the rate of the file; 0 for none, and where the number is unknown.
  public var frameCount: Int
  /// The reason, as words that follow a colon.
  public var cause: String

  public init(
    _ kind: Kind, file: String, time: Double, duration: Double = 0, isOngoing: Bool = false,
    frameCount: Int = 0, cause: String
  ) {
    self.kind = kind
    self.file = file
    self.time = time
    self.duration = duration
    self.isOngoing = isOngoing
    self.frameCount = frameCount
    self.cause = cause
  }

  /// Whether the event makes the run a failure.
  public var isFailure: Bool { kind == .ended || kind == .unread || kind == .unwritten }

  /// The event as a sentence: `'take.wav': 0.120 s missing at 0:03.200: the disk was too slow`.
  public var message: String {
    let length = "\(Self.decimal(duration)) s"
    let place = Self.clock(time)
    return switch kind {
    case .unread where isOngoing:
      "'\(file)' cannot be read from \(place) on: \(cause); silence stands in its place"
    case .unread: "'\(file)': \(length) not read at \(place): \(cause)"
    case .late: "'\(file)': \(length) came too late at \(place): \(cause)"
    case .notFinite: "'\(file)' holds a sample that is no finite number at \(place)"
    case .gap where isOngoing: "'\(file)': frames are missing from \(place) on: \(cause)"
    case .gap where duration == 0: "'\(file)': frames are missing at \(place): \(cause)"
    case .gap where frameCount > 0:
      "'\(file)': \(length) (\(frameCount) frame\(frameCount == 1 ? "" : "s")) missing at \(place): \(cause)"
    case .gap: "'\(file)': \(length) missing at \(place): \(cause)"
    case .clipped: "'\(file)': \(cause) clipped, first at \(place)"
    case .ended: "the recording '\(file)' ended at \(place): \(cause)"
    case .unwritten: cause
    case .begun: "the recording is '\(file)': \(cause)"
    case .kept: "the recording goes on in '\(file)': no new take can begin: \(cause)"
    case .saved: "'\(file)' is whole: \(length)"
    }
  }

  /// The event as the label of a mark in the file: `0.120 s missing: the disk was too slow`.
  public var label: String {
    (duration == 0 ? "frames are missing" : "\(Self.decimal(duration)) s missing") + ": \(cause)"
  }

  /// A time as minutes and seconds, with three decimals: `0:03.200`.
  public static func clock(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "\(seconds) s" }
    let thousandths = Int((seconds * 1000).rounded())
    let (minutes, rest) = (thousandths / 60_000, thousandths % 60_000)
    return "\(minutes):\(rest < 10_000 ? "0" : "")\(decimal(Double(rest) / 1000))"
  }

  private static func decimal(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "\(seconds)" }
    let thousandths = Int((seconds * 1000).rounded())
    let rest = "\(thousandths % 1000)"
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
