import RenderCore

/// Whose fault it is that there was nothing to play.
public enum UnderrunCause: String, CaseIterable, Hashable, Sendable {
  /// A slice took longer to render than it lasts.
  case render
  /// Frames of a file were not read in time: silence stood in their place.
  case file
  /// The sound server, or whoever else takes the sound, asked too late or not at all.
  case server
  /// The machine did not run the render thread when it was to run.
  case machine

  /// Whose it is, in words that follow a number: `2 the machine's`.
  public var owner: String {
    switch self {
    case .render: "the patch's own"
    case .file: "a file's"
    case .server: "the server's"
    case .machine: "the machine's"
    }
  }
}

/// A time at which the device had to play what was not there.
public struct Underrun: Hashable, Sendable {
  /// Who was late.
  public var cause: UnderrunCause
  /// Seconds of sound that the device had asked for by then.
  public var time: Double
  /// What went wrong, as words that follow a colon.
  public var reason: String

  public init(_ cause: UnderrunCause, time: Double, reason: String) {
    self.cause = cause
    self.time = time
    self.reason = reason
  }

  /// The whole as a sentence: `an underrun at 0:03.200, the machine's: …`.
  public var message: String {
    "an underrun at \(ServiceEvent.clock(time)), \(cause.owner): \(reason)"
  }
}
