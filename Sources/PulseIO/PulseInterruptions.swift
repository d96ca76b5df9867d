/// The present interruptions. Used by the engine's thread.
struct PulseInterruptions {
  /// Whether the device has been suspended for longer than `shortestSuspension`.
  var isSuspended = false
  /// Whether a request of the server for silence is in effect.
  var isAsked = false
  /// Whether the server has muted the stream, and will unmute it at the end.
  var isMuted = false
  /// Whether the stream is corked for a request of silence.
  var isCorked = false
  /// Frames of silence written since the pause.
  var silentFrames = 0
  /// Whether the session is paused.
  var isPaused = false

  /// The seconds of suspension that count as an interruption: a device may be suspended for a
  /// shorter time while it changes streams or states.
  static let shortestSuspension = 0.1
}
