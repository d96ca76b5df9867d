/// The present interruptions. Used by the engine's thread.
struct PulseInterruptions {
  /// Whether the device has been suspended for longer than `moment`.
  var isSuspended = false
  /// Whether the server has asked for silence, and has not ended that.
  var isAsked = false
  /// Whether the server has muted the stream, and will unmute it at the end.
  var isMuted = false
  /// Whether the stream is corked for a request of silence.
  var isCorked = false
  /// Frames of silence written since the pause.
  var silentFrames = 0
  /// Whether the session is paused.
  var isPaused = false

  /// The seconds for which a device may be suspended while it changes streams or states.
  static let moment = 0.1
}
