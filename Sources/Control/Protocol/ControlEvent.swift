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
