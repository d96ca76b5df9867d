/// An event of a running patch.
public enum ControlEvent: Hashable, Sendable {
  /// The patch has started with this document tag.
  case started(tag: String)
  /// Another document plays.
  case changed(tag: String, effects: [ControlEffect], by: ControlOrigin)
  /// A change was refused; the patch is unchanged.
  case refused(ControlRefusal, by: ControlOrigin)
  /// Underruns or overruns of the device: the totals so far.
  case xrun(underruns: Int, overruns: Int)
  /// The cause of an underrun. Underruns in quick succession are reported once.
  case underrun(ControlUnderrun)
  /// A file event.
  case file(ControlFileEvent)
  /// The sound server has moved a side to another device.
  case route(direction: ControlDirection, name: String)
  /// The session was interrupted, or continues.
  case interruption(begins: Bool)
  /// A side of the device is lost, or is back. The message is a sentence that starts in lower case.
  case device(direction: ControlDirection, isLost: Bool, message: String)
  /// The patch pauses, or continues.
  case state(ControlState)
  /// The patch was saved to its file by a request.
  case saved(file: String, tag: String)
  /// A warning for the user: a sentence that starts in lower case.
  case warning(message: String)
  /// The last event.
  case ended(ControlEnd)
}

/// An underrun.
public struct ControlUnderrun: Hashable, Sendable {
  /// `render`, `file`, `server` or `machine`.
  public var cause: String
  /// The position in seconds of sound.
  public var position: Double
  /// A sentence that starts in lower case.
  public var message: String

  public init(cause: String, position: Double, message: String) {
    self.cause = cause
    self.position = position
    self.message = message
  }
}

/// An event of a file that is read or written.
public struct ControlFileEvent: Hashable, Sendable {
  /// The kind: `gap`, `ended`, `begun`, …
  public var kind: String
  public var file: String
  /// The position in the file in seconds.
  public var position: Double
  /// Seconds; 0 for a moment.
  public var duration: Double
  /// The lost frames, as far as known.
  public var frames: Int
  /// Whether the event continues.
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
  /// Its sources or its duration have ended.
  case reached
  /// A signal or a request.
  case stopped
  /// A failure: a sentence that starts in lower case.
  case failed(message: String)
}
