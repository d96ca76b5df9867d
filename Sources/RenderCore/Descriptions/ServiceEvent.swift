/// Something that has happened to a file while a graph ran, and that the sound has gone on through.
public struct ServiceEvent: Hashable, Sendable {
  /// What can happen to a file that is read or written while sound plays.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A file that is played cannot be read: silence stands in the place of its frames.
    case unread
    /// Frames of a file that is played came too late, and silence stood in their place.
    case late
    /// A file that is played holds samples that are no finite numbers.
    case notFinite
    /// Frames are missing in a recording, or time has passed between two of them.
    case gap
    /// Samples beyond full scale were clipped in a recording whose samples are integers.
    case clipped
    /// A recording has ended early, because it cannot be written.
    case ended
    /// A picture cannot be written.
    case unwritten
    /// A recording has begun, under another name than was asked for.
    case begun
    /// A recording goes on in its file, although a new one was asked for.
    case kept
    /// A recording is whole, and has its name.
    case saved
  }

  /// What has happened.
  public var kind: Kind
  /// The file, as it was opened.
  public var file: String
  /// Where in the file, in seconds from its beginning.
  public var time: Double
  /// In seconds; 0 where it is a moment.
  public var duration: Double
  /// Whether it is still going on. Another event says when it is over.
  public var isOngoing: Bool
  /// Frames that are lost by it, at the rate of the file; 0 where none are, or how many is not known.
  public var frameCount: Int
  /// Why, as words that follow a colon.
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

  /// Whether the run has failed to do what the patch says.
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

  /// The same for a mark in the file itself: `0.120 s missing: the disk was too slow`.
  public var label: String {
    (duration == 0 ? "frames are missing" : "\(Self.decimal(duration)) s missing") + ": \(cause)"
  }

  /// Minutes and seconds, rounded to thousandths: `0:03.200`.
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
