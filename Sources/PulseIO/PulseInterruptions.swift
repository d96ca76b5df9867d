/// The interruptions that there are just now. Of the engine's thread.
struct PulseInterruptions {
  /// Whether the device has been suspended for longer than a moment.
  var isSuspended = false
  /// Whether the server has asked for silence and has not taken it back.
  var isAsked = false
  /// Whether the server had muted the stream when it asked, and so takes that back at the end.
  var isMuted = false
  /// Whether the stream has been corked for it.
  var isCorked = false
  /// Frames of silence that have been written since the pause.
  var silentFrames = 0
  /// Whether the session has been paused.
  var isPaused = false

  /// How long a device is suspended on its way from one stream, or state, to the next, in seconds.
  static let moment = 0.1
}
