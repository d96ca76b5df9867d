import RenderCore

/// What caused an underrun.
public enum UnderrunCause: String, CaseIterable, Hashable, Sendable {
  /// A slice took longer to render than it lasts.
  case render
  /// Frames of a file were not read in time, and silence replaced them.
  case file
  /// The sound server, or another reader of the sound, made its request too late or not at all.
  case server
  /// The system did not run the render thread in time.
  case machine

  /// The cause as words that follow a number: `2 the machine's`.
  public var owner: String {
    switch self {
    case .render: "the patch's own"
    case .file: "a file's"
    case .server: "the server's"
    case .machine: "the machine's"
    }
  }
}

/// A moment at which the device had nothing to play.
public struct Underrun: Hashable, Sendable {
  /// What was late.
  public var cause: UnderrunCause
  /// Seconds of sound that the device had requested by then.
  public var time: Double
  /// What went wrong: words that follow a colon.
  public var reason: String

  public init(_ cause: UnderrunCause, time: Double, reason: String) {
    self.cause = cause
    self.time = time
    self.reason = reason
  }

  /// The underrun as a sentence: `an underrun at 0:03.200, the machine's: …`.
  public var message: String {
    "an underrun at \(ServiceEvent.clock(time)), \(cause.owner): \(reason)"
  }
}
