/// Something that has happened to a patch that plays.
public enum ControlEvent: Hashable, Sendable {
  /// It plays: the tag of its document.
  case started(tag: String)
  /// Another document plays.
  case changed(tag: String, effects: [ControlEffect], by: ControlOrigin)
  /// A change was refused, and what plays is as it was.
  case refused(ControlRefusal, by: ControlOrigin)
  /// The device had to play what was not there, or heard what was not taken: how often so far.
  case xrun(underruns: Int, overruns: Int)
  /// Why it was so, each time; not each one of many in a moment.
  case underrun(ControlUnderrun)
  /// Something has happened to a file that is read or written.
  case file(ControlFileEvent)
  /// A side of the device is another now.
  case route(direction: ControlDirection, name: String)
  /// The session was interrupted, or goes on.
  case interruption(begins: Bool)
  /// A side of the device is gone and is waited for, or is there again: a sentence that starts in lower
  /// case.
  case device(direction: ControlDirection, isLost: Bool, message: String)
  /// It pauses, or goes on.
  case state(ControlState)
  /// The patch has been written to its file, by request.
  case saved(file: String, tag: String)
  /// Something that a user should know: a sentence that starts in lower case.
  case warning(message: String)
  /// The last event.
  case ended(ControlEnd)
}

/// A time at which there was nothing to play.
public struct ControlUnderrun: Hashable, Sendable {
  /// `render`, `file`, `server` or `machine`.
  public var cause: String
  /// Seconds of sound from the beginning.
  public var position: Double
  /// A sentence that starts in lower case.
  public var message: String

  public init(cause: String, position: Double, message: String) {
    self.cause = cause
    self.position = position
    self.message = message
  }
}

/// What has happened to a file that is read or written.
public struct ControlFileEvent: Hashable, Sendable {
  /// `gap`, `ended`, `begun`, …
  public var kind: String
  public var file: String
  /// Where in the file, in seconds from its beginning.
  public var position: Double
  /// In seconds; 0 where it is a moment.
  public var duration: Double
  /// Frames that are lost by it, as far as it is known.
  public var frames: Int
  /// Whether it is still going on.
  public var isOngoing: Bool
  /// A sentence.
  public var message: String

  public init(
    kind: String, file: String, position: Double, duration: Double, frames: Int, isOngoing: Bool,
    message: String
  ) {
    self.kind = kind
    self.file = file
    self.position = position
    self.duration = duration
    self.frames = frames
    self.isOngoing = isOngoing
    self.message = message
  }
}

/// A side of a device.
public enum ControlDirection: String, Hashable, Sendable { case sink, source }

/// Why a patch has ended.
public enum ControlEnd: Hashable, Sendable {
  /// Its sources, or its duration, were over.
  case reached
  /// Somebody asked for it: a signal, or a request.
  case stopped
  /// A sentence that starts in lower case.
  case failed(message: String)
}
